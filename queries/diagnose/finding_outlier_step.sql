/* ---
name = "finding_outlier_step"
version = 3
title = "Finding: some steps take much longer than the others"
help = """
Steps that take more than 1.5 times the median of their trace, of which there are at least three: by how much
they exceed the median. Of the ranks the one with most counts. A time window contains the steps that run in
it, compared with the median of all.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", rows = ["step"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'outlier_step'"
subject.help = "Numbers of the steps, the longest first"
n_events = { nullable = true, help = "NULL: the subject lists the steps" }
bound_ns.help = "Time beyond the median"

[changes]
3 = "the subject of one step is 'step N'; n_events is NULL; steps without a number are listed, too"
2 = "in a time window steps are compared with the median of all"
1 = "first version"
--- */
WITH timed AS (
  SELECT
    t.run_id,
    s.trace_id,
    s.slice_id,
    s.number,
    s.dur,
    median(s.dur) OVER (PARTITION BY s.trace_id) AS median_ns,
    count(*) OVER (PARTITION BY s.trace_id) AS n_steps
  FROM whole_step AS s
  JOIN trace AS t ON t.id = s.trace_id
  WHERE s.dur > 0
),
by_trace AS (
  SELECT
    run_id,
    trace_id,
    count(*) AS n_outliers,
    round(sum(dur - median_ns))::BIGINT AS more_ns,
    string_agg(coalesce(number::VARCHAR, '(no number)'), ', ' ORDER BY dur DESC, number, timed.slice_id)
      AS numbers
  FROM timed
  SEMI JOIN step AS k ON k.slice_id = timed.slice_id
  WHERE n_steps >= 3 AND dur > 1.5 * median_ns
  GROUP BY run_id, trace_id
)
SELECT
  run_id,
  'outlier_step' AS finding,
  CASE WHEN n_outliers = 1 THEN 'step ' ELSE 'steps ' END || numbers AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  NULL::BIGINT AS n_events,
  more_ns AS bound_ns,
  NULL::DOUBLE AS coverage,
  'typical_steps()' AS what_if,
  'step_statistics' AS evidence,
  CASE WHEN n_outliers = 1 THEN 'A step takes' ELSE 'Steps take' END
    || ' more than 1.5 times the median' AS sentence,
  'Leave warm-up out of the measurement; look for recompilation, checkpoints and garbage collection in them' AS remedy
FROM by_trace
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY more_ns DESC, trace_id) = 1
ORDER BY run_id
