/* ---
name = "timeline_track"
version = 1
title = "The tracks of a timeline: where they belong, what is on them, and how their clocks compare"
help = """
Tracks that have slices. Those of devices come first in each rank, then threads, the main one first.
"""
grain = ["track_id"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "How many slices are shown one by one, over all tracks"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "Its name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
help = "Its name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The rank, if known"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The track"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "thread, stream, engine, link, async"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The track's name"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its process's number"

[[column]]
name = "process"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its process's name"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its thread's number"

[[column]]
name = "thread"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its thread's name"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "Its device"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "device_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The device's model or label"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "n_slices"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Its slices"

[[column]]
name = "n_shown"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Those that timeline_slice shows one by one"

[[column]]
name = "n_levels"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How deep its slices nest; 1 where none contains another"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of its first slice, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the last"

[[column]]
name = "shift_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "To add to its times to reach the time all traces of the run share, counted from the earliest of their bases; NULL: not known, do not compare"

[[column]]
name = "drift"
type = "DOUBLE"
unit = "ratio"
help = "To add further for each nanosecond since the trace's base"

[[column]]
name = "clock_method"
type = "VARCHAR"
unit = "text"
nullable = true
help = "How shift and drift were found"

[[column]]
name = "clock_uncertainty_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "How far the true shift can be from it"

[changes]
1 = "first version"
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
-- Traces are compared inside their run only.
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
  d.ordinal,
  k.stream,
  p.sort_index,
  p.pid,
  h.is_main IS NOT TRUE,
  h.sort_index,
  h.tid,
  n.track_id
