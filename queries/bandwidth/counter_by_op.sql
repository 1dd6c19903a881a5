/* ---
name = "counter_by_op"
version = 1
title = "Hardware counters of each operator: sums and averages over its kernels"
help = """
A kernel counts for the innermost operator around the call that launched it. Ranges of CUPTI's range
profiler are matched with calls by their order, and only where a trace has as many calls that launch
a kernel as ranges; where not, and for kernels launched outside of operators, the operator is NULL.
"""
grain = ["trace_id", "cpu_op", "counter"]
portable = false
requires = { schema = ">=1", queries = ["counter_cause@1"] }

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
name = "cpu_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The operator; NULL: not known, or outside of all operators"

[[column]]
name = "counter"
type = "VARCHAR"
unit = "text"
help = "The source's name of the counter"

[[column]]
name = "n_kernels"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels with a value"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Calls of the operator that launched them; 0 where the operator is NULL"

[[column]]
name = "sum_value"
type = "DOUBLE"
unit = "see metric.unit"
help = "Sum over the kernels"

[[column]]
name = "mean_value"
type = "DOUBLE"
unit = "see metric.unit"
help = "sum_value / n_kernels"

[[column]]
name = "per_call_value"
type = "DOUBLE"
unit = "see metric.unit"
nullable = true
help = "sum_value / n_calls; NULL where the operator is NULL"

[[column]]
name = "min_value"
type = "DOUBLE"
unit = "see metric.unit"
help = "Least of one kernel"

[[column]]
name = "max_value"
type = "DOUBLE"
unit = "see metric.unit"
help = "Most of one kernel"

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
  LEFT JOIN cpu_op AS o ON o.slice_id = c.cpu_op_id
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
