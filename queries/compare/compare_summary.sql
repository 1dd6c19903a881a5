/* ---
name = "compare_summary"
version = 5
title = "Key figures of two sides, per step or per trace"
help = """
All traces of a side are combined, so there are no run or rank columns. makespan is the time that a
step adds until its work is done, on host and device, over the steps that both sides have
(compare_makespan); step_time is the host
duration of steps. device_time, compute_time, communication_time and memory_time sum durations,
including work that overlaps. device_busy, exposed_communication and exposed_memory are lengths of
unions of intervals, summed over devices, per step those of the work launched in the step.
operator_time is the self time of host operators (op_by_step). device_time_outside and
operator_time_outside are what lies outside of whole steps; they are not compared.

basis is step if both sides have steps: figures are means over the steps of a trace, then over
traces; else trace (see compare_unit). What one side did not record is not compared: basis, figures
and change are NULL, and not_compared is the reason.

t is the typical change between the steps of both sides, that is, of means without extreme steps, by
its standard error, which allows for correlated steps (step_change). p is the two-sided probability
of a t at least this far from 0 without a difference, q the p corrected for the number of rows of
the whole table. They hold for these recordings; with several runs on a side, the spread between
runs decides. no_p is the reason why p is NULL.
"""
grain = ["measure"]
requires = { schema = ">=1", queries = ["compare_makespan@1", "compare_position@1", "compare_unit@1", "device_activity@2", "device_work_by_step@2", "op_by_step@2", "step_activity@1", "step_change@1"] }
columns = [
  "measure", "unit", "basis", "not_compared", "basis_a", "basis_b", "change", "change_ratio",
  "total_a", "total_b", "n_traces_a", "n_traces_b", "n_steps_a", "n_steps_b",
  "spread", "typical_a", "typical_b", "typical_change", "change_low", "change_high",
  "n_effective_a", "n_effective_b", "n_warm_up_a", "n_warm_up_b", "outliers_a", "outliers_b", "t",
  "degrees_of_freedom", "p", "q", "no_p",
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
n_steps_a.help = "Number of whole steps of side a"
n_steps_b.help = "Number of whole steps of side b"
typical_b = { type = "DOUBLE", unit = "see unit", nullable = true, help = "As typical_a, of side b" }
typical_change = { type = "DOUBLE", unit = "see unit", nullable = true, help = "typical_b - typical_a" }
change_low = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Lower end of the 95 % interval of typical_change" }
change_high = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Upper end of the 95 % interval of typical_change" }
n_effective_b = { type = "DOUBLE", unit = "count", nullable = true, help = "As n_effective_a, of side b" }
n_warm_up_a = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number of slow steps at the start of side a, ranks averaged, which typical_a leaves out" }
n_warm_up_b = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "As n_warm_up_a, of side b" }
outliers_a = { type = "VARCHAR", unit = "text", nullable = true, help = "Positions of steps of side a far from its median, from 1" }
outliers_b = { type = "VARCHAR", unit = "text", nullable = true, help = "As outliers_a, of side b" }
q = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Smallest share of false findings among the rows with a q not above this one" }
no_p = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('steps', 'constant')", help = "Why p is NULL: steps, a side has fewer than two; constant, no spread on either side" }

[column.spread]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('steps', 'runs')"
help = "What p is based on: steps, those of one run a side; runs, the spread between runs; NULL: not compared by step"

[column.typical_a]
type = "DOUBLE"
unit = "see unit"
nullable = true
help = "Mean of the steps of side a without warm-up, the highest and the lowest fifth (step_change)"

[column.n_effective_a]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Number of independent samples that would give the mean of side a the same variance"

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
help = "typical_change by its standard error; above 0: more on side b"

[changes]
5 = "the same steps of ranks are averaged, also where ranks recorded different ones"
4 = "a time window contains its whole steps with all their work"
1 = "first version"
2 = "change_ratio is NULL for steps and operators missing on side b, as with another profiler"
3 = "compares per step and rank, what lies outside of whole steps in rows of its own; what one side did not record is NULL and named in not_compared; operator_time includes slices that are not operators; new measure makespan; t allows for correlated and extreme steps; q and intervals"
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
total_size AS (
  SELECT *
  FROM (
    SELECT
      sum(CASE WHEN side = 'a' THEN 1 ELSE 0 END)::BIGINT AS n_traces_a,
      sum(CASE WHEN side = 'b' THEN 1 ELSE 0 END)::BIGINT AS n_traces_b,
      sum(CASE WHEN side = 'a' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_a,
      sum(CASE WHEN side = 'b' THEN n_steps ELSE 0 END)::BIGINT AS n_steps_b
    FROM unit
    WHERE subject = 'steps'
  )
  WHERE n_traces_a > 0 AND n_traces_b > 0
),
work AS MATERIALIZED (
  SELECT
    w.trace_id, w.step_id, w.class,
    sum(CASE WHEN z.basis = 'step' THEN w.n_ops ELSE w.n_inside END)::BIGINT AS n_ops,
    sum(CASE WHEN z.basis = 'step' THEN w.total_ns ELSE w.inside_ns END)::BIGINT AS total_ns
  FROM device_work_by_step() AS w
  CROSS JOIN (SELECT max(basis) AS basis FROM unit WHERE subject = 'device') AS z
  WHERE z.basis = 'step' OR w.n_inside > 0
  GROUP BY w.trace_id, w.step_id, w.class
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
complete_step AS MATERIALIZED (
  SELECT side, run_id, trace_id, step_id, position
  FROM compare_position($a::VARCHAR, $b::VARCHAR)
),
makespan AS MATERIALIZED (
  SELECT m.side, m.trace_id, m.step_id, m.makespan_ns
  FROM compare_makespan($a::VARCHAR, $b::VARCHAR) AS m
  JOIN unit AS u ON u.side = m.side AND u.trace_id = m.trace_id
  WHERE u.subject = 'device' AND u.basis = 'step' AND u.divisor IS NOT NULL
),
known AS (
  SELECT CAST(place AS BIGINT) AS place, measure, unit, subject, outside
  FROM (VALUES
  (1, 'makespan', 'ns', 'device', NULL),
  (2, 'step_time', 'ns', 'steps', NULL),
  (3, 'device_time', 'ns', 'device', 'device_time_outside'),
  (4, 'compute_time', 'ns', 'device', NULL),
  (5, 'communication_time', 'ns', 'device', NULL),
  (6, 'memory_time', 'ns', 'device', NULL),
  (7, 'device_busy', 'ns', 'device', NULL),
  (8, 'exposed_communication', 'ns', 'device', NULL),
  (9, 'exposed_memory', 'ns', 'device', NULL),
  (10, 'operator_time', 'ns', 'operators', 'operator_time_outside'),
  (11, 'n_device_ops', 'count', 'device', NULL),
  (12, 'n_operator_calls', 'count', 'operators', NULL),
  (13, 'device_time_outside', 'ns', 'device', NULL),
  (14, 'operator_time_outside', 'ns', 'operators', NULL)
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
  LEFT JOIN complete_step AS s ON s.side = u.side AND s.step_id = v.step_id
  UNION ALL
  SELECT m.side, m.trace_id, m.step_id, 'makespan', m.makespan_ns,
    count(*) OVER (PARTITION BY m.side, m.trace_id) * s.n_traces
  FROM makespan AS m
  JOIN (SELECT side, count(DISTINCT trace_id) AS n_traces FROM makespan GROUP BY side) AS s
    ON s.side = m.side
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
  LEFT JOIN complete_step AS s ON s.side = u.side AND s.step_id = v.step_id
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
judged AS (
  SELECT
    k.*,
    k.measure = 'makespan' AND z.basis IS DISTINCT FROM 'step' AS is_unknown,
    k.measure NOT LIKE '%_outside' AND NOT (k.measure = 'makespan' AND z.basis = 'trace')
      AS is_compared
  FROM known AS k
  JOIN size AS z ON z.subject = k.subject
),
figure AS (
  SELECT
    k.place,
    k.measure,
    k.unit,
    CASE WHEN k.is_compared THEN z.basis END AS basis,
    CASE
      WHEN k.measure LIKE '%_outside' THEN 'outside of whole steps'
      WHEN NOT k.is_compared THEN 'the steps of device work are not known'
      ELSE z.not_compared
    END AS not_compared,
    z.n_steps_a,
    z.n_steps_b,
    CASE WHEN pa.side IS NOT NULL AND NOT k.is_unknown THEN coalesce(a.value, 0) END AS total_a,
    CASE WHEN pb.side IS NOT NULL AND NOT k.is_unknown THEN coalesce(b.value, 0) END AS total_b,
    CASE WHEN z.basis IS NOT NULL AND k.is_compared THEN coalesce(a.per_unit, 0) END
      AS basis_a,
    CASE WHEN z.basis IS NOT NULL AND k.is_compared THEN coalesce(b.per_unit, 0) END
      AS basis_b
  FROM judged AS k
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
-- Significance, over traces that are included for all subjects. Row 0 has all their steps, so that
-- steps without work count.
numbered AS (
  SELECT measure, place AS number
  FROM changed
  WHERE basis = 'step'
),
tested_trace AS (
  SELECT side, trace_id
  FROM unit
  WHERE basis = 'step'
  GROUP BY side, trace_id
  HAVING count(*) = count(divisor)
),
step_sample AS (
  SELECT n.number, s.side, s.trace_id, s.step_id, s.ns
  FROM sample AS s
  JOIN numbered AS n ON n.measure = s.measure
  JOIN tested_trace AS u ON u.side = s.side AND u.trace_id = s.trace_id
  UNION ALL
  SELECT 0, c.side, c.trace_id, c.step_id, 0
  FROM complete_step AS c
  JOIN tested_trace AS u ON u.side = c.side AND u.trace_id = c.trace_id
  UNION ALL
  -- Steps that one side lacks are left out of the makespan.
  SELECT n.number, c.side, c.trace_id, c.step_id, NULL
  FROM complete_step AS c
  JOIN tested_trace AS u ON u.side = c.side AND u.trace_id = c.trace_id
  JOIN numbered AS n ON n.measure = 'makespan'
  ANTI JOIN makespan AS m ON m.side = c.side AND m.step_id = c.step_id
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
  JOIN complete_step AS c ON c.side = s.side AND c.step_id = s.step_id
),
test AS (
  SELECT n.measure, e.*
  FROM step_change(
    (SELECT numbers FROM listed_sample),
    (SELECT sides FROM listed_sample),
    (SELECT run_ids FROM listed_sample),
    (SELECT trace_ids FROM listed_sample),
    (SELECT positions FROM listed_sample),
    (SELECT amounts FROM listed_sample)
  ) AS e
  JOIN numbered AS n ON n.number = e.row_number
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
  e.basis AS spread,
  e.typical_a,
  e.typical_b,
  e.typical_change,
  e.change_low,
  e.change_high,
  e.n_effective_a,
  e.n_effective_b,
  e.n_warm_up_a,
  e.n_warm_up_b,
  e.outliers_a,
  e.outliers_b,
  e.t,
  CAST(e.degrees_of_freedom AS DOUBLE) AS degrees_of_freedom,
  e.p,
  e.q,
  e.reason AS no_p
FROM changed AS f
CROSS JOIN total_size AS z
LEFT JOIN test AS e ON e.measure = f.measure
ORDER BY f.place
