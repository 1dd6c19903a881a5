/* ---
name = "launch_summary"
version = 1
title = "Launch latency and delay by call, and calls longer than their work"
help = """
One row per call name and kind of work it caused. latency counts from the start of the call to the
start of the work, delay from the return of the call; both are negative where the recorded times are
(see launch_latency). Outliers are calls longer than slow_call_ns, and work that began more than
long_delay_ns after its call returned, that is, work that waited in a queue. In a time window a call
counts if it runs in it or its work does: call_total_ns and device_total_ns are of the parts inside
the window, so disjoint windows add up to the whole; other statistics are of whole calls.
"""
grain = ["trace_id", "device_id", "call", "kind"]
requires = { schema = ">=1", queries = ["launching_call@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "call", "kind", "n_calls", "n_ops",
  "call_total_ns", "call_median_ns", "call_p90_ns", "call_p99_ns", "call_max_ns",
  "latency_median_ns", "latency_p90_ns", "latency_p99_ns", "latency_max_ns", "delay_median_ns",
  "delay_p90_ns", "delay_p99_ns", "delay_max_ns", "device_total_ns", "device_median_ns",
  "n_launch_bound", "launch_bound_share", "n_slow_calls", "n_long_delays", "n_before_call",
]

[param.slow_call_ns]
type = "BIGINT"
unit = "ns"
default = 50000
min = 0
help = "Duration above which a call is slow"

[param.long_delay_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 0
help = "Delay above which work was queued long"

[column]
call.help = "Name of the call"
n_calls.help = "Number of calls that caused work"
n_ops.help = "Number of operations caused by the calls"
call_total_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations of the calls" }
latency_p90_ns = { type = "DOUBLE", unit = "ns", help = "90th percentile of the latency, interpolated" }
latency_p99_ns = { type = "DOUBLE", unit = "ns", help = "99th percentile of the latency, interpolated" }
latency_max_ns = { type = "BIGINT", unit = "ns", help = "Longest latency" }
delay_p90_ns = { type = "DOUBLE", unit = "ns", help = "90th percentile of the delay, interpolated" }
delay_p99_ns = { type = "DOUBLE", unit = "ns", help = "99th percentile of the delay, interpolated" }
delay_max_ns = { type = "BIGINT", unit = "ns", help = "Longest delay" }
device_total_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations of the operations" }
device_median_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Median duration of the work of one call" }
launch_bound_share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "n_launch_bound / n_calls" }
n_slow_calls = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls longer than slow_call_ns" }

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "Kind of the first operation of each call"

[column.call_p90_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "90th percentile of the duration of a call, interpolated"

[column.call_p99_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99th percentile of the duration of a call, interpolated"

[column.latency_median_ns]
type = "DOUBLE"
unit = "ns"
help = "Median time from the start of the call to the start of its work"

[column.delay_median_ns]
type = "DOUBLE"
unit = "ns"
help = "Median time from the return of the call to the start of its work"

[column.n_launch_bound]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls longer than all work they caused"

[column.n_long_delays]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls whose work began more than long_delay_ns after they returned"

[column.n_before_call]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls that began after their work: inconsistent clocks"

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
    device_ns,
    inside_ns,
    inside_device_ns
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
    sum(inside_ns)::BIGINT AS call_total_ns,
    quantile_cont(call_ns, [0.5, 0.9, 0.99]) AS call_quantiles_ns,
    max(call_ns) AS call_max_ns,
    quantile_cont(latency_ns, [0.5, 0.9, 0.99]) AS latency_quantiles_ns,
    max(latency_ns) AS latency_max_ns,
    quantile_cont(delay_ns, [0.5, 0.9, 0.99]) AS delay_quantiles_ns,
    max(delay_ns) AS delay_max_ns,
    sum(inside_device_ns)::BIGINT AS device_total_ns,
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
