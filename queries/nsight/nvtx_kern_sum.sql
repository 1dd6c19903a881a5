/* ---
name = "nvtx_kern_sum"
version = 1
title = "Kernels by the ranges they were launched in"
help = """
A kernel counts under every range around the call that launched it, on the thread of that call; what was
launched in none has range_name NULL and is by thread. The report nvtx_kern_sum of `nsys stats` has the
same figures, except where calls were recorded a second time with their backtrace.
"""
grain = ["trace_id", "range_name", "style", "pid", "tid", "kernel"]
portable = false
requires = { schema = ">=13", queries = ["annotation_work@1", "nvtx_range@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

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
name = "n_ranges"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Ranges with this kernel; 0 outside of ranges"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels launched in these ranges, also in ranges below"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median; between the two middle ones of an even number"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[[column]]
name = "stddev_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Standard deviation of the sample (divided by n - 1); 0 for a single one"

[[column]]
name = "kernel"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel"

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
),
summed AS (
  SELECT
    w.trace_id,
    r.range_name,
    r.style,
    coalesce(r.pid, c.pid) AS pid,
    coalesce(r.tid, c.tid) AS tid,
    w.name AS kernel,
    count(DISTINCT w.range_id) AS n_ranges,
    count(*) AS n_kernels,
    sum(w.dur)::BIGINT AS total_ns,
    median(w.dur) AS median_ns,
    min(w.dur) AS min_ns,
    max(w.dur) AS max_ns,
    coalesce(stddev_samp(w.dur), 0) AS stddev_ns
  FROM work AS w
  LEFT JOIN nvtx_range() AS r ON r.range_id = w.range_id
  LEFT JOIN caller AS c ON c.slice_id = w.slice_id
  WHERE w.kind = 'kernel'
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
  s.n_ranges,
  s.n_kernels,
  s.total_ns,
  s.total_ns / s.n_kernels AS mean_ns,
  s.median_ns,
  s.min_ns,
  s.max_ns,
  s.stddev_ns,
  s.kernel
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY
  t.run_id, t.rank, s.trace_id, s.range_name, s.style, s.pid, s.tid, s.total_ns DESC, s.kernel
