/* ---
name = "nvtx_projection"
version = 1
title = "Every range as the time of the device work launched in it"
help = """
From the start of the first to the end of the last kernel, copy or memset launched in the range, also in
ranges below. What was launched in no range is one row for each thread.
"""
grain = ["range_id", "trace_id", "pid", "tid"]
portable = false
requires = { schema = ">=13", queries = ["annotation_work@1", "nvtx_range@1"] }

[[column]]
name = "range_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The range; NULL: work outside of all ranges"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "range_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the range, behind its domain where it has one: domain:name"

[[column]]
name = "style"
type = "VARCHAR"
unit = "text"
nullable = true
help = "push_pop or start_end; ranges of sources that do not say are push_pop"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Thread"

[[column]]
name = "projected_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first device work, on the scale of slice.ts"

[[column]]
name = "projected_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From there to the end of the last"

[[column]]
name = "range_start_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of the range on its thread"

[[column]]
name = "range_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Length of the range on its thread"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets launched in it, also in ranges below"

[changes]
1 = "first version"
--- */
WITH -- Device work under every range it was launched in, and what was launched in none.
work AS (
  SELECT w.annotation_id AS range_id, g.slice_id, g.trace_id, g.ts, greatest(g.dur, 0) AS dur,
    g.kind, g.name
  FROM gpu_op AS g
  JOIN annotation_work() AS w ON w.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
  UNION ALL
  SELECT NULL, g.slice_id, g.trace_id, g.ts, greatest(g.dur, 0), g.kind, g.name
  FROM gpu_op AS g
  ANTI JOIN annotation_work() AS w ON w.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
),
caller AS (
  SELECT k.to_id AS slice_id, p.pid, h.tid
  FROM link AS k
  JOIN launch AS l ON l.slice_id = k.from_id
  LEFT JOIN track AS r ON r.id = l.track_id
  LEFT JOIN thread AS h ON h.id = r.thread_id
  LEFT JOIN process AS p ON p.id = h.process_id
  WHERE k.kind = 'launch' AND k.link_set = 'default'
)
SELECT
  w.range_id,
  w.trace_id,
  r.range_name,
  r.style,
  coalesce(r.pid, c.pid) AS pid,
  coalesce(r.tid, c.tid) AS tid,
  min(w.ts) AS projected_start_ns,
  max(w.ts + w.dur) - min(w.ts) AS projected_ns,
  r.start_ns AS range_start_ns,
  r.dur_ns AS range_ns,
  count(*) AS n_device_ops
FROM work AS w
LEFT JOIN nvtx_range() AS r ON r.range_id = w.range_id
LEFT JOIN caller AS c ON c.slice_id = w.slice_id
GROUP BY ALL
