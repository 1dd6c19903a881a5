/* ---
name = "compare_ops"
version = 4
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

t is the typical change between the steps of both sides, that is, of means without extreme steps, by
its standard error, which allows for correlated steps (step_change). p is the two-sided probability
of a t at least this far from 0 without a difference, q the p corrected for the number of rows of
the whole table. They hold for these recordings; with several runs on a side, the spread between
runs decides. p is NULL without two steps on each side, or if neither side varies.
"""
grain = ["name"]
requires = { schema = ">=1", queries = ["compare_position@1", "compare_step@1", "compare_unit@1", "device_work_by_step@2", "op_by_step@2", "step_change@1"] }
columns = [
  "status", "not_compared", "name", "basis", "self_per_unit_a_ns", "self_per_unit_b_ns",
  "self_change_ns", "self_change_ratio", "share_of_self_change", "device_per_unit_a_ns",
  "device_per_unit_b_ns", "device_change_ns", "device_change_ratio", "share_of_device_change",
  "rate_a", "rate_b", "n_calls_a", "n_calls_b", "self_a_ns", "self_b_ns", "device_a_ns",
  "device_b_ns", "n_steps_a", "n_steps_b",
  "self_typical_change_ns", "self_change_low_ns", "self_change_high_ns", "self_t",
  "self_degrees_of_freedom", "self_p", "self_q",
  "device_typical_change_ns", "device_change_low_ns", "device_change_high_ns", "device_t",
  "device_degrees_of_freedom", "device_p", "device_q",
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
device_change_ratio.help = "device_change_ns / device_per_unit_a_ns; NULL if that is 0"
self_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Self time on side a, of whole steps if basis is step" }
self_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As self_a_ns, on side b" }
device_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As device_a_ns, on side b" }
n_steps_a.help = "Number of whole steps compared of side a"
n_steps_b.help = "As n_steps_a, of side b"
self_typical_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Change of the mean self time of steps without extreme ones" }
self_change_low_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Lower end of the 95 % interval of self_typical_change_ns" }
self_change_high_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Upper end of the 95 % interval of self_typical_change_ns" }
self_q = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "As q of compare_kernels, over both kinds of time" }
device_typical_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Change of the mean device time of steps without extreme ones" }
device_change_low_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Lower end of the 95 % interval of device_typical_change_ns" }
device_change_high_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Upper end of the 95 % interval of device_typical_change_ns" }
device_q = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "As q of compare_kernels, over both kinds of time" }

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
help = "self_typical_change_ns by its standard error; above 0: longer on side b"

[column.self_degrees_of_freedom]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Degrees of freedom of self_t"

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
help = "device_typical_change_ns by its standard error; above 0: longer on side b"

[column.device_degrees_of_freedom]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Degrees of freedom of device_t"

[column.device_p]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Two-sided probability of device_t by chance"

[changes]
4 = "the same steps of ranks are averaged, also where ranks recorded different ones"
3 = "a time window contains its whole steps with all their device work"
1 = "first version"
2 = "compares per step and rank, calls outside of whole steps in a row of their own; what one side did not record is not compared; self time includes slices that are not operators; t allows for correlated and extreme steps; q and intervals"
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
  SELECT 'self' AS measure, trace_id, step_id, name, n_calls, self_ns AS ns, self_ns AS inside_ns, true AS is_inside
  FROM op_by_step()
  UNION ALL
  SELECT
    'device', trace_id, step_id, coalesce(op_name, '(no operator)'), 0, sum(total_ns)::BIGINT,
    sum(inside_ns)::BIGINT, sum(n_inside) > 0
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
    CASE WHEN u.basis = 'step' THEN r.ns ELSE r.inside_ns END AS ns,
    u.divisor
  FROM recorded AS r
  JOIN unit AS u ON u.trace_id = r.trace_id AND u.measure = r.measure
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s
    ON s.side = u.side AND s.step_id = r.step_id
  WHERE u.basis = 'step' OR r.is_inside
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
-- Significance, over traces that are included for all subjects. Row 0 has all their steps, so that
-- steps without work count.
numbered AS (
  SELECT name, measure, row_number() OVER (ORDER BY measure, name) AS number
  FROM changed
  WHERE basis = 'step' AND name <> '(outside of steps)'
),
tested_trace AS (
  SELECT side, trace_id
  FROM unit
  WHERE basis = 'step'
  GROUP BY side, trace_id
  HAVING count(*) = count(divisor)
),
step_position AS MATERIALIZED (
  SELECT side, run_id, trace_id, step_id, position
  FROM compare_position($a::VARCHAR, $b::VARCHAR)
),
step_sample AS (
  SELECT n.number, s.side, s.trace_id, s.step_id, s.ns
  FROM sample AS s
  JOIN numbered AS n ON n.name = s.name AND n.measure = s.measure
  JOIN tested_trace AS u ON u.side = s.side AND u.trace_id = s.trace_id
  UNION ALL
  SELECT 0, c.side, c.trace_id, c.step_id, 0
  FROM step_position AS c
  JOIN tested_trace AS u ON u.side = c.side AND u.trace_id = c.trace_id
),
listed_sample AS MATERIALIZED (
  SELECT
    list(s.number) AS numbers,
    list(s.side) AS sides,
    list(c.run_id) AS run_ids,
    list(s.trace_id) AS trace_ids,
    list(c.position) AS positions,
    list(CAST(s.ns AS DOUBLE)) AS amounts
  FROM step_sample AS s
  JOIN step_position AS c ON c.side = s.side AND c.step_id = s.step_id
),
test AS (
  SELECT n.name, n.measure, e.*
  FROM step_change(
    (SELECT numbers FROM listed_sample),
    (SELECT sides FROM listed_sample),
    (SELECT run_ids FROM listed_sample),
    (SELECT trace_ids FROM listed_sample),
    (SELECT positions FROM listed_sample),
    (SELECT amounts FROM listed_sample)
  ) AS e
  JOIN numbered AS n ON n.number = e.row_number
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
    sum(fs.change_ns::DECIMAL(38, 6)) OVER () AS all_self_ns,
    sum(fd.change_ns::DECIMAL(38, 6)) OVER () AS all_device_ns,
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
  es.typical_change AS self_typical_change_ns,
  es.change_low AS self_change_low_ns,
  es.change_high AS self_change_high_ns,
  es.t AS self_t,
  CAST(es.degrees_of_freedom AS DOUBLE) AS self_degrees_of_freedom,
  es.p AS self_p,
  es.q AS self_q,
  ed.typical_change AS device_typical_change_ns,
  ed.change_low AS device_change_low_ns,
  ed.change_high AS device_change_high_ns,
  ed.t AS device_t,
  CAST(ed.degrees_of_freedom AS DOUBLE) AS device_degrees_of_freedom,
  ed.p AS device_p,
  ed.q AS device_q
FROM shown AS r
LEFT JOIN test AS es ON es.name = r.name AND es.measure = 'self'
LEFT JOIN test AS ed ON ed.name = r.name AND ed.measure = 'device'
WHERE $top::BIGINT IS NULL OR r.place <= $top::BIGINT OR r.name = '(outside of steps)'
ORDER BY r.place
