/* ---
name = "timeline_track"
version = 2
title = "Tracks of a timeline with their place, contents and clock relation"
help = """
Tracks that have slices. Device tracks come first in each rank, then threads, the main thread first.
Engines of a device have a fixed order, with links after all engines.
"""
grain = ["track_id"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "track_id", "kind", "name", "pid", "process", "tid",
  "thread", "device_id", "device", "device_name", "stream", "n_slices", "n_shown", "n_levels",
  "start_ns", "end_ns", "shift_ns", "drift", "clock_method", "clock_uncertainty_ns",
]

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "Maximum number of slices to show over all tracks"

[column]
trace.nullable = false
track_id.help = "Track"
kind = { nullable = true, help = "thread, stream, engine, link, async" }
name.help = "Track name"
process = { type = "VARCHAR", unit = "text", nullable = true, help = "Process name" }
thread = { type = "VARCHAR", unit = "text", nullable = true, help = "Thread name" }
device_id.help = "Device of the track"
device_name.help = "Model or label of the device"
n_slices = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of slices of the track" }
start_ns.help = "Start of its first slice, on the time axis of slice.ts"
end_ns.help = "End of its last slice"
clock_method = { type = "VARCHAR", unit = "text", nullable = true, help = "How shift and drift were determined" }
clock_uncertainty_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Maximum error of the shift" }

[column.n_shown]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of slices of the track that timeline_slice shows"

[column.n_levels]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Nesting depth of its slices; 1 if none contains another"

[column.shift_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Shift to add to times of the trace to get the run's shared time, counted from the earliest base; NULL: unknown, so times are not comparable"

[column.drift]
nullable = false
help = "Nanoseconds to add per nanosecond since the base of the trace, in addition to the shift"

[changes]
1 = "first version"
2 = "fixed order of a device's engines, links after all engines"
--- */
WITH used AS (
  SELECT
    track_id,
    max(depth)::BIGINT + 1 AS n_levels,
    min(ts) AS start_ns,
    max(ts + greatest(dur, 0)) AS end_ns
  FROM slice
  GROUP BY track_id
),
-- Traces are compared only within their run.
timed AS (
  SELECT
    t.id,
    t.base_ns + c.offset_ns - min(t.base_ns + c.offset_ns) OVER (PARTITION BY t.run_id) AS shift_ns,
    coalesce(c.drift, 0) AS drift,
    c.method,
    c.uncertainty_ns
  FROM trace AS t
  LEFT JOIN clock AS c ON c.id = t.clock_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  coalesce(p.rank, t.rank) AS rank,
  n.track_id,
  k.kind,
  k.name,
  p.pid,
  p.name AS process,
  h.tid,
  h.name AS thread,
  k.device_id,
  d.ordinal AS device,
  d.name AS device_name,
  k.stream,
  n.n_slices,
  n.n_shown,
  u.n_levels,
  u.start_ns,
  u.end_ns,
  m.shift_ns,
  m.drift,
  m.method AS clock_method,
  m.uncertainty_ns AS clock_uncertainty_ns
FROM timeline_cutoff(p_max_slices := $max_slices::BIGINT) AS n
JOIN used AS u ON u.track_id = n.track_id
JOIN trace AS t ON t.id = n.trace_id
JOIN run AS r ON r.id = t.run_id
JOIN timed AS m ON m.id = t.id
LEFT JOIN track AS k ON k.id = n.track_id
LEFT JOIN process AS p ON p.id = k.process_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN device AS d ON d.id = k.device_id
ORDER BY
  t.run_id,
  coalesce(p.rank, t.rank),
  t.id,
  k.device_id IS NULL,
  coalesce(d.kind = 'link', false),
  d.ordinal,
  CASE WHEN k.kind IN ('engine', 'link') THEN k.sort_index END,
  k.stream,
  p.sort_index,
  p.pid,
  h.is_main IS NOT TRUE,
  h.sort_index,
  h.tid,
  n.track_id
