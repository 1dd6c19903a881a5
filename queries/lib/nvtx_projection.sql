/* ---
name = "nvtx_projection"
version = 3
title = "Ranges projected onto the device work launched in them"
help = """
From the start of the first to the end of the last kernel, copy or memset launched in the range or
in ranges below it. Work launched in no range has one row per thread, work without a recorded call
none. A time window contains the rows whose projection reaches into it, whole.
"""
grain = ["range_id", "trace_id", "pid", "tid", "track_id"]
requires = { schema = ">=13", queries = ["annotation_work@2", "nvtx_range@2"] }
scale = "trace"
columns = [
  "range_id", "trace_id", "range_name", "style", "pid", "tid", "track_id", "projected_start_ns",
  "projected_ns", "inside_projected_ns", "range_start_ns", "range_ns", "n_device_ops", "n_calls",
]

[column]
track_id.help = "Track of the thread"
inside_projected_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Part of projected_ns inside the time window" }
n_calls.help = "Number of calls that launched them"
range_id = { nullable = true, help = "Range; NULL: work outside ranges" }

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in the range or in ranges below it"

[changes]
3 = "threads without a number are separate, identified by track_id; new column inside_projected_ns"
2 = "n_calls; work without a recorded call has no row; ranges own work as in annotation_work@2"
1 = "first version"
--- */
-- Device work under every range it was launched in, and work launched in none.
WITH caller AS (
  SELECT k.to_id AS slice_id, l.slice_id AS call_id, l.track_id, p.pid, h.tid
  FROM whole_link AS k
  JOIN whole_launch AS l ON l.slice_id = k.from_id
  LEFT JOIN track AS r ON r.id = l.track_id
  LEFT JOIN thread AS h ON h.id = r.thread_id
  LEFT JOIN process AS p ON p.id = h.process_id
  WHERE k.kind = 'launch' AND k.link_set = 'default'
),
work AS (
  SELECT
    w.annotation_id AS range_id, g.trace_id, g.ts, greatest(g.dur, 0) AS dur, c.call_id,
    c.track_id, c.pid, c.tid
  FROM whole_gpu_op AS g
  JOIN caller AS c ON c.slice_id = g.slice_id
  LEFT JOIN annotation_work() AS w ON w.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
),
projected AS (
  SELECT
    w.range_id,
    w.trace_id,
    r.range_name,
    r.style,
    coalesce(r.pid, w.pid) AS pid,
    coalesce(r.tid, w.tid) AS tid,
    -- Threads without a number are identified by their tracks.
    CASE WHEN w.range_id IS NULL THEN w.track_id ELSE a.track_id END AS track_id,
    min(w.ts) AS projected_start_ns,
    max(w.ts + w.dur) AS projected_end_ns,
    r.start_ns AS range_start_ns,
    r.dur_ns AS range_ns,
    count(*) AS n_device_ops,
    count(DISTINCT w.call_id) AS n_calls
  FROM work AS w
  LEFT JOIN nvtx_range() AS r ON r.range_id = w.range_id
  LEFT JOIN whole_annotation AS a ON a.slice_id = w.range_id
  GROUP BY ALL
)
SELECT
  p.range_id,
  p.trace_id,
  p.range_name,
  p.style,
  p.pid,
  p.tid,
  p.track_id,
  p.projected_start_ns,
  p.projected_end_ns - p.projected_start_ns AS projected_ns,
  greatest(least(p.projected_end_ns, w.to_ns) - greatest(p.projected_start_ns, w.from_ns), 0)
    AS inside_projected_ns,
  p.range_start_ns,
  p.range_ns,
  p.n_device_ops,
  p.n_calls
FROM projected AS p
CROSS JOIN time_window AS w
WHERE p.projected_start_ns < w.to_ns
  AND (p.projected_start_ns >= w.from_ns OR p.projected_end_ns > w.from_ns)
