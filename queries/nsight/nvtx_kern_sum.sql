/* ---
name = "nvtx_kern_sum"
version = 3
title = "Kernels by the ranges they were launched in"
help = """
A kernel counts for every range around the call that launched it, on the thread of that call. Work
launched in no range has range_name NULL and one row per thread. The report nvtx_kern_sum of `nsys
stats` has the same figures, except where calls were recorded a second time with their backtrace. In
a time window, total_ns is of the parts of the kernels inside it, so disjoint windows add up to the
whole; other statistics are of whole kernels.
"""
grain = ["trace_id", "range_name", "style", "pid", "tid", "track_id", "kernel"]
requires = { schema = ">=13", queries = ["annotation_work@2", "nvtx_range@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "range_name", "style", "pid", "tid", "track_id", "n_ranges",
  "n_kernels", "total_ns", "mean_ns", "median_ns", "min_ns", "max_ns", "stddev_ns", "kernel",
]

[column]
track_id = { nullable = true, help = "Track of the thread; NULL: work without a recorded call" }
n_kernels.help = "Number of kernels launched in these ranges or in ranges below them"

[column.n_ranges]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of ranges with this kernel; 0 outside ranges"

[changes]
3 = "threads without a number are separate, identified by track_id"
2 = "start/end and crossing ranges own all their kernels; a kernel counts once in n_kernels; graphs recorded as a whole are excluded"
1 = "first version"
--- */
WITH -- Long names are grouped by their numbers.
kernel_name AS MATERIALIZED (
  SELECT name, row_number() OVER (ORDER BY name) AS name_n
  FROM (SELECT DISTINCT name FROM gpu_op WHERE kind = 'kernel')
),
op AS MATERIALIZED (
  SELECT g.slice_id, g.trace_id, greatest(g.dur, 0) AS dur,
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0) AS inside_ns, n.name_n
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN kernel_name AS n ON n.name IS NOT DISTINCT FROM g.name
  WHERE g.kind = 'kernel'
    AND NOT (g.graph_id IS NOT NULL AND g.grid_x IS NULL)
),
launched AS MATERIALIZED (
  SELECT n.annotation_id, n.slice_id
  FROM annotation_work() AS n
  SEMI JOIN op AS o ON o.slice_id = n.slice_id
),
-- Device work under every range it was launched in, and work launched in none.
work AS (
  SELECT n.annotation_id AS range_id, o.*
  FROM op AS o
  JOIN launched AS n ON n.slice_id = o.slice_id
  UNION ALL
  SELECT NULL, o.*
  FROM op AS o
  ANTI JOIN launched AS n ON n.slice_id = o.slice_id
),
caller AS (
  SELECT k.to_id AS slice_id, l.track_id, p.pid, h.tid
  FROM whole_link AS k
  JOIN whole_launch AS l ON l.slice_id = k.from_id
  LEFT JOIN track AS r ON r.id = l.track_id
  LEFT JOIN thread AS h ON h.id = r.thread_id
  LEFT JOIN process AS p ON p.id = h.process_id
  WHERE k.kind = 'launch' AND k.link_set = 'default'
),
summed AS (
  SELECT
    w.trace_id,
    r.range_name,
    r.style,
    coalesce(r.pid, c.pid) AS pid,
    coalesce(r.tid, c.tid) AS tid,
    -- Threads without a number are identified by their tracks.
    CASE WHEN w.range_id IS NULL THEN c.track_id ELSE a.track_id END AS track_id,
    w.name_n,
    count(DISTINCT w.range_id) AS n_ranges,
    count(DISTINCT w.slice_id) AS n_kernels,
    avg(w.dur) AS mean_ns,
    sum(w.inside_ns)::BIGINT AS total_ns,
    median(w.dur) AS median_ns,
    min(w.dur) AS min_ns,
    max(w.dur) AS max_ns,
    coalesce(stddev_samp(w.dur ORDER BY w.dur), 0) AS stddev_ns
  FROM work AS w
  LEFT JOIN nvtx_range() AS r ON r.range_id = w.range_id
  LEFT JOIN whole_annotation AS a ON a.slice_id = w.range_id
  LEFT JOIN caller AS c ON c.slice_id = w.slice_id
  GROUP BY ALL
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.range_name,
  s.style,
  s.pid,
  s.tid,
  s.track_id,
  s.n_ranges,
  s.n_kernels,
  s.total_ns,
  s.mean_ns,
  s.median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  k.name AS kernel
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
JOIN kernel_name AS k ON k.name_n = s.name_n
ORDER BY
  t.run_id, t.rank, s.trace_id, s.range_name, s.style, s.pid, s.tid, s.track_id, s.total_ns DESC, k.name
