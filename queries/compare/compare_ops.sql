/* ---
name = "compare_ops"
version = 2
title = "Host operators of two sides by name: self time and device time"
help = """
All traces of a side are combined, so there are no run or rank columns. Figures are per step and
rank where both sides have steps, else per trace (basis, see compare_unit). self is the time of calls
without the operators in them (op_by_step); device is the sum of the durations of device work for
which this is the innermost operator. Device work without an operator has the row (no operator), so
the device changes of all rows add up to the change of device time. What is outside of whole steps
is not compared: it has the row (outside of steps).

If one side has no operators, or no launch events that lead from device work to them, columns of
self or of device are NULL, and not_compared is the reason; status is not_compared if neither can be
compared.

t is Welch's t over steps, (mean b - mean a) / sqrt(variance a / n a + variance b / n b); a step of
a trace without such work counts as 0. p is the two-sided probability of a t at least this far from
0 if the means were equal. Both are NULL without steps, if a side has fewer than two, or neither
side varies. Steps are assumed independent, and p is not corrected for the number of rows.
"""
grain = ["name"]
requires = { schema = ">=1", queries = ["compare_step@1", "compare_unit@1", "device_work_by_step@1", "op_by_step@2", "quadrature_node@1"] }
portable = false
columns = [
  "status", "not_compared", "name", "basis", "self_per_unit_a_ns", "self_per_unit_b_ns",
  "self_change_ns", "self_change_ratio", "share_of_self_change", "device_per_unit_a_ns",
  "device_per_unit_b_ns", "device_change_ns", "device_change_ratio", "share_of_device_change",
  "rate_a", "rate_b", "n_calls_a", "n_calls_b", "self_a_ns", "self_b_ns", "device_a_ns",
  "device_b_ns", "n_steps_a", "n_steps_b", "self_t", "self_degrees_of_freedom", "self_p",
  "device_t", "device_degrees_of_freedom", "device_p",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of rows; null: all"

[param.threshold]
type = "DOUBLE"
unit = "ratio"
default = 0
min = 0
help = "Minimum relative change of a row to be returned; added and removed rows always are"

[column]
name = { nullable = false, help = "Operator name; (no operator): device work without an operator; (outside of steps)" }
rate_a = { type = "DOUBLE", unit = "ratio", nullable = true, help = "Calls per step and rank, or per trace, on side a; NULL: not compared" }
rate_b = { type = "DOUBLE", unit = "ratio", nullable = true, help = "As rate_a, on side b" }
n_calls_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls on side a" }
n_calls_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls on side b" }
self_per_unit_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Self time per step and rank, or per trace, on side a; NULL: not compared" }
self_per_unit_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As self_per_unit_a_ns, on side b" }
self_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "self_per_unit_b_ns - self_per_unit_a_ns" }
self_change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "self_change_ns / self_per_unit_a_ns; NULL if that is 0" }
device_per_unit_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As device_per_unit_a_ns, on side b" }
device_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "device_per_unit_b_ns - device_per_unit_a_ns" }
device_change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "device_change_ns / device_per_unit_a_ns; NULL if that is 0" }
self_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Self time on side a, of whole steps if basis is step" }
self_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As self_a_ns, on side b" }
device_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As device_a_ns, on side b" }
n_steps_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of whole steps compared of side a" }
n_steps_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_steps_a, of side b" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'changed', 'same', 'outside', 'not_compared')"
help = "added, removed, changed, same (equal count and time), outside (of whole steps), or not_compared"

[column.not_compared]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Why self or device times are not compared; NULL: both are"

[column.basis]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('step', 'trace')"
help = "step: figures are per step and rank; trace: per trace; NULL: not compared"

[column.share_of_self_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "self_change_ns / change of all operators; NULL if that is 0"

[column.device_per_unit_a_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Time of its device work per step and rank, or per trace, on side a; NULL: not compared"

[column.share_of_device_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "device_change_ns / change of all device work; NULL if that is 0"

[column.device_a_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of its device work on side a, of whole steps if basis is step"

[column.self_t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Welch's t of the self times; above 0: longer on side b"

[column.self_degrees_of_freedom]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Degrees of freedom of self_t, after Welch and Satterthwaite"

[column.self_p]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Two-sided probability of self_t by chance"

[column.device_t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Welch's t of the device times; above 0: longer on side b"

[column.device_degrees_of_freedom]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Degrees of freedom of device_t, after Welch and Satterthwaite"

[column.device_p]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Two-sided probability of device_t by chance"

[changes]
1 = "first version"
2 = "compares per step and rank, calls outside of whole steps in a row of their own; what one side did not record is not compared; self time includes slices that are not operators"
--- */
WITH unit AS MATERIALIZED (
  SELECT CASE subject WHEN 'operators' THEN 'self' ELSE 'device' END AS measure, side, trace_id,
    n_steps, basis, divisor, not_compared
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject IN ('operators', 'operator_device')
),
counted AS (
  SELECT
    measure,
    max(basis) AS basis,
    max(not_compared) AS not_compared,
    sum(CASE WHEN side = 'a' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN side = 'b' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b
  FROM unit
  GROUP BY measure
),
-- Device work that is only known per trace is not compared beside operators per step.
size AS (
  SELECT
    c.measure,
    CASE WHEN c.basis = s.basis THEN c.basis END AS basis,
    CASE
      WHEN c.basis <> s.basis THEN 'the steps of device work are not known'
      ELSE c.not_compared
    END AS not_compared,
    c.n_steps_a,
    c.n_steps_b
  FROM counted AS c
  JOIN counted AS s ON s.measure = 'self'
),
-- Both measures in one relation, distinguished by name.
recorded AS (
  SELECT 'self' AS measure, trace_id, step_id, name, n_calls, self_ns AS ns
  FROM op_by_step()
  UNION ALL
  SELECT 'device', trace_id, step_id, coalesce(op_name, '(no operator)'), 0, sum(total_ns)::BIGINT
  FROM device_work_by_step()
  GROUP BY trace_id, step_id, coalesce(op_name, '(no operator)')
),
work AS MATERIALIZED (
  SELECT
    u.side,
    r.measure,
    r.trace_id,
    r.step_id,
    CASE
      WHEN u.basis IS NULL OR u.divisor IS NOT NULL AND (u.basis = 'trace' OR s.step_id IS NOT NULL)
      THEN r.name
      ELSE '(outside of steps)'
    END AS name,
    r.n_calls,
    r.ns,
    u.divisor
  FROM recorded AS r
  JOIN unit AS u ON u.trace_id = r.trace_id AND u.measure = r.measure
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s
    ON s.side = u.side AND s.step_id = r.step_id
),
by_trace AS (
  SELECT side, measure, name, sum(n_calls) AS n_calls, sum(ns) AS ns,
    sum(n_calls) / max(divisor) AS rate, sum(ns) / max(divisor) AS per_unit_ns
  FROM work
  GROUP BY side, measure, name, trace_id
),
summed AS (
  SELECT side, measure, name, sum(n_calls)::BIGINT AS n_calls, sum(ns)::BIGINT AS ns,
    -- Sums in order of size do not depend on the order of the traces.
    round(list_sum(list(rate ORDER BY rate)), 9) AS rate,
    list_sum(list(per_unit_ns ORDER BY per_unit_ns)) AS per_unit_ns
  FROM by_trace
  GROUP BY side, measure, name
),
sample AS (
  SELECT side, measure, name, trace_id, step_id, CAST(ns AS DOUBLE) AS ns
  FROM work
  WHERE name <> '(outside of steps)' AND step_id IS NOT NULL
),
total AS (
  SELECT
    name,
    max(CASE WHEN s.side = 'a' THEN 1 ELSE 0 END) AS is_in_a,
    max(CASE WHEN s.side = 'b' THEN 1 ELSE 0 END) AS is_in_b,
    sum(CASE WHEN s.side = 'a' THEN s.n_calls ELSE 0 END)::BIGINT AS n_calls_a,
    sum(CASE WHEN s.side = 'b' THEN s.n_calls ELSE 0 END)::BIGINT AS n_calls_b,
    max(CASE WHEN s.side = 'a' AND s.measure = 'self' THEN s.rate END) AS rate_a,
    max(CASE WHEN s.side = 'b' AND s.measure = 'self' THEN s.rate END) AS rate_b
  FROM summed AS s
  JOIN size AS z ON z.measure = s.measure
  WHERE z.basis IS NOT NULL
    OR s.name = '(outside of steps)'
    OR (SELECT max(basis) FROM size) IS NULL
  GROUP BY s.name
),
figure AS (
  SELECT
    t.name,
    z.measure,
    z.basis,
    z.not_compared,
    z.n_steps_a,
    z.n_steps_b,
    coalesce(a.ns, 0) AS total_a_ns,
    coalesce(b.ns, 0) AS total_b_ns,
    CASE WHEN z.basis IS NOT NULL AND t.name <> '(outside of steps)' THEN coalesce(a.per_unit_ns, 0) END
      AS per_unit_a_ns,
    CASE WHEN z.basis IS NOT NULL AND t.name <> '(outside of steps)' THEN coalesce(b.per_unit_ns, 0) END
      AS per_unit_b_ns
  FROM total AS t
  CROSS JOIN size AS z
  LEFT JOIN summed AS a ON a.side = 'a' AND a.measure = z.measure AND a.name = t.name
  LEFT JOIN summed AS b ON b.side = 'b' AND b.measure = z.measure AND b.name = t.name
),
changed AS (
  SELECT
    *,
    -- Less than a part in 10^12 is rounding.
    CASE
      WHEN abs(per_unit_b_ns - per_unit_a_ns) <= 1e-12 * greatest(per_unit_a_ns, per_unit_b_ns)
      THEN 0
      ELSE per_unit_b_ns - per_unit_a_ns
    END AS change_ns
  FROM figure
),
-- Significance
moment_centred AS (
  SELECT side, measure, name, n_steps, ns, sum(ns) OVER (PARTITION BY side, measure, name) / n_steps AS mean_ns
  FROM (
    SELECT s.*, CASE s.side WHEN 'a' THEN z.n_steps_a ELSE z.n_steps_b END AS n_steps
    FROM sample AS s
    JOIN size AS z ON z.measure = s.measure
    WHERE z.basis = 'step'
  )
),
-- Variance over the steps of a side; steps without a row count as 0.
moment AS (
  SELECT
    side,
    measure, name,
    -- Summing in order of magnitude keeps the last digit independent of the number of threads.
    (list_sum(list((ns - mean_ns) * (ns - mean_ns) ORDER BY abs(ns - mean_ns))) + (max(n_steps) - count(*)) * max(mean_ns * mean_ns))
      / nullif(max(n_steps) - 1, 0) AS variance
  FROM moment_centred
  GROUP BY side, measure, name
),
test_error AS (
  SELECT
    f.name, f.measure,
    f.change_ns AS difference,
    coalesce(a.variance, 0) / f.n_steps_a AS error_a,
    coalesce(b.variance, 0) / f.n_steps_b AS error_b,
    f.n_steps_a,
    f.n_steps_b
  FROM changed AS f
  LEFT JOIN moment AS a ON a.side = 'a' AND a.measure = f.measure AND a.name = f.name
  LEFT JOIN moment AS b ON b.side = 'b' AND b.measure = f.measure AND b.name = f.name
  WHERE f.basis = 'step' AND f.n_steps_a > 1 AND f.n_steps_b > 1
    AND f.name <> '(outside of steps)'
),
test_t AS (
  SELECT
    name, measure,
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
    name, measure,
    t,
    degrees_of_freedom,
    atan(abs(t) / sqrt(degrees_of_freedom)) AS low,
    least(pi() / 2, atan(abs(t) / sqrt(degrees_of_freedom)) + 12 / sqrt(degrees_of_freedom)) AS high,
    least(pi() / 2, 12 / sqrt(degrees_of_freedom)) AS high_of_all
  FROM test_t
),
test AS (
  SELECT
    e.name, e.measure,
    max(e.t) AS t,
    max(e.degrees_of_freedom) AS degrees_of_freedom,
    least(
      list_sum(list((e.high - e.low) * q.weight * pow(greatest(cos(e.low + (e.high - e.low) * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node))
        / list_sum(list(e.high_of_all * q.weight * pow(greatest(cos(e.high_of_all * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node)),
      1
    ) AS p
  FROM test_bound AS e
  CROSS JOIN quadrature_node() AS q
  GROUP BY e.name, e.measure
),
placed AS (
  SELECT
    t.*,
    fs.basis AS self_basis,
    fd.basis AS device_basis,
    coalesce(fs.not_compared, fd.not_compared) AS not_compared,
    fs.total_a_ns AS self_a_ns,
    fs.total_b_ns AS self_b_ns,
    fd.total_a_ns AS device_a_ns,
    fd.total_b_ns AS device_b_ns,
    fs.per_unit_a_ns AS self_per_unit_a_ns,
    fs.per_unit_b_ns AS self_per_unit_b_ns,
    fd.per_unit_a_ns AS device_per_unit_a_ns,
    fd.per_unit_b_ns AS device_per_unit_b_ns,
    fs.change_ns AS self_change_ns,
    fd.change_ns AS device_change_ns,
    sum(fs.change_ns) OVER () AS all_self_ns,
    sum(fd.change_ns) OVER () AS all_device_ns,
    greatest(fs.n_steps_a, fd.n_steps_a) AS n_steps_a,
    greatest(fs.n_steps_b, fd.n_steps_b) AS n_steps_b
  FROM total AS t
  JOIN changed AS fs ON fs.name = t.name AND fs.measure = 'self'
  JOIN changed AS fd ON fd.name = t.name AND fd.measure = 'device'
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY
        CASE WHEN name = '(outside of steps)' THEN 1 ELSE 0 END,
        coalesce(abs(device_change_ns), 0) + coalesce(abs(self_change_ns), 0) DESC,
        coalesce(device_per_unit_a_ns, 0) + coalesce(self_per_unit_a_ns, 0) DESC,
        device_a_ns + self_a_ns + device_b_ns + self_b_ns DESC,
        name
    ) AS place
  FROM placed
  WHERE is_in_a = 0
    OR is_in_b = 0
    OR name = '(outside of steps)'
    OR self_basis IS NULL AND device_basis IS NULL
    OR abs(self_change_ns) >= $threshold::DOUBLE * self_per_unit_a_ns
    OR abs(device_change_ns) >= $threshold::DOUBLE * device_per_unit_a_ns
)
SELECT
  CASE
    WHEN r.name = '(outside of steps)' THEN 'outside'
    WHEN r.self_basis IS NULL AND r.device_basis IS NULL THEN 'not_compared'
    WHEN r.is_in_a = 0 THEN 'added'
    WHEN r.is_in_b = 0 THEN 'removed'
    WHEN coalesce(r.self_change_ns, 0) = 0 AND coalesce(r.device_change_ns, 0) = 0
      AND r.rate_a IS NOT DISTINCT FROM r.rate_b
    THEN 'same'
    ELSE 'changed'
  END AS status,
  CASE WHEN r.name = '(outside of steps)' THEN 'outside of whole steps' ELSE r.not_compared END
    AS not_compared,
  r.name,
  CASE WHEN r.name <> '(outside of steps)' THEN coalesce(r.self_basis, r.device_basis) END AS basis,
  r.self_per_unit_a_ns,
  r.self_per_unit_b_ns,
  r.self_change_ns,
  r.self_change_ns / nullif(r.self_per_unit_a_ns, 0) AS self_change_ratio,
  r.self_change_ns / nullif(r.all_self_ns, 0) AS share_of_self_change,
  r.device_per_unit_a_ns,
  r.device_per_unit_b_ns,
  r.device_change_ns,
  r.device_change_ns / nullif(r.device_per_unit_a_ns, 0) AS device_change_ratio,
  r.device_change_ns / nullif(r.all_device_ns, 0) AS share_of_device_change,
  CASE WHEN r.self_basis IS NOT NULL AND r.name <> '(outside of steps)' THEN coalesce(r.rate_a, 0) END
    AS rate_a,
  CASE WHEN r.self_basis IS NOT NULL AND r.name <> '(outside of steps)' THEN coalesce(r.rate_b, 0) END
    AS rate_b,
  r.n_calls_a,
  r.n_calls_b,
  r.self_a_ns,
  r.self_b_ns,
  r.device_a_ns,
  r.device_b_ns,
  r.n_steps_a,
  r.n_steps_b,
  es.t AS self_t,
  es.degrees_of_freedom AS self_degrees_of_freedom,
  es.p AS self_p,
  ed.t AS device_t,
  ed.degrees_of_freedom AS device_degrees_of_freedom,
  ed.p AS device_p
FROM shown AS r
LEFT JOIN test AS es ON es.name = r.name AND es.measure = 'self'
LEFT JOIN test AS ed ON ed.name = r.name AND ed.measure = 'device'
WHERE $top::BIGINT IS NULL OR r.place <= $top::BIGINT OR r.name = '(outside of steps)'
ORDER BY r.place
