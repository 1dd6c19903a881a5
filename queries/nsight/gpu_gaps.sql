/* ---
name = "gpu_gaps"
version = 2
title = "Times in which a process leaves a device idle"
help = """
Times of at least min_ns in which a process has no work on a device, between the start of its first
and the end of its last operation there. CUDA's profiling overhead (as the profiler names it) in the
process and between these times counts as busy, because it cannot be avoided. Longest first.
Corresponds to the rule gpu_gaps of `nsys analyze`. `idle_gap` has the gaps of each stream with
their causes. Only work that runs in the time window counts, whole.
"""
grain = ["trace_id", "process_id", "device_id", "start_ns"]
requires = { schema = ">=13" }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "process_id", "device_id", "dur_ns", "start_ns", "pid", "device",
  "device_name",
]

[param.min_ns]
type = "BIGINT"
unit = "ns"
default = 500000000
min = 1
help = "Minimum duration of a gap"

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Maximum number of rows per trace, longest first; null: all"

[column]
device_id.help = "Device"
dur_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Duration" }
start_ns.help = "End of the last of the earlier operations, on the time axis of slice.ts"
pid.help = "System process number"

[changes]
2 = "only CUDA's profiling overhead counts as busy, and only if it lies between the operations"
1 = "first version"
--- */
WITH work AS (
  SELECT g.trace_id, k.process_id, g.device_id, g.ts AS start_ns, g.ts + greatest(g.dur, 0) AS end_ns
  FROM gpu_op AS g
  JOIN track AS k ON k.id = g.track_id
  WHERE g.kind <> 'sync'
),
-- A gap of at least min_ns lies between operations in different cells of half that width.
cell AS (
  SELECT
    trace_id, process_id, device_id, start_ns // greatest($min_ns::BIGINT // 2, 1) AS cell_n,
    min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM work
  GROUP BY ALL
),
whole AS (
  SELECT trace_id, process_id, device_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM cell
  GROUP BY ALL
),
busy AS (
  SELECT trace_id, process_id, device_id, start_ns, end_ns FROM cell
  UNION ALL
  SELECT w.trace_id, w.process_id, w.device_id, s.ts, s.ts + greatest(s.dur, 0)
  FROM slice AS s
  JOIN track AS k ON k.id = s.track_id
  JOIN whole AS w ON w.trace_id = s.trace_id AND w.process_id = k.process_id
  WHERE s.category = 'overhead'
    AND s.name IN (
      'CUDA profiling overhead', 'CUDA profiling data flush overhead', 'CUDA profiling stop overhead'
    )
    AND s.ts > w.start_ns
    AND s.ts + greatest(s.dur, 0) < w.end_ns
),
reach AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id, process_id, device_id
      ORDER BY start_ns, end_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM busy
),
gap AS (
  SELECT
    trace_id, process_id, device_id, reach_ns AS start_ns, start_ns - reach_ns AS dur_ns,
    row_number() OVER (
      PARTITION BY trace_id ORDER BY start_ns - reach_ns DESC, reach_ns, process_id, device_id
    ) AS place
  FROM reach
  WHERE start_ns - reach_ns >= $min_ns::BIGINT
)
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.process_id,
  g.device_id,
  g.dur_ns,
  g.start_ns,
  p.pid,
  d.ordinal AS device,
  d.name AS device_name
FROM gap AS g
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN process AS p ON p.id = g.process_id
LEFT JOIN device AS d ON d.id = g.device_id
WHERE $top::BIGINT IS NULL OR g.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, g.trace_id, g.place
