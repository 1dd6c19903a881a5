/* ---
name = "gradient_plan"
version = 1
title = "Requested groups of gradients: how each is reduced on each rank"
help = """
The numbers of loops, channels and slices of a new group are those of the recorded group closest in
size; durations follow from gradient_rate, or from a given rate and latency. Groups that were recorded
are marked, and keep what was recorded.
"""
grain = ["trace_id", "tensors"]
requires = { schema = ">=18", queries = ["gradient_rate@2", "gradient_stage@2", "gradient_tensor@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "place", "tensors", "is_recorded", "n_tensors", "bytes", "n_loops", "n_channels",
  "n_slices", "n_ring_steps", "queue_ns", "copy_in_ns", "send_ns", "behind_ns", "copy_out_ns",
]

[param.groups]
type = "VARCHAR"
help = "Numbers of the tensors of each group, as 0+1,2"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of sends; 0: as fitted"

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the requested groups" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of the group, ascending, as in 3+4" }
is_recorded = { type = "BOOLEAN", unit = "bool", help = "Whether the group was recorded" }
n_tensors = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of tensors" }
bytes.help = "Size of the group"
n_loops = { type = "BIGINT", unit = "count", check = "> 0", help = "Loops" }
n_channels = { type = "BIGINT", unit = "count", check = "> 0", help = "Channels" }
n_slices = { type = "BIGINT", unit = "count", check = "> 0", help = "Slices of a chunk" }
n_ring_steps = { type = "BIGINT", unit = "count", check = "> 0", help = "Steps of the ring" }
queue_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of the queue" }
copy_in_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of the copy into the fusion buffer" }
send_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of a send" }
behind_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time from the end of a send to the end of its receive" }
copy_out_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration of the copy out of the fusion buffer" }

[changes]
1 = "first version"
--- */
WITH requested AS (
  SELECT place, TRY_CAST(unnest(string_split(tensors, '+')) AS BIGINT) AS tensor_id
  FROM (
    SELECT unnest(list) AS tensors, generate_subscripts(list, 1) - 1 AS place
    FROM (SELECT string_split(replace($groups::VARCHAR, ' ', ''), ',') AS list)
  )
),
wanted AS (
  SELECT
    g.run_id, g.trace_id, any_value(g.rank) AS rank, r.place,
    string_agg(r.tensor_id::VARCHAR, '+' ORDER BY r.tensor_id) AS tensors,
    count(*) AS n_tensors, sum(g.bytes)::BIGINT AS bytes
  FROM requested AS r
  JOIN gradient_tensor() AS g ON g.tensor_id = r.tensor_id
  GROUP BY g.run_id, g.trace_id, r.place
),
recorded AS (
  SELECT run_id, tensors, any_value(bytes) AS bytes, any_value(n_loops) AS n_loops,
    any_value(n_channels) AS n_channels, any_value(n_slices) AS n_slices,
    any_value(n_ring_steps) AS n_ring_steps
  FROM gradient_stage()
  GROUP BY run_id, tensors
),
-- the recorded group itself, or that closest in size
counted AS (
  SELECT w.*, r.tensors = w.tensors AS is_recorded, r.n_loops, r.n_channels, r.n_slices, r.n_ring_steps
  FROM wanted AS w
  JOIN recorded AS r ON r.run_id = w.run_id
  QUALIFY row_number() OVER (
    PARTITION BY w.trace_id, w.place
    ORDER BY r.tensors <> w.tensors, abs(ln(greatest(r.bytes, 1)) - ln(greatest(w.bytes, 1))), r.tensors
  ) = 1
),
-- a given rate leaves as much time for size 0 as fits the recorded sends
rate AS (
  SELECT
    m.trace_id, m.stage, m.size_unit,
    CASE WHEN s.fixed_ns IS NOT NULL THEN s.fixed_ns ELSE m.fixed_ns END AS fixed_ns,
    CASE WHEN s.fixed_ns IS NOT NULL THEN 1e9 / $bytes_per_s::DOUBLE ELSE m.slope_ns END AS slope_ns
  FROM gradient_rate() AS m
  LEFT JOIN (
    SELECT trace_id, stage, greatest(avg(dur_ns - part_bytes * 1e9 / nullif($bytes_per_s::DOUBLE, 0)), 0) AS fixed_ns
    FROM gradient_stage()
    WHERE stage = 'send' AND $bytes_per_s::DOUBLE > 0
    GROUP BY trace_id, stage
  ) AS s ON s.trace_id = m.trace_id AND s.stage = m.stage
),
predicted AS (
  SELECT
    c.trace_id, c.place, r.stage,
    r.fixed_ns + r.slope_ns * CASE
      WHEN r.size_unit = 'tensor' THEN c.n_tensors
      WHEN r.stage IN ('send', 'receive')
        THEN c.bytes / ((c.n_ring_steps / 2 + 1) * c.n_loops * c.n_channels * c.n_slices)
      ELSE c.bytes
    END AS dur_ns
  FROM counted AS c
  JOIN rate AS r ON r.trace_id = c.trace_id
)
SELECT
  c.run_id,
  c.trace_id,
  c.rank,
  c.place,
  c.tensors,
  c.is_recorded,
  c.n_tensors,
  c.bytes,
  c.n_loops,
  c.n_channels,
  c.n_slices,
  c.n_ring_steps,
  coalesce(sum(p.dur_ns) FILTER (p.stage = 'queue'), 0) AS queue_ns,
  coalesce(sum(p.dur_ns) FILTER (p.stage = 'copy_in'), 0) AS copy_in_ns,
  coalesce(sum(p.dur_ns) FILTER (p.stage = 'send'), 0) AS send_ns,
  coalesce(sum(p.dur_ns) FILTER (p.stage = 'receive'), 0) AS behind_ns,
  coalesce(sum(p.dur_ns) FILTER (p.stage = 'copy_out'), 0) AS copy_out_ns
FROM counted AS c
LEFT JOIN predicted AS p ON p.trace_id = c.trace_id AND p.place = c.place
GROUP BY ALL
ORDER BY c.trace_id, c.place
