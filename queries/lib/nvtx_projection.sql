/* ---
name = "nvtx_projection"
version = 1
title = "Ranges projected onto the device work launched in them"
help = """
From the start of the first to the end of the last kernel, copy or memset launched in the range or
in ranges below it. Work launched in no range has one row per thread.
"""
grain = ["range_id", "trace_id", "pid", "tid"]
requires = { schema = ">=13", queries = ["annotation_work@1", "nvtx_range@1"] }
portable = false
columns = [
  "range_id", "trace_id", "range_name", "style", "pid", "tid", "projected_start_ns", "projected_ns",
  "range_start_ns", "range_ns", "n_device_ops",
]

[column]
range_id = { nullable = true, help = "Range; NULL: work outside ranges" }

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in the range or in ranges below it"

[changes]
1 = "first version"
--- */
WITH -- Device work under every range it was launched in, and work launched in none.
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
