/* ---
name = "counter_by_op"
version = 1
title = "Hardware counters per operator: sums and averages over its kernels"
help = """
A kernel counts for the innermost operator around the call that launched it. Ranges of CUPTI's range
profiler are matched with calls by order, and only if the trace has as many kernel-launching calls
as ranges; otherwise, and for kernels launched outside operators, the operator is NULL.
"""
grain = ["trace_id", "cpu_op", "counter"]
requires = { schema = ">=1", queries = ["counter_cause@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "cpu_op", "counter", "n_kernels", "n_calls", "sum_value",
  "mean_value", "per_call_value", "min_value", "max_value",
]

[column]
cpu_op.help = "Operator; NULL: unknown, or outside operators"
n_kernels.help = "Number of kernels with a value"
sum_value = { type = "DOUBLE", unit = "see metric.unit", help = "Sum over the kernels" }
mean_value = { type = "DOUBLE", unit = "see metric.unit", help = "sum_value / n_kernels" }
min_value = { type = "DOUBLE", unit = "see metric.unit", help = "Lowest value of one kernel" }
max_value = { type = "DOUBLE", unit = "see metric.unit", help = "Highest value of one kernel" }

[column.n_calls]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of calls of the operator that launched the kernels; 0 if the operator is NULL"

[column.per_call_value]
type = "DOUBLE"
unit = "see metric.unit"
nullable = true
help = "sum_value / n_calls; NULL if the operator is NULL"

[changes]
1 = "first version"
--- */
WITH by_operator AS (
  SELECT
    m.trace_id,
    o.name AS cpu_op,
    m.name AS counter,
    count(*) AS n_kernels,
    count(DISTINCT c.cpu_op_id) AS n_calls,
    sum(m.value) AS sum_value,
    min(m.value) AS min_value,
    max(m.value) AS max_value
  FROM metric AS m
  LEFT JOIN counter_cause() AS c ON c.slice_id = m.slice_id
  LEFT JOIN whole_cpu_op AS o ON o.slice_id = c.cpu_op_id
  WHERE m.slice_id IS NOT NULL AND m.value IS NOT NULL
  GROUP BY m.trace_id, o.name, m.name
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  b.cpu_op,
  b.counter,
  b.n_kernels,
  b.n_calls,
  b.sum_value,
  b.sum_value / b.n_kernels AS mean_value,
  b.sum_value / nullif(b.n_calls, 0) AS per_call_value,
  b.min_value,
  b.max_value
FROM by_operator AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.counter, b.sum_value DESC, b.cpu_op
