/* ---
name = "compare_summary"
version = 3
title = "Key figures of two sides, per step or per trace"
help = """
All traces of a side are combined, so there are no run or rank columns. step_time is the host
duration of steps. device_time, compute_time, communication_time and memory_time sum durations,
including work that overlaps. device_busy, exposed_communication and exposed_memory are lengths of
unions of intervals, summed over devices, per step those of the work launched in the step.
operator_time is the self time of host operators (op_by_step). device_time_outside and
operator_time_outside are what lies outside of whole steps; they are not compared.

basis is step if both sides have steps: figures are means over the steps of a trace, then over
traces; else trace (see compare_unit). What one side did not record is not compared: basis, figures
and change are NULL, and not_compared is the reason.

t is Welch's t over steps, (mean b - mean a) / sqrt(variance a / n a + variance b / n b); a step
without any counts as 0. p is the two-sided probability of a t at least this far from 0 if the means
were equal. Both are NULL without steps, if a side has fewer than two, or neither side varies. Steps
are assumed independent, and p is not corrected for the number of rows.
"""
grain = ["measure"]
requires = { schema = ">=1", queries = ["compare_size@2", "compare_step@1", "compare_unit@1", "device_activity@2", "device_work_by_step@1", "op_by_step@2", "quadrature_node@1", "step_activity@1"] }
portable = false
columns = [
  "measure", "unit", "basis", "not_compared", "basis_a", "basis_b", "change", "change_ratio",
  "total_a", "total_b", "n_traces_a", "n_traces_b", "n_steps_a", "n_steps_b", "t",
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
basis_a = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Figure of side a per step and rank, or per trace; NULL: not compared" }
basis_b = { type = "DOUBLE", unit = "see unit", nullable = true, help = "As basis_a, of side b" }
change = { type = "DOUBLE", unit = "see unit", nullable = true, help = "basis_b - basis_a" }
change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "change / basis_a; NULL if basis_a is 0 or NULL" }
total_b = { type = "BIGINT", unit = "see unit", nullable = true, check = ">= 0", help = "As total_a, of side b" }
n_steps_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of whole steps of side a" }
n_steps_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of whole steps of side b" }

[column.basis]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('step', 'trace')"
help = "step: figures are per step and rank; trace: per trace; NULL: not compared"

[column.not_compared]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Why it is not compared; NULL: it is"

[column.total_a]
type = "BIGINT"
unit = "see unit"
nullable = true
check = ">= 0"
help = "Sum over side a, of whole steps if basis is step; NULL: not recorded on side a"

[column.t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Welch's t of the figures per step; above 0: more on side b"

[changes]
1 = "first version"
2 = "change_ratio is NULL for steps and operators missing on side b, as with another profiler"
3 = "compares per step and rank, what lies outside of whole steps in rows of its own; what one side did not record is NULL and named in not_compared; operator_time includes slices that are not operators"
--- */
WITH unit AS MATERIALIZED (
  SELECT subject, side, trace_id, n_steps, basis, divisor, not_compared
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
),
size AS (
  SELECT
    subject,
    max(basis) AS basis,
    max(not_compared) AS not_compared,
    sum(CASE WHEN side = 'a' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN side = 'b' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b
  FROM unit
  GROUP BY subject
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
-- Unions are per step, else per trace: both are computed, and one is used.
union_length AS (
  SELECT trace_id, step_id, 'step' AS basis, sum(busy_ns)::BIGINT AS busy_ns,
    sum(exposed_communication_ns)::BIGINT AS exposed_communication_ns,
    sum(exposed_memory_ns)::BIGINT AS exposed_memory_ns
  FROM step_activity()
  GROUP BY trace_id, step_id
  UNION ALL
  SELECT trace_id, NULL, 'trace', sum(busy_ns)::BIGINT, sum(exposed_communication_ns)::BIGINT,
    sum(exposed_memory_ns)::BIGINT
  FROM device_activity()
  GROUP BY trace_id
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
),
known AS (
  SELECT CAST(place AS BIGINT) AS place, measure, unit, subject, outside
  FROM (VALUES
  (1, 'step_time', 'ns', 'steps', NULL),
  (2, 'device_time', 'ns', 'device', 'device_time_outside'),
  (3, 'compute_time', 'ns', 'device', NULL),
  (4, 'communication_time', 'ns', 'device', NULL),
  (5, 'memory_time', 'ns', 'device', NULL),
  (6, 'device_busy', 'ns', 'device', NULL),
  (7, 'exposed_communication', 'ns', 'device', NULL),
  (8, 'exposed_memory', 'ns', 'device', NULL),
  (9, 'operator_time', 'ns', 'operators', 'operator_time_outside'),
  (10, 'n_device_ops', 'count', 'device', NULL),
  (11, 'n_operator_calls', 'count', 'operators', NULL),
  (12, 'device_time_outside', 'ns', 'device', NULL),
  (13, 'operator_time_outside', 'ns', 'operators', NULL)
  ) AS list(place, measure, unit, subject, outside)
),
placed AS (
  SELECT
    u.side,
    v.trace_id,
    v.step_id,
    CASE
      WHEN u.basis IS NULL OR u.divisor IS NOT NULL AND (u.basis = 'trace' OR s.step_id IS NOT NULL)
      THEN v.measure
      ELSE k.outside
    END AS measure,
    v.value,
    u.divisor
  FROM value AS v
  JOIN known AS k ON k.measure = v.measure
  JOIN unit AS u ON u.trace_id = v.trace_id AND u.subject = k.subject
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s ON s.side = u.side AND s.step_id = v.step_id
  UNION ALL
  SELECT u.side, v.trace_id, v.step_id, v.measure, v.value, u.divisor
  FROM (
    SELECT trace_id, step_id, basis, 'device_busy' AS measure, busy_ns AS value FROM union_length
    UNION ALL
    SELECT trace_id, step_id, basis, 'exposed_communication', exposed_communication_ns
    FROM union_length
    UNION ALL
    SELECT trace_id, step_id, basis, 'exposed_memory', exposed_memory_ns FROM union_length
  ) AS v
  JOIN unit AS u
    ON u.trace_id = v.trace_id AND u.subject = 'device' AND coalesce(u.basis, 'trace') = v.basis
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s ON s.side = u.side AND s.step_id = v.step_id
  WHERE v.basis = 'trace' OR u.divisor IS NOT NULL AND s.step_id IS NOT NULL
),
by_trace AS (
  SELECT side, measure, sum(value) AS value, sum(value) / max(divisor) AS per_unit
  FROM placed
  WHERE measure IS NOT NULL
  GROUP BY side, measure, trace_id
),
summed AS (
  -- Sums in order of size do not depend on the order of the traces.
  SELECT side, measure, sum(value)::BIGINT AS value,
    list_sum(list(per_unit ORDER BY per_unit)) AS per_unit
  FROM by_trace
  GROUP BY side, measure
),
sample AS (
  SELECT side, measure, trace_id, step_id, CAST(sum(value) AS DOUBLE) AS ns
  FROM placed
  WHERE measure IS NOT NULL AND measure NOT LIKE '%_outside' AND step_id IS NOT NULL
  GROUP BY side, measure, trace_id, step_id
),
-- Whether a side recorded the subject at all.
present AS (
  SELECT k.subject, s.side
  FROM summed AS s
  JOIN known AS k ON k.measure = s.measure
  GROUP BY k.subject, s.side
),
figure AS (
  SELECT
    k.place,
    k.measure,
    k.unit,
    CASE WHEN k.measure NOT LIKE '%_outside' THEN z.basis END AS basis,
    CASE
      WHEN k.measure LIKE '%_outside' THEN 'outside of whole steps'
      ELSE z.not_compared
    END AS not_compared,
    z.n_steps_a,
    z.n_steps_b,
    CASE WHEN pa.side IS NOT NULL THEN coalesce(a.value, 0) END AS total_a,
    CASE WHEN pb.side IS NOT NULL THEN coalesce(b.value, 0) END AS total_b,
    CASE WHEN z.basis IS NOT NULL AND k.measure NOT LIKE '%_outside' THEN coalesce(a.per_unit, 0) END
      AS basis_a,
    CASE WHEN z.basis IS NOT NULL AND k.measure NOT LIKE '%_outside' THEN coalesce(b.per_unit, 0) END
      AS basis_b
  FROM known AS k
  JOIN size AS z ON z.subject = k.subject
  LEFT JOIN present AS pa ON pa.subject = k.subject AND pa.side = 'a'
  LEFT JOIN present AS pb ON pb.subject = k.subject AND pb.side = 'b'
  LEFT JOIN summed AS a ON a.side = 'a' AND a.measure = k.measure
  LEFT JOIN summed AS b ON b.side = 'b' AND b.measure = k.measure
),
changed AS (
  SELECT
    *,
    -- Less than a part in 10^12 is rounding.
    CASE
      WHEN abs(basis_b - basis_a) <= 1e-12 * greatest(basis_a, basis_b) THEN 0
      ELSE basis_b - basis_a
    END AS change
  FROM figure
),
-- Significance
moment_centred AS (
  SELECT side, measure, n_steps, ns, sum(ns) OVER (PARTITION BY side, measure) / n_steps AS mean_ns
  FROM (
    SELECT s.*, CASE s.side WHEN 'a' THEN f.n_steps_a ELSE f.n_steps_b END AS n_steps
    FROM sample AS s
    JOIN figure AS f ON f.measure = s.measure
    WHERE f.basis = 'step'
  )
),
-- Variance over the steps of a side; steps without a row count as 0.
moment AS (
  SELECT
    side,
    measure,
    -- Summing in order of magnitude keeps the last digit independent of the number of threads.
    (list_sum(list((ns - mean_ns) * (ns - mean_ns) ORDER BY abs(ns - mean_ns))) + (max(n_steps) - count(*)) * max(mean_ns * mean_ns))
      / nullif(max(n_steps) - 1, 0) AS variance
  FROM moment_centred
  GROUP BY side, measure
),
test_error AS (
  SELECT
    f.measure,
    f.change AS difference,
    coalesce(a.variance, 0) / f.n_steps_a AS error_a,
    coalesce(b.variance, 0) / f.n_steps_b AS error_b,
    f.n_steps_a,
    f.n_steps_b
  FROM changed AS f
  LEFT JOIN moment AS a ON a.side = 'a' AND a.measure = f.measure
  LEFT JOIN moment AS b ON b.side = 'b' AND b.measure = f.measure
  WHERE f.basis = 'step' AND f.n_steps_a > 1 AND f.n_steps_b > 1
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
)
SELECT
  f.measure,
  f.unit,
  f.basis,
  f.not_compared,
  f.basis_a,
  f.basis_b,
  f.change,
  f.change / nullif(f.basis_a, 0) AS change_ratio,
  f.total_a,
  f.total_b,
  z.n_traces_a,
  z.n_traces_b,
  z.n_steps_a,
  z.n_steps_b,
  e.t,
  e.degrees_of_freedom,
  e.p
FROM changed AS f
CROSS JOIN compare_size($a::VARCHAR, $b::VARCHAR) AS z
LEFT JOIN test AS e ON e.measure = f.measure
ORDER BY f.place
