/* ---
name = "compare_kernels"
version = 6
title = "Device work of two sides by name: added, removed, renamed and changed"
help = """
Kernels, copies and memsets of all traces of a side are combined, so there are no run or rank
columns. Figures are per step and rank where both sides have steps, else per trace (basis, see
compare_unit). Durations are summed, including those that overlap, so the changes of all rows add up
to the change of device time. What ran outside of whole steps is not compared: it has the row with
status outside. If device work cannot be compared, all rows have status not_compared, and
not_compared is the reason.

Names are matched exactly (match_rule name). A name on only one side is matched with one on only the
other side, of the same kind and class, by the first of these rules that gives a unique match on
both sides. Rules for the same kernel spelled differently, as by Nsight Systems and PyTorch's
profiler (see kernel_key): mangled, the linker name; spelling, the normalized name; signature, the
normalized name without parameters, or the direction of a copy. Rules for a replaced kernel:
variant, the same signature with parameters of other types, or a copy of another kind of memory;
operator, the only such kernels called most often by the same operator; operator_count, the only
ones of that operator with the same number of executions per step, or per trace without steps;
base_name, the same last component of the name; operator_group, all remaining kernels of the same
operator on both sides, in one row with names joined by ' + '.

t is the typical change between the steps of both sides, that is, of means without extreme steps, by
its standard error, which allows for correlated steps (step_change). p is the two-sided probability
of a t at least this far from 0 without a difference, q the p corrected for the number of rows of
the whole table. They hold for these recordings; with several runs on a side, the spread between
runs decides. no_p is the reason why p is NULL.
"""
grain = ["kind", "class", "name_a", "name_b", "status"]
requires = { schema = ">=13", queries = ["compare_position@1", "compare_step@1", "compare_unit@1", "device_work_by_step@2", "kernel_match@1", "step_change@1", "work_category@1"] }
columns = [
  "status", "match_rule", "not_compared", "kind", "class", "kernel_name", "kernel_category",
  "name_a", "name_b", "op_name", "basis", "per_unit_a_ns", "per_unit_b_ns", "change_ns", "change_ratio", "share_of_change", "rate_a",
  "rate_b", "n_ops_a", "n_ops_b", "total_a_ns", "total_b_ns", "n_steps_a", "n_steps_b",
  "typical_change_ns", "change_low_ns", "change_high_ns", "t", "degrees_of_freedom", "p", "q", "no_p",
  "n_tested",
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
help = "Maximum number of rows, without that of status outside; null: all"

[param.threshold]
type = "DOUBLE"
unit = "ratio"
default = 0
min = 0
help = "Minimum relative change of a row to be returned; added and removed rows always are"

[column]
kernel_name.help = "Short name, unique among the kernels of both sides; of side b if it is there; of a copy or memset its name; NULL: status outside"
kernel_category.help = "Category by the name of the kernel, see work_category, on side b if it is there; NULL: a copy or memset, or status outside"
kind.help = "kernel, memcpy or memset; (all): status outside"
class.help = "compute, communication or memory; (all): status outside"
name_a = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side a; NULL: not on this side" }
name_b = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side b; NULL: not on this side" }
per_unit_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time per step and rank, or per trace, on side a; NULL: not compared" }
per_unit_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "As per_unit_a_ns, on side b" }
change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "per_unit_b_ns - per_unit_a_ns" }
rate_a = { type = "DOUBLE", unit = "ratio", nullable = true, help = "Executions per step and rank, or per trace, on side a; NULL: not compared" }
rate_b = { type = "DOUBLE", unit = "ratio", nullable = true, help = "As rate_a, on side b" }
n_ops_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of executions on side a" }
n_ops_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of executions on side b" }
total_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of their durations on side a" }
total_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As total_a_ns, on side b" }
n_steps_a.help = "Number of whole steps compared of side a"
n_steps_b.help = "As n_steps_a, of side b"
typical_change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Change of the mean of steps without extreme ones" }
change_low_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Lower end of the 95 % interval of typical_change_ns" }
change_high_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Upper end of the 95 % interval of typical_change_ns" }
q = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Smallest share of false findings among the rows with a q not above this one" }
no_p = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('steps', 'constant')", help = "Why p is NULL: steps, a side has fewer than two; constant, no spread on either side" }
n_tested = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of rows with a p, before top and threshold" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'renamed', 'changed', 'same', 'outside', 'not_compared')"
help = "added, removed, renamed (replaced by another name), changed, same (equal count and time), outside (of whole steps), or not_compared"

[column.match_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "name; mangled, spelling, signature: same kernel spelled differently; variant, operator, operator_count, base_name, operator_group: replaced kernel; NULL: on one side only"

[column.not_compared]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Why it is not compared; NULL: it is"

[column.op_name]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Operator that called it most often, on side b if it is there; NULL: unknown"

[column.basis]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('step', 'trace')"
help = "step: figures are per step and rank; trace: per trace; NULL: not compared"

[column.change_ratio]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "change_ns / per_unit_a_ns; NULL if that is 0 or not compared"

[column.share_of_change]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "change_ns / change of all device work, so all rows add up to 1; NULL if that is 0"

[column.t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "typical_change_ns by its standard error; above 0: longer on side b"

[changes]
6 = "the same steps of ranks are averaged, also where ranks recorded different ones"
5 = "a time window contains its whole steps with all their work"
4 = "new columns: kernel_name, kernel_category"
1 = "first version"
2 = "matches names that profilers spell differently: new match_rule values mangled, spelling, signature and base_name"
3 = "compares per step and rank, work outside of whole steps in a row of its own; what one side did not record is not compared; match_rule variant and operator_group; t allows for correlated and extreme steps; q and intervals"
--- */
WITH unit AS MATERIALIZED (
  SELECT side, trace_id, n_steps, basis, divisor, not_compared
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject = 'device'
),
size AS (
  SELECT
    max(basis) AS basis,
    max(not_compared) AS not_compared,
    sum(CASE WHEN side = 'a' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
    sum(CASE WHEN side = 'b' AND divisor IS NOT NULL THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b
  FROM unit
),
work AS MATERIALIZED (
  SELECT
    u.side,
    w.trace_id,
    w.step_id,
    w.kind,
    w.class,
    w.name,
    w.op_name,
    CASE WHEN u.basis = 'step' THEN w.n_ops ELSE w.n_inside END AS n_ops,
    CASE WHEN u.basis = 'step' THEN w.total_ns ELSE w.inside_ns END AS total_ns,
    u.divisor,
    u.basis IS NULL OR u.divisor IS NOT NULL AND (u.basis = 'trace' OR s.step_id IS NOT NULL)
      AS is_inside
  FROM device_work_by_step() AS w
  JOIN unit AS u ON u.trace_id = w.trace_id
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s
    ON s.side = u.side AND s.step_id = w.step_id
  WHERE u.basis = 'step' OR w.n_inside > 0
),
by_op AS (
  SELECT side, trace_id, kind, class, name, op_name, divisor, sum(n_ops) AS n_ops,
    sum(total_ns) AS total_ns
  FROM work
  WHERE is_inside
  GROUP BY side, trace_id, kind, class, name, op_name, divisor
),
by_trace AS (
  SELECT side, kind, class, name, sum(n_ops) AS n_ops, sum(total_ns) AS total_ns,
    sum(n_ops) / max(divisor) AS rate, sum(total_ns) / max(divisor) AS per_unit_ns
  FROM by_op
  GROUP BY side, kind, class, name, trace_id
),
ranked AS (
  SELECT side, kind, class, name, op_name,
    row_number() OVER (
      PARTITION BY side, kind, class, name
      ORDER BY sum(n_ops) DESC, sum(total_ns) DESC, op_name NULLS LAST
    ) AS place
  FROM by_op
  GROUP BY side, kind, class, name, op_name
),
summed AS (
  SELECT side, kind, class, name, sum(n_ops) AS n_ops, sum(total_ns) AS total_ns,
    -- Sums in order of size do not depend on the order of the traces.
    round(list_sum(list(rate ORDER BY rate)), 9) AS rate,
    list_sum(list(per_unit_ns ORDER BY per_unit_ns)) AS per_unit_ns
  FROM by_trace
  GROUP BY side, kind, class, name
),
-- One row per name of a side, with the operator that called it most often.
named AS MATERIALIZED (
  SELECT
    s.side,
    s.kind,
    s.class,
    s.name,
    r.op_name,
    s.n_ops,
    s.total_ns,
    coalesce(s.rate, s.n_ops) AS rate,
    s.per_unit_ns
  FROM summed AS s
  JOIN ranked AS r
    ON r.side = s.side AND r.kind = s.kind AND r.class = s.class AND r.name = s.name
  WHERE r.place = 1
),
listed_name AS MATERIALIZED (
  SELECT
    list(side) AS sides,
    list(kind) AS kinds,
    list(class) AS classes,
    list(name) AS names,
    list(op_name) AS op_names,
    list(rate::DOUBLE) AS rates
  FROM named
),
member AS MATERIALIZED (
  SELECT side, kind, class, name, match_rule, key
  FROM kernel_match(
    (SELECT sides FROM listed_name),
    (SELECT kinds FROM listed_name),
    (SELECT classes FROM listed_name),
    (SELECT names FROM listed_name),
    (SELECT op_names FROM listed_name),
    (SELECT rates FROM listed_name)
  )
),
sample AS (
  SELECT w.side, m.kind, m.class, m.key, w.trace_id, w.step_id, sum(w.total_ns)::BIGINT AS ns
  FROM work AS w
  JOIN member AS m
    ON m.side = w.side AND m.kind = w.kind AND m.class = w.class AND m.name = w.name
  WHERE w.is_inside AND w.step_id IS NOT NULL
  GROUP BY w.side, m.kind, m.class, m.key, w.trace_id, w.step_id
),
figure AS (
  SELECT
    m.kind,
    m.class,
    m.key,
    max(m.match_rule) AS match_rule,
    string_agg(CASE WHEN m.side = 'a' THEN m.name END, ' + ' ORDER BY n.total_ns DESC, m.name)
      AS name_a,
    string_agg(CASE WHEN m.side = 'b' THEN m.name END, ' + ' ORDER BY n.total_ns DESC, m.name)
      AS name_b,
    coalesce(
      string_agg(
        CASE WHEN m.side = 'b' THEN coalesce(w.short_name, m.name) END,
        ' + ' ORDER BY n.total_ns DESC, m.name
      ),
      string_agg(
        CASE WHEN m.side = 'a' THEN coalesce(w.short_name, m.name) END,
        ' + ' ORDER BY n.total_ns DESC, m.name
      )
    ) AS kernel_name,
    CASE
      WHEN m.kind = 'kernel'
      THEN coalesce(
        first(coalesce(w.category, 'other') ORDER BY n.total_ns DESC, m.name) FILTER (WHERE m.side = 'b'),
        first(coalesce(w.category, 'other') ORDER BY n.total_ns DESC, m.name) FILTER (WHERE m.side = 'a')
      )
    END AS kernel_category,
    coalesce(
      arg_max(n.op_name, n.n_ops) FILTER (WHERE m.side = 'b'),
      arg_max(n.op_name, n.n_ops) FILTER (WHERE m.side = 'a')
    ) AS op_name,
    sum(CASE WHEN m.side = 'a' THEN n.n_ops ELSE 0 END)::BIGINT AS n_ops_a,
    sum(CASE WHEN m.side = 'b' THEN n.n_ops ELSE 0 END)::BIGINT AS n_ops_b,
    sum(CASE WHEN m.side = 'a' THEN n.total_ns ELSE 0 END)::BIGINT AS total_a_ns,
    sum(CASE WHEN m.side = 'b' THEN n.total_ns ELSE 0 END)::BIGINT AS total_b_ns,
    coalesce(list_sum(list(n.rate ORDER BY n.rate) FILTER (WHERE m.side = 'a')), 0)::DOUBLE
      AS rate_a,
    coalesce(list_sum(list(n.rate ORDER BY n.rate) FILTER (WHERE m.side = 'b')), 0)::DOUBLE
      AS rate_b,
    coalesce(
      list_sum(list(n.per_unit_ns ORDER BY n.per_unit_ns) FILTER (WHERE m.side = 'a')), 0
    )::DOUBLE AS per_unit_a_ns,
    coalesce(
      list_sum(list(n.per_unit_ns ORDER BY n.per_unit_ns) FILTER (WHERE m.side = 'b')), 0
    )::DOUBLE AS per_unit_b_ns
  FROM member AS m
  JOIN named AS n
    ON n.side = m.side AND n.kind = m.kind AND n.class = m.class AND n.name = m.name
  LEFT JOIN work_category() AS w
    ON m.kind = 'kernel' AND w.kind = 'kernel' AND w.name = m.name
  GROUP BY m.kind, m.class, m.key
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
-- Significance. Row 0 has all steps of the traces compared, so that steps without work count.
numbered AS (
  SELECT kind, class, key, row_number() OVER (ORDER BY kind, class, key) AS number
  FROM changed
  WHERE (SELECT basis FROM size) = 'step'
),
step_position AS MATERIALIZED (
  SELECT side, run_id, trace_id, step_id, position
  FROM compare_position($a::VARCHAR, $b::VARCHAR)
),
step_sample AS (
  SELECT n.number, s.side, s.trace_id, s.step_id, s.ns
  FROM sample AS s
  JOIN numbered AS n ON n.kind = s.kind AND n.class = s.class AND n.key = s.key
  UNION ALL
  SELECT 0, c.side, c.trace_id, c.step_id, 0
  FROM step_position AS c
  JOIN unit AS u ON u.side = c.side AND u.trace_id = c.trace_id
  WHERE u.divisor IS NOT NULL
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
  SELECT n.kind, n.class, n.key, e.*
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
    f.*,
    z.basis,
    z.not_compared,
    z.n_steps_a,
    z.n_steps_b,
    e.typical_change,
    e.change_low,
    e.change_high,
    e.t,
    e.degrees_of_freedom,
    e.p,
    e.q,
    e.reason,
    count(e.p) OVER () AS n_tested,
    sum(f.change_ns::DECIMAL(38, 6)) OVER () AS all_change_ns
  FROM changed AS f
  CROSS JOIN size AS z
  LEFT JOIN test AS e ON e.kind = f.kind AND e.class = f.class AND e.key = f.key
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY
        CASE WHEN basis IS NULL THEN total_a_ns + total_b_ns ELSE abs(change_ns) END DESC,
        per_unit_a_ns DESC, kind, class, name_a, name_b
    ) AS place
  FROM placed
  WHERE basis IS NULL
    OR name_a IS NULL
    OR name_b IS NULL
    OR abs(change_ns) >= $threshold::DOUBLE * per_unit_a_ns
),
outside AS (
  SELECT
    sum(CASE WHEN side = 'a' THEN n_ops ELSE 0 END)::BIGINT AS n_ops_a,
    sum(CASE WHEN side = 'b' THEN n_ops ELSE 0 END)::BIGINT AS n_ops_b,
    sum(CASE WHEN side = 'a' THEN total_ns ELSE 0 END)::BIGINT AS total_a_ns,
    sum(CASE WHEN side = 'b' THEN total_ns ELSE 0 END)::BIGINT AS total_b_ns
  FROM work
  WHERE NOT is_inside
  HAVING count(*) > 0
),
listed AS (
  SELECT
    place,
    CASE
      WHEN basis IS NULL THEN 'not_compared'
      WHEN name_a IS NULL THEN 'added'
      WHEN name_b IS NULL THEN 'removed'
      WHEN match_rule IN ('variant', 'operator', 'operator_count', 'base_name', 'operator_group')
      THEN 'renamed'
      WHEN change_ns = 0 AND rate_a = rate_b THEN 'same'
      ELSE 'changed'
    END AS status,
    match_rule,
    not_compared,
    kind,
    class,
    kernel_name,
    kernel_category,
    name_a,
    name_b,
    op_name,
    basis,
    CASE WHEN basis IS NOT NULL THEN per_unit_a_ns END AS per_unit_a_ns,
    CASE WHEN basis IS NOT NULL THEN per_unit_b_ns END AS per_unit_b_ns,
    CASE WHEN basis IS NOT NULL THEN change_ns END AS change_ns,
    CASE WHEN basis IS NOT NULL THEN change_ns / nullif(per_unit_a_ns, 0) END AS change_ratio,
    CASE WHEN basis IS NOT NULL THEN change_ns / nullif(all_change_ns, 0) END AS share_of_change,
    CASE WHEN basis IS NOT NULL THEN rate_a END AS rate_a,
    CASE WHEN basis IS NOT NULL THEN rate_b END AS rate_b,
    n_ops_a,
    n_ops_b,
    total_a_ns,
    total_b_ns,
    n_steps_a,
    n_steps_b,
    typical_change AS typical_change_ns,
    change_low AS change_low_ns,
    change_high AS change_high_ns,
    t,
    CAST(degrees_of_freedom AS DOUBLE) AS degrees_of_freedom,
    p,
    q,
    reason AS no_p,
    n_tested
  FROM shown
  WHERE $top::BIGINT IS NULL OR place <= $top::BIGINT
  UNION ALL
  SELECT
    NULL, 'outside', NULL, 'outside of whole steps', '(all)', '(all)', NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, o.n_ops_a, o.n_ops_b, o.total_a_ns, o.total_b_ns,
    z.n_steps_a, z.n_steps_b, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0
  FROM outside AS o
  CROSS JOIN size AS z
)
SELECT
  status,
  match_rule,
  not_compared,
  kind,
  class,
  kernel_name,
  kernel_category,
  name_a,
  name_b,
  op_name,
  basis,
  per_unit_a_ns,
  per_unit_b_ns,
  change_ns,
  change_ratio,
  share_of_change,
  rate_a,
  rate_b,
  n_ops_a,
  n_ops_b,
  total_a_ns,
  total_b_ns,
  n_steps_a,
  n_steps_b,
  typical_change_ns,
  change_low_ns,
  change_high_ns,
  t,
  degrees_of_freedom,
  p,
  q,
  no_p,
  n_tested
FROM listed
ORDER BY place NULLS LAST
