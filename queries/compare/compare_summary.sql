/* ---
name = "compare_summary"
version = 2
title = "Key figures of two sides, as totals and per step"
help = """
All traces of a side are combined, so there are no run or rank columns. step_time sums the host
durations of steps. device_time, compute_time, communication_time and memory_time sum durations,
including work that overlaps. device_busy, exposed_communication and exposed_memory are lengths of
unions of intervals, summed over devices. operator_time is the self time of host operators. A
measure that neither side has is 0 on both.

basis names the comparable figures: total if both sides have equally many traces and steps, else
step if both have steps, else trace. change_ratio compares the figures of that basis.

per_step_a and per_step_b are means over the steps of a side; a step without any counts as 0. t is
Welch's t, (mean b - mean a) / sqrt(variance a / n a + variance b / n b), with Welch's degrees of
freedom; p is the two-sided probability of a t at least this far from 0 if the means were equal.
Both are NULL if a side has fewer than two steps or neither side varies. Steps are assumed
independent, and p is not corrected for the number of rows.
"""
grain = ["measure"]
requires = { schema = ">=1", queries = ["compare_side@1", "compare_size@1", "device_activity@2", "device_work_by_step@1", "op_by_step@1", "quadrature_node@1"] }
portable = false
columns = [
  "measure", "unit", "total_a", "total_b", "change", "basis", "basis_a", "basis_b", "change_ratio",
  "n_traces_a", "n_traces_b", "n_steps_a", "n_steps_b", "per_step_a", "per_step_b", "t",
  "degrees_of_freedom", "p",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
measure = { type = "VARCHAR", unit = "text", help = "Name of the figure" }
unit = { type = "VARCHAR", unit = "text", help = "ns or count" }
total_a = { type = "BIGINT", unit = "see unit", check = ">= 0", help = "Figure of side a" }
total_b = { type = "BIGINT", unit = "see unit", check = ">= 0", help = "Figure of side b" }
change = { type = "BIGINT", unit = "see unit", help = "total_b - total_a" }
basis_b = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Compared figure of side b" }
per_step_b = { type = "DOUBLE", unit = "see unit", nullable = true, help = "As per_step_a, on side b" }

[column.basis]
type = "VARCHAR"
unit = "text"
check = "IN ('total', 'step', 'trace')"
help = "Basis of the comparison: total, step or trace"

[column.basis_a]
type = "DOUBLE"
unit = "see unit"
nullable = true
help = "Compared figure of side a: total, or mean per step or trace; NULL: no figure per step"

[column.change_ratio]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "(basis_b - basis_a) / basis_a; NULL if basis_a is 0, or if side b has no steps or operators at all, which means they were not recorded"

[column.per_step_a]
type = "DOUBLE"
unit = "see unit"
nullable = true
help = "Mean per step on side a; NULL without steps, and for unions of intervals"

[column.t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Welch's t of the figures per step; above 0: more on side b"

[changes]
1 = "first version"
2 = "change_ratio is NULL for steps and operators missing on side b, as with another profiler"
--- */
WITH size AS (
  SELECT n_traces_a, n_traces_b, n_steps_a, n_steps_b, basis
  FROM compare_size($a::VARCHAR, $b::VARCHAR)
),
side AS (
  SELECT c.side, c.trace_id, CASE c.side WHEN 'a' THEN z.n_steps_a ELSE z.n_steps_b END AS n_steps
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  CROSS JOIN size AS z
),
work AS MATERIALIZED (
  SELECT trace_id, step_id, class, sum(n_ops)::BIGINT AS n_ops, sum(total_ns)::BIGINT AS total_ns
  FROM device_work_by_step()
  GROUP BY trace_id, step_id, class
),
called AS MATERIALIZED (
  SELECT trace_id, step_id, sum(n_calls)::BIGINT AS n_calls, sum(self_ns)::BIGINT AS self_ns
  FROM op_by_step()
  GROUP BY trace_id, step_id
),
-- All figures of all steps; step NULL is what lies outside steps.
value AS (
  SELECT trace_id, slice_id AS step_id, 'step_time' AS measure, greatest(dur, 0) AS value
  FROM step
  UNION ALL
  SELECT trace_id, step_id, 'device_time', total_ns FROM work
  UNION ALL
  SELECT trace_id, step_id, class || '_time', total_ns FROM work
  UNION ALL
  SELECT trace_id, step_id, 'n_device_ops', n_ops FROM work
  UNION ALL
  SELECT trace_id, step_id, 'operator_time', self_ns FROM called
  UNION ALL
  SELECT trace_id, step_id, 'n_operator_calls', n_calls FROM called
  UNION ALL
  SELECT trace_id, NULL, 'device_busy', busy_ns FROM device_activity()
  UNION ALL
  SELECT trace_id, NULL, 'exposed_communication', exposed_communication_ns FROM device_activity()
  UNION ALL
  SELECT trace_id, NULL, 'exposed_memory', exposed_memory_ns FROM device_activity()
),
stepped AS (
  SELECT c.side, c.n_steps, v.step_id, v.measure, CAST(sum(v.value) AS DOUBLE) AS ns
  FROM value AS v
  JOIN side AS c ON c.trace_id = v.trace_id
  WHERE v.step_id IS NOT NULL
  GROUP BY c.side, c.n_steps, v.step_id, v.measure
),
-- Mean and variance over the steps of a side; steps without a row count as 0.
moment_centred AS (
  SELECT side, measure, n_steps, ns, sum(ns) OVER (PARTITION BY side, measure) / n_steps AS mean_ns
  FROM stepped
),
moment AS (
  SELECT
    side,
    measure,
    max(mean_ns) AS mean_ns,
    -- Summing in order of magnitude keeps the last digit independent of the number of threads.
    (list_sum(list((ns - mean_ns) * (ns - mean_ns) ORDER BY abs(ns - mean_ns))) + (max(n_steps) - count(*)) * max(mean_ns * mean_ns))
      / nullif(max(n_steps) - 1, 0) AS variance
  FROM moment_centred
  GROUP BY side, measure
),
total AS (
  SELECT
    v.measure,
    sum(CASE WHEN c.side = 'a' THEN v.value ELSE 0 END)::BIGINT AS total_a,
    sum(CASE WHEN c.side = 'b' THEN v.value ELSE 0 END)::BIGINT AS total_b
  FROM value AS v
  JOIN side AS c ON c.trace_id = v.trace_id
  GROUP BY v.measure
),
known AS (
  SELECT CAST(place AS BIGINT) AS place, measure, unit
  FROM (VALUES
  (1, 'step_time', 'ns'),
  (2, 'device_time', 'ns'),
  (3, 'compute_time', 'ns'),
  (4, 'communication_time', 'ns'),
  (5, 'memory_time', 'ns'),
  (6, 'device_busy', 'ns'),
  (7, 'exposed_communication', 'ns'),
  (8, 'exposed_memory', 'ns'),
  (9, 'operator_time', 'ns'),
  (10, 'n_device_ops', 'count'),
  (11, 'n_operator_calls', 'count')
  ) AS list(place, measure, unit)
),
figure AS (
  SELECT
    k.place,
    k.measure,
    k.unit,
    coalesce(t.total_a, 0) AS total_a,
    coalesce(t.total_b, 0) AS total_b,
    z.basis,
    z.n_traces_a,
    z.n_traces_b,
    z.n_steps_a,
    z.n_steps_b,
    k.measure IN ('device_busy', 'exposed_communication', 'exposed_memory') AS is_set,
    CASE WHEN z.n_steps_a > 0 THEN coalesce(ma.mean_ns, 0) END AS per_step_a_ns,
    CASE WHEN z.n_steps_b > 0 THEN coalesce(mb.mean_ns, 0) END AS per_step_b_ns,
    CASE WHEN z.n_steps_a > 1 THEN coalesce(ma.variance, 0) END AS variance_a,
    CASE WHEN z.n_steps_b > 1 THEN coalesce(mb.variance, 0) END AS variance_b
  FROM known AS k
  CROSS JOIN size AS z
  LEFT JOIN total AS t ON t.measure = k.measure
  LEFT JOIN moment AS ma ON ma.side = 'a' AND ma.measure = k.measure
  LEFT JOIN moment AS mb ON mb.side = 'b' AND mb.measure = k.measure
),
test_error AS (
  SELECT
    measure,
    per_step_b_ns - per_step_a_ns AS difference,
    variance_a / nullif(n_steps_a, 0) AS error_a,
    variance_b / nullif(n_steps_b, 0) AS error_b,
    n_steps_a,
    n_steps_b
  FROM figure
  WHERE n_steps_a > 1 AND n_steps_b > 1
),
test_t AS (
  SELECT
    measure,
    difference / sqrt(error_a + error_b) AS t,
    (error_a + error_b) * (error_a + error_b)
      / (error_a * error_a / (n_steps_a - 1) + error_b * error_b / (n_steps_b - 1))
      AS degrees_of_freedom
  FROM test_error
  WHERE error_a + error_b > 0
),
-- With t = sqrt(df) tan(x) the density of t becomes cos(x) ** (df - 1), which is negligible 12 /
-- sqrt(df) further on; p is its integral beyond |t| divided by that from 0.
test_bound AS (
  SELECT
    measure,
    t,
    degrees_of_freedom,
    atan(abs(t) / sqrt(degrees_of_freedom)) AS low,
    least(pi() / 2, atan(abs(t) / sqrt(degrees_of_freedom)) + 12 / sqrt(degrees_of_freedom)) AS high,
    least(pi() / 2, 12 / sqrt(degrees_of_freedom)) AS high_of_all
  FROM test_t
),
test AS (
  SELECT
    e.measure,
    max(e.t) AS t,
    max(e.degrees_of_freedom) AS degrees_of_freedom,
    least(
      list_sum(list((e.high - e.low) * q.weight * pow(greatest(cos(e.low + (e.high - e.low) * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node))
        / list_sum(list(e.high_of_all * q.weight * pow(greatest(cos(e.high_of_all * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node)),
      1
    ) AS p
  FROM test_bound AS e
  CROSS JOIN quadrature_node() AS q
  GROUP BY e.measure
),
based AS (
  SELECT
    *,
    CASE
      WHEN basis = 'total' THEN total_a
      WHEN basis = 'trace' THEN total_a / n_traces_a
      WHEN NOT is_set THEN per_step_a_ns
    END AS basis_a,
    CASE
      WHEN basis = 'total' THEN total_b
      WHEN basis = 'trace' THEN total_b / n_traces_b
      WHEN NOT is_set THEN per_step_b_ns
    END AS basis_b
  FROM figure
)
SELECT
  f.measure,
  f.unit,
  f.total_a,
  f.total_b,
  f.total_b - f.total_a AS change,
  f.basis,
  CAST(f.basis_a AS DOUBLE) AS basis_a,
  CAST(f.basis_b AS DOUBLE) AS basis_b,
  CASE
    WHEN f.total_b > 0 OR f.measure NOT IN ('step_time', 'operator_time', 'n_operator_calls')
    THEN (f.basis_b - f.basis_a) / nullif(f.basis_a, 0)
  END AS change_ratio,
  f.n_traces_a,
  f.n_traces_b,
  f.n_steps_a,
  f.n_steps_b,
  CASE WHEN NOT f.is_set THEN f.per_step_a_ns END AS per_step_a,
  CASE WHEN NOT f.is_set THEN f.per_step_b_ns END AS per_step_b,
  e.t,
  e.degrees_of_freedom,
  e.p
FROM based AS f
LEFT JOIN test AS e ON e.measure = f.measure
ORDER BY f.place
