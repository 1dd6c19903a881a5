/* ---
name = "launch_summary"
version = 1
title = "How long calls take to launch device work, and how often that is longer than the work"
help = """
One row for each call by name and each kind of work it caused. latency counts from the start of the
call to the start of the work, delay from the return of the call; both are negative where the source
has it so (see launch_latency). Outliers are calls that took longer than slow_call_ns, and work that
began more than long_delay_ns after its call had returned, which is work that waited in a queue.
"""
grain = ["trace_id", "device_id", "call", "kind"]
requires = { schema = ">=1", queries = ["launching_call@1"] }
portable = false

[param.slow_call_ns]
type = "BIGINT"
unit = "ns"
default = 50000
min = 0
help = "A call that takes longer is slow"

[param.long_delay_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 0
help = "A delay that is longer is long"

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
name = "call"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The call's name"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "What the first operation of each call is"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls that caused work"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operations they caused"

[[column]]
name = "call_total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of the calls"

[[column]]
name = "call_median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median duration of a call"

[[column]]
name = "call_p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "90th percentile, interpolated"

[[column]]
name = "call_p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99th percentile, interpolated"

[[column]]
name = "call_max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Greatest"

[[column]]
name = "latency_median_ns"
type = "DOUBLE"
unit = "ns"
help = "Median time from the start of the call to the start of its work"

[[column]]
name = "latency_p90_ns"
type = "DOUBLE"
unit = "ns"
help = "90th percentile, interpolated"

[[column]]
name = "latency_p99_ns"
type = "DOUBLE"
unit = "ns"
help = "99th percentile, interpolated"

[[column]]
name = "latency_max_ns"
type = "BIGINT"
unit = "ns"
help = "Greatest"

[[column]]
name = "delay_median_ns"
type = "DOUBLE"
unit = "ns"
help = "Median time from the return of the call to the start of its work"

[[column]]
name = "delay_p90_ns"
type = "DOUBLE"
unit = "ns"
help = "90th percentile, interpolated"

[[column]]
name = "delay_p99_ns"
type = "DOUBLE"
unit = "ns"
help = "99th percentile, interpolated"

[[column]]
name = "delay_max_ns"
type = "BIGINT"
unit = "ns"
help = "Greatest"

[[column]]
name = "device_total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of the operations"

[[column]]
name = "device_median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median duration of what one call caused"

[[column]]
name = "n_launch_bound"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls that took longer than all they caused"

[[column]]
name = "launch_bound_share"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "n_launch_bound / n_calls"

[[column]]
name = "n_slow_calls"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls that took longer than slow_call_ns"

[[column]]
name = "n_long_delays"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls whose work began more than long_delay_ns after they returned"

[[column]]
name = "n_before_call"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls whose work began before they did: the clocks disagree"

[changes]
1 = "first version"
--- */
WITH measured AS (
  SELECT
    trace_id,
    device_id,
    name,
    kind,
    n_ops,
    call_end_ns - call_start_ns AS call_ns,
    first_start_ns - call_start_ns AS latency_ns,
    first_start_ns - call_end_ns AS delay_ns,
    device_ns
  FROM launching_call(NULL)
),
summed AS (
  SELECT
    trace_id,
    device_id,
    name,
    kind,
    count(*) AS n_calls,
    sum(n_ops)::BIGINT AS n_ops,
    sum(call_ns)::BIGINT AS call_total_ns,
    quantile_cont(call_ns, [0.5, 0.9, 0.99]) AS call_quantiles_ns,
    max(call_ns) AS call_max_ns,
    quantile_cont(latency_ns, [0.5, 0.9, 0.99]) AS latency_quantiles_ns,
    max(latency_ns) AS latency_max_ns,
    quantile_cont(delay_ns, [0.5, 0.9, 0.99]) AS delay_quantiles_ns,
    max(delay_ns) AS delay_max_ns,
    sum(device_ns)::BIGINT AS device_total_ns,
    median(device_ns) AS device_median_ns,
    count(CASE WHEN device_ns < call_ns THEN 1 END) AS n_launch_bound,
    count(CASE WHEN call_ns > $slow_call_ns::BIGINT THEN 1 END) AS n_slow_calls,
    count(CASE WHEN delay_ns > $long_delay_ns::BIGINT THEN 1 END) AS n_long_delays,
    count(CASE WHEN latency_ns < 0 THEN 1 END) AS n_before_call
  FROM measured
  GROUP BY trace_id, device_id, name, kind
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.name AS call,
  a.kind,
  a.n_calls,
  a.n_ops,
  a.call_total_ns,
  a.call_quantiles_ns[1] AS call_median_ns,
  a.call_quantiles_ns[2] AS call_p90_ns,
  a.call_quantiles_ns[3] AS call_p99_ns,
  a.call_max_ns,
  a.latency_quantiles_ns[1] AS latency_median_ns,
  a.latency_quantiles_ns[2] AS latency_p90_ns,
  a.latency_quantiles_ns[3] AS latency_p99_ns,
  a.latency_max_ns,
  a.delay_quantiles_ns[1] AS delay_median_ns,
  a.delay_quantiles_ns[2] AS delay_p90_ns,
  a.delay_quantiles_ns[3] AS delay_p99_ns,
  a.delay_max_ns,
  a.device_total_ns,
  a.device_median_ns,
  a.n_launch_bound,
  a.n_launch_bound / a.n_calls AS launch_bound_share,
  a.n_slow_calls,
  a.n_long_delays,
  a.n_before_call
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.call_total_ns DESC, a.n_calls DESC,
  a.name, a.kind
