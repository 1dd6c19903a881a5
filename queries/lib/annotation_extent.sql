/* ---
name = "annotation_extent"
version = 1
title = "Threads and times of host annotations, with ends of those that never ended"
help = """
A range that never ended lasts until the last time of a range of its trace, as in the reports of
`nsys stats`; if its source does not record styles of ranges, also until the last call. Annotations
of negative duration are empty. A range that ended on another thread than it began on has a
thread_key of its track alone.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = ["slice_id", "trace_id", "thread_key", "start_ns", "end_ns"]

[column]
slice_id.help = "Annotation"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End, on the time axis of slice.ts; not before the start"

[column.thread_key]
type = "BIGINT"
unit = "count"
help = "Number of the thread: thread.id, or the negated track.id of a track without thread"

[changes]
1 = "first version"
--- */
WITH last_range AS (
  SELECT trace_id, max(ts + greatest(dur, 0)) AS end_ns
  FROM whole_annotation
  WHERE side = 'host'
    AND coalesce(style, 'push_pop') <> 'mark'
  GROUP BY trace_id
),
last_call AS (
  SELECT trace_id, max(ts + greatest(dur, 0)) AS end_ns
  FROM whole_launch
  GROUP BY trace_id
)
SELECT
  a.slice_id,
  a.trace_id,
  coalesce(k.thread_id, -a.track_id) AS thread_key,
  a.ts AS start_ns,
  CASE
    WHEN a.dur <> -1 THEN a.ts + greatest(a.dur, 0)
    WHEN a.style IS NULL THEN greatest(a.ts, r.end_ns, c.end_ns)
    ELSE greatest(a.ts, r.end_ns)
  END AS end_ns
FROM whole_annotation AS a
LEFT JOIN track AS k ON k.id = a.track_id
LEFT JOIN last_range AS r ON r.trace_id = a.trace_id
LEFT JOIN last_call AS c ON c.trace_id = a.trace_id
WHERE a.side = 'host'
