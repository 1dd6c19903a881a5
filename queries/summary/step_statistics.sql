/* ---
name = "step_statistics"
version = 1
title = "Step statistics per rank and device"
help = """
Statistics over the rows of step_summary. Steps without work on a device only count in the row
without a device, where all columns but those of the host are NULL. A time window contains the steps
that run in it on the host, with all their work, whenever that runs.
"""
grain = ["trace_id", "device_id", "has_work"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_launches@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "has_work", "n_steps", "slowest_step",
  "slowest_step_id", "host_mean_ns", "host_median_ns", "host_p90_ns", "host_max_ns",
  "host_stddev_ns", "span_mean_ns", "span_median_ns", "span_p90_ns", "span_max_ns",
  "span_stddev_ns", "busy_mean_ns", "busy_median_ns", "busy_p90_ns", "busy_max_ns",
  "busy_stddev_ns", "idle_mean_ns", "idle_median_ns", "idle_p90_ns", "idle_max_ns",
  "idle_stddev_ns", "exposed_communication_mean_ns", "exposed_communication_median_ns",
  "exposed_communication_p90_ns", "exposed_communication_max_ns", "exposed_communication_stddev_ns",
  "n_kernels_mean", "n_launches_mean",
]

[column]
has_work = { type = "BOOLEAN", unit = "bool", help = "Whether the row covers steps with device work" }
n_steps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of steps" }
slowest_step_id = { type = "BIGINT", unit = "ref slice.id", help = "Longest step on the host, the first of several" }

[column.slowest_step]
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the longest step on the host, the first of several"

[column.host_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean duration of a step on the host"

[column.host_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median duration of a step on the host"

[column.host_p90_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile of the duration of a step on the host, interpolated"

[column.host_max_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest duration of a step on the host"

[column.host_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation; NULL for one step"

[column.span_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean time from the first to the last operation of a step on the device"

[column.span_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median time from the first to the last operation of a step on the device"

[column.span_p90_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile of the time from the first to the last operation of a step on the device, interpolated"

[column.span_max_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest time from the first to the last operation of a step on the device"

[column.span_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation; NULL for one step"

[column.busy_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean busy time of a step on the device"

[column.busy_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median busy time of a step on the device"

[column.busy_p90_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile of the busy time of a step on the device, interpolated"

[column.busy_max_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest busy time of a step on the device"

[column.busy_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation; NULL for one step"

[column.idle_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean idle time inside the span of a step on the device"

[column.idle_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median idle time inside the span of a step on the device"

[column.idle_p90_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile of the idle time inside the span of a step on the device, interpolated"

[column.idle_max_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest idle time inside the span of a step on the device"

[column.idle_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation; NULL for one step"

[column.exposed_communication_mean_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean exposed communication of a step"

[column.exposed_communication_median_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median exposed communication of a step"

[column.exposed_communication_p90_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile of the exposed communication of a step, interpolated"

[column.exposed_communication_max_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Longest exposed communication of a step"

[column.exposed_communication_stddev_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Sample standard deviation; NULL for one step"

[column.n_kernels_mean]
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean number of kernels per step"

[column.n_launches_mean]
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean number of launching calls per step"

[changes]
1 = "first version"
--- */
WITH each AS (
  SELECT
    s.trace_id,
    a.device_id,
    a.step_id IS NOT NULL AS has_work,
    s.slice_id AS step_id,
    s.number AS step,
    row_number() OVER (
      PARTITION BY s.trace_id, a.device_id, a.step_id IS NOT NULL
      ORDER BY greatest(s.dur, 0) DESC, s.ts, s.slice_id
    ) AS place,
    a.n_kernels,
    CASE WHEN a.step_id IS NOT NULL THEN coalesce(l.n_launches, 0) END AS n_launches,
    greatest(s.dur, 0) AS host_ns,
    a.end_ns - a.start_ns AS span_ns,
    a.busy_ns AS busy_ns,
    a.end_ns - a.start_ns - a.busy_ns AS idle_ns,
    a.exposed_communication_ns AS exposed_communication_ns
  FROM step AS s
  LEFT JOIN step_activity() AS a ON a.step_id = s.slice_id
  LEFT JOIN step_launches() AS l
    ON l.step_id = a.step_id AND coalesce(l.device_id, -1) = coalesce(a.device_id, -1)
),
summed AS (
  SELECT
    trace_id,
    device_id,
    has_work,
    count(*) AS n_steps,
    max(CASE WHEN place = 1 THEN step END) AS slowest_step,
    max(CASE WHEN place = 1 THEN step_id END) AS slowest_step_id,
    avg(host_ns) AS host_mean_ns,
    quantile_cont(host_ns, [0.5, 0.9, 1.0]) AS host_quantiles_ns,
    stddev_samp(host_ns) AS host_stddev_ns,
    avg(span_ns) AS span_mean_ns,
    quantile_cont(span_ns, [0.5, 0.9, 1.0]) AS span_quantiles_ns,
    stddev_samp(span_ns) AS span_stddev_ns,
    avg(busy_ns) AS busy_mean_ns,
    quantile_cont(busy_ns, [0.5, 0.9, 1.0]) AS busy_quantiles_ns,
    stddev_samp(busy_ns) AS busy_stddev_ns,
    avg(idle_ns) AS idle_mean_ns,
    quantile_cont(idle_ns, [0.5, 0.9, 1.0]) AS idle_quantiles_ns,
    stddev_samp(idle_ns) AS idle_stddev_ns,
    avg(exposed_communication_ns) AS exposed_communication_mean_ns,
    quantile_cont(exposed_communication_ns, [0.5, 0.9, 1.0]) AS exposed_communication_quantiles_ns,
    stddev_samp(exposed_communication_ns) AS exposed_communication_stddev_ns,
    avg(n_kernels) AS n_kernels_mean,
    avg(n_launches) AS n_launches_mean
  FROM each
  GROUP BY trace_id, device_id, has_work
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.has_work,
  a.n_steps,
  a.slowest_step,
  a.slowest_step_id,
  a.host_mean_ns,
  a.host_quantiles_ns[1] AS host_median_ns,
  a.host_quantiles_ns[2] AS host_p90_ns,
  a.host_quantiles_ns[3] AS host_max_ns,
  a.host_stddev_ns,
  a.span_mean_ns,
  a.span_quantiles_ns[1] AS span_median_ns,
  a.span_quantiles_ns[2] AS span_p90_ns,
  a.span_quantiles_ns[3] AS span_max_ns,
  a.span_stddev_ns,
  a.busy_mean_ns,
  a.busy_quantiles_ns[1] AS busy_median_ns,
  a.busy_quantiles_ns[2] AS busy_p90_ns,
  a.busy_quantiles_ns[3] AS busy_max_ns,
  a.busy_stddev_ns,
  a.idle_mean_ns,
  a.idle_quantiles_ns[1] AS idle_median_ns,
  a.idle_quantiles_ns[2] AS idle_p90_ns,
  a.idle_quantiles_ns[3] AS idle_max_ns,
  a.idle_stddev_ns,
  a.exposed_communication_mean_ns,
  a.exposed_communication_quantiles_ns[1] AS exposed_communication_median_ns,
  a.exposed_communication_quantiles_ns[2] AS exposed_communication_p90_ns,
  a.exposed_communication_quantiles_ns[3] AS exposed_communication_max_ns,
  a.exposed_communication_stddev_ns,
  a.n_kernels_mean,
  a.n_launches_mean
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, a.has_work DESC, d.ordinal, a.device_id
