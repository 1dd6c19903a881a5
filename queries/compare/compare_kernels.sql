/* ---
name = "compare_kernels"
version = 2
title = "Device work of two sides by name: added, removed, renamed and changed"
help = """
Kernels, copies and memsets of all traces of a side are combined, so there are no run or rank
columns. Durations are summed, including those that overlap, so the changes of all rows add up
exactly to the change of device time.

Names are matched exactly (match_rule name). A name on only one side is matched with one on only the
other side, of the same kind and class, by the first of these rules that gives a unique match on
both sides. Rules for the same kernel spelled differently, as by Nsight Systems and PyTorch's
profiler (see kernel_key): mangled, the linker name; spelling, the normalized name; signature, the
normalized name without parameters, or the direction of a copy. Rules for a replaced kernel:
operator, the only such kernels called most often by the same operator; operator_count, the only
ones of that operator with the same number of executions per step, or per trace without steps;
base_name, the same last component of the name.

per_step_a_ns and per_step_b_ns are means over the steps of a side; a step of a trace without such
work counts as 0. t is Welch's t, (mean b - mean a) / sqrt(variance a / n a + variance b / n b),
with Welch's degrees of freedom; p is the two-sided probability of a t at least this far from 0 if
the means were equal. Both are NULL if a side has fewer than two steps or neither side varies. Steps
are assumed independent, and p is not corrected for the number of rows.
"""
grain = ["kind", "class", "name_a", "name_b"]
requires = { schema = ">=13", queries = ["compare_side@1", "compare_size@1", "device_work_by_step@1", "kernel_key@1", "quadrature_node@1"] }
portable = false
columns = [
  "status", "match_rule", "kind", "class", "name_a", "name_b", "op_name", "n_ops_a", "n_ops_b",
  "total_a_ns", "total_b_ns", "change_ns", "change_ratio", "share_of_change", "n_steps_a",
  "n_steps_b", "per_step_a_ns", "per_step_b_ns", "t", "degrees_of_freedom", "p",
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
kind.help = "kernel, memcpy or memset"
class.help = "compute, communication or memory"
name_a = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side a; NULL: not on this side" }
name_b = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side b; NULL: not on this side" }
n_ops_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of executions on side a" }
n_ops_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of executions on side b" }
total_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations on side a" }
total_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations on side b" }
change_ns = { type = "BIGINT", unit = "ns", help = "total_b_ns - total_a_ns" }
per_step_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As per_step_a_ns, on side b" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'renamed', 'changed', 'same')"
help = "added, removed, renamed (replaced by another name), changed or same (equal count and total time)"

[column.match_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "name; mangled, spelling, signature: same kernel spelled differently; operator, operator_count, base_name: replaced kernel; NULL: on one side only"

[column.op_name]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Operator that called it most often, on side b if it is there; NULL: unknown"

[column.change_ratio]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "change_ns / total_a_ns; NULL if total_a_ns is 0"

[column.share_of_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "change_ns / change of all device work, so all rows add up to 1; NULL if that is 0"

[column.per_step_a_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Mean time per step on side a, excluding work outside steps; NULL without steps"

[column.t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Welch's t of the times per step; above 0: longer on side b"

[changes]
1 = "first version"
2 = "matches names that profilers spell differently: new match_rule values mangled, spelling, signature and base_name"
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
  SELECT c.side, c.n_steps, w.step_id, w.kind, w.class, w.name, w.op_name, w.n_ops, w.total_ns
  FROM device_work_by_step() AS w
  JOIN side AS c ON c.trace_id = w.trace_id
),
by_op AS (
  SELECT side, kind, class, name, op_name, sum(n_ops) AS n_ops, sum(total_ns) AS total_ns
  FROM work
  GROUP BY side, kind, class, name, op_name
),
ranked AS (
  SELECT
    side,
    kind,
    class,
    name,
    op_name,
    sum(n_ops) OVER of_name AS n_ops,
    sum(total_ns) OVER of_name AS total_ns,
    row_number() OVER (
      PARTITION BY side, kind, class, name ORDER BY n_ops DESC, total_ns DESC, op_name NULLS LAST
    ) AS place
  FROM by_op
  WINDOW of_name AS (PARTITION BY side, kind, class, name)
),
-- One row per name of a side, with the operator that called it most often.
named AS (
  SELECT
    r.side,
    r.kind,
    r.class,
    r.name,
    r.op_name,
    r.n_ops,
    r.total_ns,
    -- Executions per unit, multiplied by the units of both sides.
    r.n_ops * CASE
      WHEN r.side = 'a' AND z.n_steps_a > 0 AND z.n_steps_b > 0 THEN z.n_steps_b
      WHEN r.side = 'b' AND z.n_steps_a > 0 AND z.n_steps_b > 0 THEN z.n_steps_a
      WHEN r.side = 'a' THEN z.n_traces_b
      ELSE z.n_traces_a
    END AS rate,
    count(*) OVER (PARTITION BY r.kind, r.class, r.name) AS n_sides
  FROM ranked AS r
  CROSS JOIN size AS z
  WHERE r.place = 1
),
-- Names of one side only; first, those that are another spelling of one name.
lone AS (
  SELECT n.side, n.kind, n.class, n.name, n.op_name, n.rate, k.mangled, k.spelling, k.signature, k.base_name
  FROM named AS n
  JOIN kernel_key() AS k ON k.kind = n.kind AND k.class = n.class AND k.name = n.name
  WHERE n.n_sides = 1
),
keyed AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY side, kind, class, match_rule, key) AS n_of_key
  FROM (
    SELECT side, kind, class, name, 'mangled' AS match_rule, 1 AS precedence, mangled AS key FROM lone
    UNION ALL
    SELECT side, kind, class, name, 'spelling', 2, spelling FROM lone
    UNION ALL
    SELECT side, kind, class, name, 'signature', 3, signature FROM lone
  )
  WHERE key IS NOT NULL
),
candidate AS (
  SELECT
    a.kind,
    a.class,
    a.name AS name_a,
    b.name AS name_b,
    a.match_rule,
    row_number() OVER (PARTITION BY a.kind, a.class, a.name ORDER BY a.precedence) AS place_a,
    row_number() OVER (PARTITION BY a.kind, a.class, b.name ORDER BY a.precedence) AS place_b
  FROM keyed AS a
  JOIN keyed AS b
    ON b.kind = a.kind AND b.class = a.class AND b.match_rule = a.match_rule AND b.key = a.key
  WHERE a.side = 'a' AND b.side = 'b' AND a.n_of_key = 1 AND b.n_of_key = 1
),
respelled AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM candidate
  WHERE place_a = 1 AND place_b = 1
),
-- Next, names that replace another under the same operator.
called AS (
  SELECT
    l.side,
    l.kind,
    l.class,
    l.name,
    l.op_name,
    l.rate,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.op_name) AS n_of_op,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.op_name, l.rate) AS n_of_rate
  FROM lone AS l
  LEFT JOIN respelled AS r
    ON r.kind = l.kind AND r.class = l.class
    AND l.name = CASE l.side WHEN 'a' THEN r.name_a ELSE r.name_b END
  WHERE l.op_name IS NOT NULL AND r.kind IS NULL
),
replaced AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM respelled
  UNION ALL
  SELECT
    a.kind,
    a.class,
    a.name AS name_a,
    b.name AS name_b,
    CASE WHEN a.n_of_op = 1 AND b.n_of_op = 1 THEN 'operator' ELSE 'operator_count' END
      AS match_rule
  FROM called AS a
  JOIN called AS b
    ON b.kind = a.kind AND b.class = a.class AND b.op_name = a.op_name
  WHERE a.side = 'a'
    AND b.side = 'b'
    AND (
      (a.n_of_op = 1 AND b.n_of_op = 1)
      OR (a.rate = b.rate AND a.n_of_rate = 1 AND b.n_of_rate = 1)
    )
),
-- Last, names that replace another with the same base name.
based AS (
  SELECT
    l.side,
    l.kind,
    l.class,
    l.name,
    l.base_name,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.base_name) AS n_of_name
  FROM lone AS l
  LEFT JOIN replaced AS r
    ON r.kind = l.kind AND r.class = l.class
    AND l.name = CASE l.side WHEN 'a' THEN r.name_a ELSE r.name_b END
  WHERE l.base_name IS NOT NULL AND r.kind IS NULL
),
matched AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM replaced
  UNION ALL
  SELECT a.kind, a.class, a.name AS name_a, b.name AS name_b, 'base_name' AS match_rule
  FROM based AS a
  JOIN based AS b ON b.kind = a.kind AND b.class = a.class AND b.base_name = a.base_name
  WHERE a.side = 'a' AND b.side = 'b' AND a.n_of_name = 1 AND b.n_of_name = 1
),
pair AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM matched
  UNION ALL
  SELECT kind, class, name AS name_a, name AS name_b, 'name' AS match_rule
  FROM named
  WHERE n_sides = 2 AND side = 'a'
  UNION ALL
  SELECT n.kind, n.class, n.name AS name_a, NULL AS name_b, NULL AS match_rule
  FROM named AS n
  LEFT JOIN matched AS r ON r.kind = n.kind AND r.class = n.class AND r.name_a = n.name
  WHERE n.n_sides = 1 AND n.side = 'a' AND r.name_a IS NULL
  UNION ALL
  SELECT n.kind, n.class, NULL AS name_a, n.name AS name_b, NULL AS match_rule
  FROM named AS n
  LEFT JOIN matched AS r ON r.kind = n.kind AND r.class = n.class AND r.name_b = n.name
  WHERE n.n_sides = 1 AND n.side = 'b' AND r.name_b IS NULL
),
stepped AS (
  SELECT side, kind, class, name, n_steps, step_id, CAST(sum(total_ns) AS DOUBLE) AS ns
  FROM work
  WHERE step_id IS NOT NULL
  GROUP BY side, kind, class, name, n_steps, step_id
),
-- Mean and variance over the steps of a side; steps without a row count as 0.
moment_centred AS (
  SELECT side, kind, class, name, n_steps, ns, sum(ns) OVER (PARTITION BY side, kind, class, name) / n_steps AS mean_ns
  FROM stepped
),
moment AS (
  SELECT
    side,
    kind, class, name,
    max(mean_ns) AS mean_ns,
    -- Summing in order of magnitude keeps the last digit independent of the number of threads.
    (list_sum(list((ns - mean_ns) * (ns - mean_ns) ORDER BY abs(ns - mean_ns))) + (max(n_steps) - count(*)) * max(mean_ns * mean_ns))
      / nullif(max(n_steps) - 1, 0) AS variance
  FROM moment_centred
  GROUP BY side, kind, class, name
),
figure AS (
  SELECT
    row_number() OVER (ORDER BY p.kind, p.class, p.name_a, p.name_b) AS number,
    p.match_rule,
    p.kind,
    p.class,
    p.name_a,
    p.name_b,
    coalesce(b.op_name, a.op_name) AS op_name,
    coalesce(a.n_ops, 0)::BIGINT AS n_ops_a,
    coalesce(b.n_ops, 0)::BIGINT AS n_ops_b,
    coalesce(a.total_ns, 0)::BIGINT AS total_a_ns,
    coalesce(b.total_ns, 0)::BIGINT AS total_b_ns,
    z.n_steps_a,
    z.n_steps_b,
    CASE WHEN z.n_steps_a > 0 THEN coalesce(ma.mean_ns, 0) END AS per_step_a_ns,
    CASE WHEN z.n_steps_b > 0 THEN coalesce(mb.mean_ns, 0) END AS per_step_b_ns,
    CASE WHEN z.n_steps_a > 1 THEN coalesce(ma.variance, 0) END AS variance_a,
    CASE WHEN z.n_steps_b > 1 THEN coalesce(mb.variance, 0) END AS variance_b
  FROM pair AS p
  CROSS JOIN size AS z
  LEFT JOIN named AS a
    ON a.side = 'a' AND a.kind = p.kind AND a.class = p.class AND a.name = p.name_a
  LEFT JOIN named AS b
    ON b.side = 'b' AND b.kind = p.kind AND b.class = p.class AND b.name = p.name_b
  LEFT JOIN moment AS ma
    ON ma.side = 'a' AND ma.kind = p.kind AND ma.class = p.class AND ma.name = p.name_a
  LEFT JOIN moment AS mb
    ON mb.side = 'b' AND mb.kind = p.kind AND mb.class = p.class AND mb.name = p.name_b
),
test_error AS (
  SELECT
    number,
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
    number,
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
    number,
    t,
    degrees_of_freedom,
    atan(abs(t) / sqrt(degrees_of_freedom)) AS low,
    least(pi() / 2, atan(abs(t) / sqrt(degrees_of_freedom)) + 12 / sqrt(degrees_of_freedom)) AS high,
    least(pi() / 2, 12 / sqrt(degrees_of_freedom)) AS high_of_all
  FROM test_t
),
test AS (
  SELECT
    e.number,
    max(e.t) AS t,
    max(e.degrees_of_freedom) AS degrees_of_freedom,
    least(
      list_sum(list((e.high - e.low) * q.weight * pow(greatest(cos(e.low + (e.high - e.low) * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node))
        / list_sum(list(e.high_of_all * q.weight * pow(greatest(cos(e.high_of_all * q.node), 0), e.degrees_of_freedom - 1) ORDER BY q.node)),
      1
    ) AS p
  FROM test_bound AS e
  CROSS JOIN quadrature_node() AS q
  GROUP BY e.number
),
placed AS (
  SELECT
    r.*,
    e.t,
    e.degrees_of_freedom,
    e.p,
    sum(r.total_b_ns - r.total_a_ns) OVER () AS all_change_ns
  FROM figure AS r
  LEFT JOIN test AS e ON e.number = r.number
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY abs(total_b_ns - total_a_ns) DESC, total_a_ns DESC, number
    ) AS place
  FROM placed
  WHERE name_a IS NULL
    OR name_b IS NULL
    OR abs(total_b_ns - total_a_ns) >= $threshold::DOUBLE * total_a_ns
)
SELECT
  CASE
    WHEN name_a IS NULL THEN 'added'
    WHEN name_b IS NULL THEN 'removed'
    WHEN match_rule IN ('operator', 'operator_count', 'base_name') THEN 'renamed'
    WHEN total_a_ns = total_b_ns AND n_ops_a = n_ops_b THEN 'same'
    ELSE 'changed'
  END AS status,
  match_rule,
  kind,
  class,
  name_a,
  name_b,
  op_name,
  n_ops_a,
  n_ops_b,
  total_a_ns,
  total_b_ns,
  total_b_ns - total_a_ns AS change_ns,
  (total_b_ns - total_a_ns) / nullif(total_a_ns, 0) AS change_ratio,
  CAST((total_b_ns - total_a_ns) / nullif(all_change_ns, 0) AS DOUBLE) AS share_of_change,
  n_steps_a,
  n_steps_b,
  per_step_a_ns,
  per_step_b_ns,
  t,
  degrees_of_freedom,
  p
FROM shown
WHERE $top::BIGINT IS NULL OR place <= $top::BIGINT
ORDER BY place
