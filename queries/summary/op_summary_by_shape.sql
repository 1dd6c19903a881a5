/* ---
name = "op_summary_by_shape"
version = 1
title = "Host operators by name and input shapes: host and device time, self and total"
help = """
Ordered by self time. self_ns is the duration of a call minus its direct children of any category; a
call shorter than their sum counts as 0 ns. Totals count a call nested in another of the same name
once, in the outer one; torch's key_averages sums all calls, which is n_calls * mean_ns. Device
times sum the durations of kernels, copies and memsets: overlapping work counts twice, and work
launched outside operators does not count. Negative durations, including those of unfinished slices,
count as 0 ns. The rows of a name add up to its row in op_summary: a call nested in another of the
same name is excluded from the totals whatever its shapes are. In a time window a call counts if it
runs in it or its device work does: sums are of the parts inside the window, so disjoint windows add
up to the whole; other statistics are of whole durations.
"""
grain = ["trace_id", "name", "input_dims_json", "input_type_json"]
requires = { schema = ">=1", queries = ["op_call@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "name", "input_dims_json", "input_type_json", "n_calls", "self_ns",
  "total_ns", "self_share", "min_ns", "max_ns", "mean_ns", "median_ns", "p90_ns", "p99_ns",
  "n_device_ops", "self_device_ns", "total_device_ns", "self_device_share",
]

[column]
name.help = "Operator name"
n_calls.help = "Number of calls"
self_ns.help = "Sum of the self times of the calls"
total_ns.help = "Sum of the durations of calls not nested in another call of the same name"
min_ns.help = "Shortest call"
max_ns.help = "Longest call"
mean_ns.help = "Mean over all calls; n_calls * mean_ns is the sum of all durations"
median_ns.help = "Median over all calls; of an even number the mean of the middle two"
p90_ns.help = "90th percentile over all calls, interpolated"
p99_ns.help = "99th percentile over all calls, interpolated"
n_device_ops.help = "Number of kernels, copies and memsets launched in the calls, each once"
self_device_ns.help = "Sum of the durations of the work launched by the calls themselves"

[column.input_dims_json]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Input shapes, as recorded; NULL: not recorded"

[column.input_type_json]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Input types, as recorded; NULL: not recorded"

[changes]
1 = "first version"
--- */
WITH figure AS (
  SELECT
    c.trace_id,
    c.name,
    c.input_dims_json,
    c.input_type_json,
    count(*) AS n_calls,
    sum(c.self_ns)::BIGINT AS self_ns,
    sum(c.dur_ns)::BIGINT AS all_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.inside_ns END)::BIGINT AS total_ns,
    min(c.dur_ns) AS min_ns,
    max(c.dur_ns) AS max_ns,
    quantile_cont(c.dur_ns, [0.5, 0.9, 0.99]) AS percentiles_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.n_device_ops END)::BIGINT AS n_device_ops,
    sum(c.self_device_ns)::BIGINT AS self_device_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.device_ns END)::BIGINT AS total_device_ns
  FROM op_call() AS c
  GROUP BY c.trace_id, c.name, c.input_dims_json, c.input_type_json
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.name,
  a.input_dims_json,
  a.input_type_json,
  a.n_calls,
  a.self_ns,
  a.total_ns,
  a.self_ns / nullif(sum(a.self_ns) OVER (PARTITION BY a.trace_id), 0) AS self_share,
  a.min_ns,
  a.max_ns,
  a.all_ns / a.n_calls AS mean_ns,
  a.percentiles_ns[1] AS median_ns,
  a.percentiles_ns[2] AS p90_ns,
  a.percentiles_ns[3] AS p99_ns,
  a.n_device_ops,
  a.self_device_ns,
  a.total_device_ns,
  a.self_device_ns / nullif(sum(a.self_device_ns) OVER (PARTITION BY a.trace_id), 0)
    AS self_device_share
FROM figure AS a
JOIN trace AS t ON t.id = a.trace_id
ORDER BY t.run_id, t.rank, a.trace_id, a.self_ns DESC, a.total_ns DESC, a.name, a.input_dims_json, a.input_type_json
