/* ---
name = "compare_ops"
version = 1
title = "Host operators of two sides by name: self time and device time"
help = """
All traces of a side are combined, so there are no run or rank columns. self is the time of calls
without their direct children; device is the sum of the durations of device work for which this is
the innermost operator. Device work without an operator has the row (no operator), so the device
changes of all rows add up exactly to the change of device time.

per_step_a_ns and per_step_b_ns are means over the steps of a side; a step of a trace without such
work counts as 0. t is Welch's t, (mean b - mean a) / sqrt(variance a / n a + variance b / n b),
with Welch's degrees of freedom; p is the two-sided probability of a t at least this far from 0 if
the means were equal. Both are NULL if a side has fewer than two steps or neither side varies. Steps
are assumed independent, and p is not corrected for the number of rows.
"""
grain = ["name"]
requires = { schema = ">=1", queries = ["compare_side@1", "compare_size@1", "device_work_by_step@1", "op_by_step@1", "quadrature_node@1"] }
portable = false
columns = [
  "status", "name", "n_calls_a", "n_calls_b", "self_a_ns", "self_b_ns", "self_change_ns",
  "self_change_ratio", "share_of_self_change", "device_a_ns", "device_b_ns", "device_change_ns",
  "device_change_ratio", "share_of_device_change", "n_steps_a", "n_steps_b", "self_per_step_a_ns",
  "self_per_step_b_ns", "self_t", "self_degrees_of_freedom", "self_p", "device_per_step_a_ns",
  "device_per_step_b_ns", "device_t", "device_degrees_of_freedom", "device_p",
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
name = { nullable = false, help = "Operator name; (no operator): device work without an operator" }
n_calls_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls on side a" }
n_calls_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of calls on side b" }
self_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Self time on side a" }
self_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Self time on side b" }
self_change_ns = { type = "BIGINT", unit = "ns", help = "self_b_ns - self_a_ns" }
device_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As device_a_ns, on side b" }
device_change_ns = { type = "BIGINT", unit = "ns", help = "device_b_ns - device_a_ns" }
self_per_step_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As self_per_step_a_ns, on side b" }
device_per_step_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As device_per_step_a_ns, on side b" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'changed', 'same')"
help = "added, removed, changed or same (equal count and total time)"

[column.self_change_ratio]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "self_change_ns / self_a_ns; NULL if self_a_ns is 0"

[column.share_of_self_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "self_change_ns / change of all operators; NULL if that is 0"

[column.device_a_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of its device work on side a"

[column.share_of_device_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "device_change_ns / change of all device work; NULL if that is 0"

[column.self_per_step_a_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Mean self time per step on side a, excluding calls outside steps; NULL without steps"

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

[column.device_per_step_a_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Mean device time per step on side a, excluding work outside steps; NULL without steps"

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
called AS MATERIALIZED (
  SELECT c.side, c.n_steps, o.step_id, o.name, o.n_calls, o.self_ns
  FROM op_by_step() AS o
  JOIN side AS c ON c.trace_id = o.trace_id
),
worked AS MATERIALIZED (
  SELECT
    c.side,
    c.n_steps,
    w.step_id,
    coalesce(w.op_name, '(no operator)') AS name,
    sum(w.total_ns)::BIGINT AS total_ns
  FROM device_work_by_step() AS w
  JOIN side AS c ON c.trace_id = w.trace_id
  GROUP BY c.side, c.n_steps, w.step_id, coalesce(w.op_name, '(no operator)')
),
total AS (
  SELECT
    name,
    sum(CASE WHEN side = 'a' THEN n_calls ELSE 0 END)::BIGINT AS n_calls_a,
    sum(CASE WHEN side = 'b' THEN n_calls ELSE 0 END)::BIGINT AS n_calls_b,
    sum(CASE WHEN side = 'a' THEN self_ns ELSE 0 END)::BIGINT AS self_a_ns,
    sum(CASE WHEN side = 'b' THEN self_ns ELSE 0 END)::BIGINT AS self_b_ns,
    sum(CASE WHEN side = 'a' THEN total_ns ELSE 0 END)::BIGINT AS device_a_ns,
    sum(CASE WHEN side = 'b' THEN total_ns ELSE 0 END)::BIGINT AS device_b_ns,
    max(CASE WHEN side = 'a' THEN 1 ELSE 0 END) AS is_in_a,
    max(CASE WHEN side = 'b' THEN 1 ELSE 0 END) AS is_in_b
  FROM (
    SELECT side, name, n_calls, self_ns, 0::BIGINT AS total_ns FROM called
    UNION ALL
    SELECT side, name, 0, 0, total_ns FROM worked
  )
  GROUP BY name
),
-- Both measures in one relation, distinguished by name.
stepped AS (
  SELECT side, 'self' AS measure, name, n_steps, step_id, CAST(self_ns AS DOUBLE) AS ns
  FROM called
  WHERE step_id IS NOT NULL
  UNION ALL
  SELECT side, 'device', name, n_steps, step_id, CAST(total_ns AS DOUBLE)
  FROM worked
  WHERE step_id IS NOT NULL
),
-- Mean and variance over the steps of a side; steps without a row count as 0.
moment_centred AS (
  SELECT side, measure, name, n_steps, ns, sum(ns) OVER (PARTITION BY side, measure, name) / n_steps AS mean_ns
  FROM stepped
),
moment AS (
  SELECT
    side,
    measure, name,
    max(mean_ns) AS mean_ns,
    -- Summing in order of magnitude keeps the last digit independent of the number of threads.
    (list_sum(list((ns - mean_ns) * (ns - mean_ns) ORDER BY abs(ns - mean_ns))) + (max(n_steps) - count(*)) * max(mean_ns * mean_ns))
      / nullif(max(n_steps) - 1, 0) AS variance
  FROM moment_centred
  GROUP BY side, measure, name
),
figure AS (
  SELECT
    t.name,
    k.measure,
    z.n_steps_a,
    z.n_steps_b,
    CASE WHEN z.n_steps_a > 0 THEN coalesce(ma.mean_ns, 0) END AS per_step_a_ns,
    CASE WHEN z.n_steps_b > 0 THEN coalesce(mb.mean_ns, 0) END AS per_step_b_ns,
    CASE WHEN z.n_steps_a > 1 THEN coalesce(ma.variance, 0) END AS variance_a,
    CASE WHEN z.n_steps_b > 1 THEN coalesce(mb.variance, 0) END AS variance_b
  FROM total AS t
  CROSS JOIN (SELECT 'self' AS measure UNION ALL SELECT 'device') AS k
  CROSS JOIN size AS z
  LEFT JOIN moment AS ma ON ma.side = 'a' AND ma.measure = k.measure AND ma.name = t.name
  LEFT JOIN moment AS mb ON mb.side = 'b' AND mb.measure = k.measure AND mb.name = t.name
),
test_error AS (
  SELECT
    name, measure,
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
    sum(t.self_b_ns - t.self_a_ns) OVER () AS all_self_ns,
    sum(t.device_b_ns - t.device_a_ns) OVER () AS all_device_ns
  FROM total AS t
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY
        abs(device_b_ns - device_a_ns) + abs(self_b_ns - self_a_ns) DESC,
        device_a_ns + self_a_ns DESC,
        name
    ) AS place
  FROM placed
  WHERE is_in_a = 0
    OR is_in_b = 0
    OR abs(self_b_ns - self_a_ns) >= $threshold::DOUBLE * self_a_ns
    OR abs(device_b_ns - device_a_ns) >= $threshold::DOUBLE * device_a_ns
)
SELECT
  CASE
    WHEN r.is_in_a = 0 THEN 'added'
    WHEN r.is_in_b = 0 THEN 'removed'
    WHEN r.n_calls_a = r.n_calls_b AND r.self_a_ns = r.self_b_ns AND r.device_a_ns = r.device_b_ns
      THEN 'same'
    ELSE 'changed'
  END AS status,
  r.name,
  r.n_calls_a,
  r.n_calls_b,
  r.self_a_ns,
  r.self_b_ns,
  r.self_b_ns - r.self_a_ns AS self_change_ns,
  (r.self_b_ns - r.self_a_ns) / nullif(r.self_a_ns, 0) AS self_change_ratio,
  CAST((r.self_b_ns - r.self_a_ns) / nullif(r.all_self_ns, 0) AS DOUBLE) AS share_of_self_change,
  r.device_a_ns,
  r.device_b_ns,
  r.device_b_ns - r.device_a_ns AS device_change_ns,
  (r.device_b_ns - r.device_a_ns) / nullif(r.device_a_ns, 0) AS device_change_ratio,
  CAST((r.device_b_ns - r.device_a_ns) / nullif(r.all_device_ns, 0) AS DOUBLE)
    AS share_of_device_change,
  fs.n_steps_a,
  fs.n_steps_b,
  fs.per_step_a_ns AS self_per_step_a_ns,
  fs.per_step_b_ns AS self_per_step_b_ns,
  es.t AS self_t,
  es.degrees_of_freedom AS self_degrees_of_freedom,
  es.p AS self_p,
  fd.per_step_a_ns AS device_per_step_a_ns,
  fd.per_step_b_ns AS device_per_step_b_ns,
  ed.t AS device_t,
  ed.degrees_of_freedom AS device_degrees_of_freedom,
  ed.p AS device_p
FROM shown AS r
JOIN figure AS fs ON fs.name = r.name AND fs.measure = 'self'
JOIN figure AS fd ON fd.name = r.name AND fd.measure = 'device'
LEFT JOIN test AS es ON es.name = r.name AND es.measure = 'self'
LEFT JOIN test AS ed ON ed.name = r.name AND ed.measure = 'device'
WHERE $top::BIGINT IS NULL OR r.place <= $top::BIGINT
ORDER BY r.place
