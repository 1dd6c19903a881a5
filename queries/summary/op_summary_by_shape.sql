/* ---
name = "op_summary_by_shape"
version = 1
title = "Host operators by name and shapes of inputs: host and device time, own and in all; those with most host time of their own first"
help = """
self_ns is the time of a call without that of the slices directly below it, of any category; a call
shorter than their sum counts 0 ns. Totals count what happens in a call that lies in another of the
same name once, in the outer one; torch's key_averages adds up all calls, which is n_calls * mean_ns.
Device times add the durations of kernels, copies and memsets: what overlaps counts twice, and what
was launched outside of operators is in none. Lengths below 0, also of what never ended, count 0 ns.
The rows of a name add up to its row of op_summary: a call in another of the same name is left out
of the totals whatever its shapes are.
"""
grain = ["trace_id", "name", "input_dims_json", "input_type_json"]
portable = false
requires = { schema = ">=1", queries = ["op_call@1"] }

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
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The operator"

[[column]]
name = "input_dims_json"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Shapes of its inputs, as recorded; NULL: the recording has none"

[[column]]
name = "input_type_json"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of its inputs, as recorded; NULL: the recording has none"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was called"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the times of the calls without the slices directly below"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of the calls that lie in no other call of the name"

[[column]]
name = "self_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "self_ns of that of all operators of the trace; NULL when that is 0"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest call"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest call"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean over all calls; times n_calls it is the sum of all durations"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median over all calls; between the two middle ones of an even number"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "90th percentile over all calls, interpolated"

[[column]]
name = "p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99th percentile over all calls, interpolated"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets launched in its calls, each once"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of those its calls launched themselves"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of all of them"

[[column]]
name = "self_device_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "self_device_ns of that of all operators of the trace; NULL when that is 0"

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
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.dur_ns END)::BIGINT AS total_ns,
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
