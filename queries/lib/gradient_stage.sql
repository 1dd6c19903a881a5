/* ---
name = "gradient_stage"
version = 2
title = "Stages in which ranks reduce a group of gradients: mean duration and size"
help = """
Of dPRO trials with NCCL, by rank and group: queue, copy into the fusion buffer, sends, receives (the time
behind their send) and copy out of it, without waiting. A ring sends the group in parts: loops by
channels by slices by ranks.
"""
grain = ["trace_id", "tensors", "stage"]
requires = { schema = ">=18", queries = ["gradient_node@1", "gradient_tensor@1"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "rank", "tensors", "stage", "dur_ns", "n_tensors", "bytes", "n_loops", "n_channels",
  "n_slices", "n_ring_steps", "part_bytes",
]

[column]
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of the group, ascending, as in 3+4" }
stage = { type = "VARCHAR", unit = "text", check = "IN ('queue', 'copy_in', 'send', 'receive', 'copy_out')", help = "queue, copy_in, send, receive or copy_out" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration of one event, without waiting" }
n_tensors = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of tensors" }
bytes = { help = "Size of the group; NULL: of a tensor not recorded" }
n_loops = { type = "BIGINT", unit = "count", check = "> 0", help = "Loops" }
n_channels = { type = "BIGINT", unit = "count", check = "> 0", help = "Channels" }
n_slices = { type = "BIGINT", unit = "count", check = "> 0", help = "Slices of a chunk" }
n_ring_steps = { type = "BIGINT", unit = "count", check = "> 0", help = "Steps of the ring: 2 for each rank but one" }
part_bytes = { type = "DOUBLE", unit = "byte", nullable = true, check = ">= 0", help = "Size of what one send transfers" }

[changes]
1 = "first version"
2 = "stages are named queue, copy_in, send, receive and copy_out"
--- */
WITH extent AS (
  SELECT
    run_id,
    tensors,
    max(loop) + 1 AS n_loops,
    max(channel) + 1 AS n_channels,
    max(ring_step) + 1 AS n_ring_steps,
    max(slice) + 1 AS n_slices
  FROM gradient_node()
  WHERE stage = 'send'
  GROUP BY run_id, tensors
),
size AS (
  SELECT run_id, tensors, count(*) AS n_tensors, CASE WHEN count(bytes) = count(*) THEN sum(bytes)::BIGINT END AS bytes
  FROM (
    SELECT x.run_id, x.tensors, t.tensor_id, any_value(t.bytes) AS bytes
    FROM extent AS x
    JOIN gradient_tensor() AS t
      ON t.run_id = x.run_id AND list_contains(string_split(x.tensors, '+'), t.tensor_id::VARCHAR)
    GROUP BY x.run_id, x.tensors, t.tensor_id
  )
  GROUP BY run_id, tensors
)
SELECT
  n.run_id,
  n.trace_id,
  any_value(n.rank) AS rank,
  n.tensors,
  n.stage,
  avg(n.dur_ns) AS dur_ns,
  s.n_tensors,
  s.bytes,
  x.n_loops,
  x.n_channels,
  x.n_slices,
  x.n_ring_steps,
  s.bytes / ((x.n_ring_steps / 2 + 1) * x.n_loops * x.n_channels * x.n_slices) AS part_bytes
FROM gradient_node() AS n
JOIN extent AS x ON x.run_id = n.run_id AND x.tensors = n.tensors
JOIN size AS s ON s.run_id = n.run_id AND s.tensors = n.tensors
GROUP BY n.run_id, n.trace_id, n.tensors, n.stage, s.n_tensors, s.bytes, x.n_loops, x.n_channels, x.n_slices, x.n_ring_steps
ORDER BY n.trace_id, n.tensors, n.stage
