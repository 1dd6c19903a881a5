/* ---
name = "cuda_kern_exec_sum"
version = 2
title = "Kernels by name and launching function: call, queue and execution times"
help = """
The report cuda_kern_exec_sum of `nsys stats` has the same figures, except where calls were recorded
a second time with their backtrace: nsys counts every kernel twice there.
"""
grain = ["trace_id", "pid", "tid", "track_id", "device", "call", "kernel"]
requires = { schema = ">=13", queries = ["kernel_launch@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "pid", "tid", "track_id", "device", "n_instances", "n_queued",
  "whole_mean_ns", "whole_median_ns", "whole_min_ns", "whole_max_ns", "whole_stddev_ns",
  "call_mean_ns", "call_median_ns", "call_min_ns", "call_max_ns", "call_stddev_ns", "queue_mean_ns",
  "queue_median_ns", "queue_min_ns", "queue_max_ns", "queue_stddev_ns", "kernel_mean_ns",
  "kernel_median_ns", "kernel_min_ns", "kernel_max_ns", "kernel_stddev_ns", "call", "kernel",
]

[column]
track_id.help = "Track of the calling thread"
call_mean_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration of a call" }
call_min_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Shortest duration of a call" }
kernel_mean_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration of a kernel" }
kernel_median_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Median duration of a kernel" }
kernel_min_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Shortest duration of a kernel" }
kernel_max_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Longest duration of a kernel" }

[column.n_queued]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of kernels queued after their call had ended"

[column.whole_mean_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean time from the start of the call to the end of call and kernel"

[column.whole_median_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median time from the start of the call to the end of call and kernel"

[column.whole_min_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest time from the start of the call to the end of call and kernel"

[column.whole_max_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest time from the start of the call to the end of call and kernel"

[column.whole_stddev_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Sample standard deviation of that time; 0 for a single one"

[column.call_stddev_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Sample standard deviation of the duration of a call; 0 for a single one"

[column.queue_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean time in the queue; NULL if none was queued"

[column.queue_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median time in the queue; NULL if none was queued"

[column.queue_min_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Shortest time in the queue; NULL if none was queued"

[column.queue_max_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest time in the queue; NULL if none was queued"

[column.queue_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation of the time in the queue; 0 for a single one; NULL if none was queued"

[column.kernel_stddev_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Sample standard deviation of the duration of a kernel; 0 for a single one"

[changes]
2 = "threads without a number are separate, identified by track_id"
1 = "first version"
--- */
-- Ordered: a deviation added up by several threads differs in its last digits from run to run.
WITH summed AS (
  SELECT
    trace_id,
    pid,
    tid,
    track_id,
    device,
    call,
    kernel,
    count(*) AS n_instances,
    count(queue_ns) AS n_queued,
    sum(whole_ns) AS total_ns,
    avg(whole_ns) AS whole_mean_ns,
    median(whole_ns) AS whole_median_ns,
    min(whole_ns) AS whole_min_ns,
    max(whole_ns) AS whole_max_ns,
    coalesce(stddev_samp(whole_ns ORDER BY whole_ns), 0) AS whole_stddev_ns,
    avg(call_ns) AS call_mean_ns,
    median(call_ns) AS call_median_ns,
    min(call_ns) AS call_min_ns,
    max(call_ns) AS call_max_ns,
    coalesce(stddev_samp(call_ns ORDER BY call_ns), 0) AS call_stddev_ns,
    avg(queue_ns) AS queue_mean_ns,
    median(queue_ns) AS queue_median_ns,
    min(queue_ns) AS queue_min_ns,
    max(queue_ns) AS queue_max_ns,
    CASE
      WHEN count(queue_ns) > 0 THEN coalesce(stddev_samp(queue_ns ORDER BY queue_ns), 0)
    END AS queue_stddev_ns,
    avg(kernel_ns) AS kernel_mean_ns,
    median(kernel_ns) AS kernel_median_ns,
    min(kernel_ns) AS kernel_min_ns,
    max(kernel_ns) AS kernel_max_ns,
    coalesce(stddev_samp(kernel_ns ORDER BY kernel_ns), 0) AS kernel_stddev_ns
  FROM kernel_launch()
  GROUP BY trace_id, pid, tid, track_id, device, call, kernel
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.pid,
  s.tid,
  s.track_id,
  s.device,
  s.n_instances,
  s.n_queued,
  s.whole_mean_ns,
  s.whole_median_ns,
  s.whole_min_ns,
  s.whole_max_ns,
  s.whole_stddev_ns,
  s.call_mean_ns,
  s.call_median_ns,
  s.call_min_ns,
  s.call_max_ns,
  s.call_stddev_ns,
  s.queue_mean_ns,
  s.queue_median_ns,
  s.queue_min_ns,
  s.queue_max_ns,
  s.queue_stddev_ns,
  s.kernel_mean_ns,
  s.kernel_median_ns,
  s.kernel_min_ns,
  s.kernel_max_ns,
  s.kernel_stddev_ns,
  s.call,
  s.kernel
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.total_ns DESC, s.pid, s.tid, s.track_id, s.device, s.call, s.kernel
