/* ---
name = "finding_tpu_imbalance"
version = 1
title = "Finding: cores of a TPU wait for the one with most work"
help = """
How much longer the core with most work works than the mean of all cores, of the engine where that is most.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["tpu_engine_step@2"], rows = ["tpu_command"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'tpu_imbalance'"
subject.help = "Engine and core"
n_events.help = "Number of cores"
bound_ns.help = "Work beyond the mean"

[changes]
1 = "first version"
--- */
WITH worked AS (
  SELECT trace_id, engine, core, sum(work_ns)::BIGINT AS work_ns
  FROM tpu_engine_step()
  WHERE core IS NOT NULL
  GROUP BY trace_id, engine, core
),
cores AS (
  SELECT trace_id, count(DISTINCT core) AS n_cores FROM worked GROUP BY trace_id
),
by_engine AS (
  SELECT
    w.trace_id,
    w.engine,
    any_value(c.n_cores) AS n_cores,
    max_by(w.core, (w.work_ns, -w.core)) AS core,
    max(w.work_ns) - sum(w.work_ns) / any_value(c.n_cores) AS more_ns
  FROM worked AS w
  JOIN cores AS c ON c.trace_id = w.trace_id
  GROUP BY w.trace_id, w.engine
)
SELECT
  t.run_id,
  'tpu_imbalance' AS finding,
  b.engine || ' of core ' || b.core AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  b.n_cores AS n_events,
  round(b.more_ns)::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'tpu_core_imbalance' AS evidence,
  'It works longer than the mean of the cores' AS sentence,
  'Split the layers more evenly over the cores' AS remedy
FROM by_engine AS b
JOIN trace AS t ON t.id = b.trace_id
WHERE b.n_cores > 1 AND b.more_ns > 0
QUALIFY row_number() OVER (PARTITION BY t.run_id ORDER BY b.more_ns DESC, b.trace_id, b.engine) = 1
ORDER BY t.run_id
