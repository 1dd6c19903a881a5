/* ---
name = "cuda_kern_exec_sum"
version = 1
title = "Kernels by name and launching function: calls, queues, runs"
help = """
The report cuda_kern_exec_sum of `nsys stats` has the same figures, except where calls were recorded a
second time with their backtrace: there it counts every kernel twice.
"""
grain = ["trace_id", "pid", "tid", "device", "call", "kernel"]
requires = { schema = ">=13", queries = ["kernel_launch@1"] }

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
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "n_instances"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How many there are"

[[column]]
name = "n_queued"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those that waited in a queue after their call had ended"

[[column]]
name = "whole_mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel, mean"

[[column]]
name = "whole_median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel, median"

[[column]]
name = "whole_min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel, least"

[[column]]
name = "whole_max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel, greatest"

[[column]]
name = "whole_stddev_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "From the start of the call to the end of call and kernel, standard deviation of the sample; 0 for a single one"

[[column]]
name = "call_mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the call, mean"

[[column]]
name = "call_median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the call, median"

[[column]]
name = "call_min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the call, least"

[[column]]
name = "call_max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the call, greatest"

[[column]]
name = "call_stddev_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the call, standard deviation of the sample; 0 for a single one"

[[column]]
name = "queue_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time in the queue; NULL where none waited, mean"

[[column]]
name = "queue_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time in the queue; NULL where none waited, median"

[[column]]
name = "queue_min_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time in the queue; NULL where none waited, least"

[[column]]
name = "queue_max_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time in the queue; NULL where none waited, greatest"

[[column]]
name = "queue_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time in the queue; NULL where none waited, standard deviation of the sample; 0 for a single one"

[[column]]
name = "kernel_mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the kernel, mean"

[[column]]
name = "kernel_median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the kernel, median"

[[column]]
name = "kernel_min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the kernel, least"

[[column]]
name = "kernel_max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the kernel, greatest"

[[column]]
name = "kernel_stddev_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Length of the kernel, standard deviation of the sample; 0 for a single one"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The function"

[[column]]
name = "kernel"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The kernel"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    trace_id,
    pid,
    tid,
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
    coalesce(stddev_samp(whole_ns), 0) AS whole_stddev_ns,
    avg(call_ns) AS call_mean_ns,
    median(call_ns) AS call_median_ns,
    min(call_ns) AS call_min_ns,
    max(call_ns) AS call_max_ns,
    coalesce(stddev_samp(call_ns), 0) AS call_stddev_ns,
    avg(queue_ns) AS queue_mean_ns,
    median(queue_ns) AS queue_median_ns,
    min(queue_ns) AS queue_min_ns,
    max(queue_ns) AS queue_max_ns,
    CASE WHEN count(queue_ns) > 0 THEN coalesce(stddev_samp(queue_ns), 0) END AS queue_stddev_ns,
    avg(kernel_ns) AS kernel_mean_ns,
    median(kernel_ns) AS kernel_median_ns,
    min(kernel_ns) AS kernel_min_ns,
    max(kernel_ns) AS kernel_max_ns,
    coalesce(stddev_samp(kernel_ns), 0) AS kernel_stddev_ns
  FROM kernel_launch()
  GROUP BY trace_id, pid, tid, device, call, kernel
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.pid,
  s.tid,
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
ORDER BY t.run_id, t.rank, s.trace_id, s.total_ns DESC, s.pid, s.tid, s.device, s.call, s.kernel
