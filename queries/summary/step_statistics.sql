/* ---
name = "step_statistics"
version = 1
title = "What the steps of each rank and device have in common, and how far they differ"
help = """
Statistics over the rows of step_summary. Steps without work on a device count in the row without a
device only, where all but the figures of the host are NULL.
"""
grain = ["trace_id", "device_id", "has_work"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_launches@1"] }
portable = false

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
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "has_work"
type = "BOOLEAN"
unit = "bool"
help = "Whether the row is about steps with device work"

[[column]]
name = "n_steps"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Steps"

[[column]]
name = "slowest_step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the step that took longest on the host, the first of several"

[[column]]
name = "slowest_step_id"
type = "BIGINT"
unit = "ref slice.id"
help = "That step"

[[column]]
name = "host_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean duration of a step on the host"

[[column]]
name = "host_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median duration of a step on the host"

[[column]]
name = "host_p90_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile, interpolated, duration of a step on the host"

[[column]]
name = "host_max_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Greatest duration of a step on the host"

[[column]]
name = "host_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample; NULL for one step"

[[column]]
name = "span_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean time from the first to the last operation of a step on the device"

[[column]]
name = "span_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median time from the first to the last operation of a step on the device"

[[column]]
name = "span_p90_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile, interpolated, time from the first to the last operation of a step on the device"

[[column]]
name = "span_max_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Greatest time from the first to the last operation of a step on the device"

[[column]]
name = "span_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample; NULL for one step"

[[column]]
name = "busy_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean busy time of a step on the device"

[[column]]
name = "busy_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median busy time of a step on the device"

[[column]]
name = "busy_p90_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile, interpolated, busy time of a step on the device"

[[column]]
name = "busy_max_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Greatest busy time of a step on the device"

[[column]]
name = "busy_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample; NULL for one step"

[[column]]
name = "idle_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean idle time inside the span of a step on the device"

[[column]]
name = "idle_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median idle time inside the span of a step on the device"

[[column]]
name = "idle_p90_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile, interpolated, idle time inside the span of a step on the device"

[[column]]
name = "idle_max_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Greatest idle time inside the span of a step on the device"

[[column]]
name = "idle_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample; NULL for one step"

[[column]]
name = "exposed_communication_mean_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Mean exposed communication of a step"

[[column]]
name = "exposed_communication_median_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Median exposed communication of a step"

[[column]]
name = "exposed_communication_p90_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "90th percentile, interpolated, exposed communication of a step"

[[column]]
name = "exposed_communication_max_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Greatest exposed communication of a step"

[[column]]
name = "exposed_communication_stddev_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Standard deviation of the sample; NULL for one step"

[[column]]
name = "n_kernels_mean"
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean number of kernels of a step"

[[column]]
name = "n_launches_mean"
type = "DOUBLE"
unit = "count"
nullable = true
check = ">= 0"
help = "Mean number of launching calls of a step"

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
