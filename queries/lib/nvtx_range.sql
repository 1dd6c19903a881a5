/* ---
name = "nvtx_range"
version = 2
title = "Host ranges with their nesting"
help = """
Host annotations that are not marks. Names are prefixed with their domain. In a time window, ranges
of all times are returned. Ranges that never ended last until the last time of a range, as in the
reports of `nsys stats`.
"""
grain = ["range_id"]
requires = { schema = ">=13", queries = ["annotation_extent@1", "nvtx_parent@1"] }
scale = "trace"
columns = [
  "range_id", "trace_id", "style", "range_name", "start_ns", "dur_ns", "pid", "tid", "parent_id",
]

[column]
range_id.help = "Range"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"

[changes]
2 = "start/end ranges have parents, too; ranges that never ended last until the last time of a range"
1 = "first version"
--- */
SELECT
  a.slice_id AS range_id,
  a.trace_id,
  coalesce(a.style, 'push_pop') AS style,
  concat(a.domain || ':', a.name) AS range_name,
  a.ts AS start_ns,
  e.end_ns - e.start_ns AS dur_ns,
  p.pid,
  h.tid,
  u.parent_id
FROM whole_annotation AS a
JOIN annotation_extent() AS e ON e.slice_id = a.slice_id
LEFT JOIN nvtx_parent(false) AS u ON u.range_id = a.slice_id
LEFT JOIN track AS k ON k.id = a.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN process AS p ON p.id = coalesce(h.process_id, k.process_id)
WHERE a.side = 'host'
  AND coalesce(a.style, 'push_pop') <> 'mark'
