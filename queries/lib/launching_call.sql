/* ---
name = "launching_call"
version = 2
title = "Host calls that caused device work, and the extent of that work"
help = """
One row per call, from links of kind launch; a graph launch that causes many operations is one row.
Device and stream are those of the first operation to start. A time window contains the calls that
run in it or whose work does, whole.
"""
grain = ["call_id"]
requires = { schema = ">=1", queries = ["launched_op@1"] }
scale = "trace"
columns = [
  "call_id", "trace_id", "track_id", "name", "device_id", "stream", "kind", "first_op_id", "n_ops",
  "call_start_ns", "call_end_ns", "first_start_ns", "last_end_ns", "device_ns", "inside_ns",
  "inside_device_ns",
]

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Restrict to the calls of each trace with the longest times from the end of the call to the start of its first operation, up to this number; ties are included; null: all"

[column]
track_id.help = "Track of the calling thread"
name.help = "Call name"
first_op_id = { type = "BIGINT", unit = "ref slice.id", help = "First operation to start" }
n_ops.help = "Number of operations caused by the call"
call_start_ns.help = "Start of the call, on the time axis of slice.ts"
call_end_ns = { type = "BIGINT", unit = "ns", help = "End of the call; not before the start" }
first_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the first operation" }
last_end_ns = { type = "BIGINT", unit = "ns", help = "Latest end of an operation" }
device_ns.help = "Sum of the durations of the operations"
inside_ns.help = "Part of the call inside the time window; without a window all of it"
inside_device_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Part of device_ns inside the time window" }

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "Kind of the first operation"

[changes]
2 = "new columns inside_ns and inside_device_ns"
1 = "first version"
--- */
WITH work AS (
  SELECT
    g.launch_id AS call_id,
    count(*) AS n_ops,
    min(g.ts) AS first_start_ns,
    -- Of several that start together, the one with the lowest id.
    min(g.ts * 18446744073709551616 + g.slice_id) AS first_key,
    max(g.ts + greatest(g.dur, 0)) AS last_end_ns,
    sum(greatest(g.dur, 0))::BIGINT AS device_ns,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS inside_device_ns,
    bool_or(g.ts < w.to_ns AND (g.ts >= w.from_ns OR g.ts + g.dur > w.from_ns OR g.dur = -1))
      AS is_inside
  FROM launched_op() AS g
  CROSS JOIN time_window AS w
  WHERE g.launch_id IS NOT NULL
  GROUP BY g.launch_id
),
call AS (
  SELECT
    l.slice_id AS call_id,
    l.trace_id,
    l.track_id,
    l.name,
    (k.first_key - k.first_start_ns * 18446744073709551616)::BIGINT AS first_op_id,
    k.n_ops,
    l.ts AS call_start_ns,
    l.ts + greatest(l.dur, 0) AS call_end_ns,
    k.first_start_ns,
    k.last_end_ns,
    k.device_ns,
    greatest(least(l.ts + l.dur, w.to_ns) - greatest(l.ts, w.from_ns), 0) AS inside_ns,
    k.inside_device_ns
  FROM whole_launch AS l
  CROSS JOIN time_window AS w
  JOIN work AS k ON k.call_id = l.slice_id
  WHERE k.is_inside
    OR (l.ts < w.to_ns AND (l.ts >= w.from_ns OR l.ts + l.dur > w.from_ns OR l.dur = -1))
),
least_delay AS (
  SELECT trace_id, min(delay_ns) AS delay_ns
  FROM (
    SELECT
      trace_id,
      first_start_ns - call_end_ns AS delay_ns,
      row_number() OVER (PARTITION BY trace_id ORDER BY first_start_ns - call_end_ns DESC) AS place
    FROM call
    WHERE $top::BIGINT IS NOT NULL
  )
  WHERE place <= $top::BIGINT
  GROUP BY trace_id
)
SELECT
  c.call_id,
  c.trace_id,
  c.track_id,
  c.name,
  g.device_id,
  g.stream,
  g.kind,
  c.first_op_id,
  c.n_ops,
  c.call_start_ns,
  c.call_end_ns,
  c.first_start_ns,
  c.last_end_ns,
  c.device_ns,
  c.inside_ns,
  c.inside_device_ns
  --+ , (SELECT count(*) FROM call) AS n_without_top
FROM call AS c
LEFT JOIN least_delay AS t ON t.trace_id = c.trace_id
JOIN whole_gpu_op AS g ON g.slice_id = c.first_op_id
WHERE $top::BIGINT IS NULL
  OR c.first_start_ns - c.call_end_ns >= t.delay_ns
