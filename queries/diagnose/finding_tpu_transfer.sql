/* ---
name = "finding_tpu_transfer"
version = 1
title = "Finding: cores of a TPU move data without computing"
help = """
Time in which DMA engines of a core move data and its TIU does not compute, of the core with most of it.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["tpu_core_overlap@2"], rows = ["tpu_command"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'tpu_transfer'"
subject.help = "Core"
n_events.help = "Number of cores with such transfers"
bound_ns.help = "Transfers that no computation hides"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  'tpu_transfer' AS finding,
  'core ' || u.core AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  count(*) OVER (PARTITION BY u.trace_id) AS n_events,
  u.either_ns - u.compute_ns AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'tpu_overlap' AS evidence,
  'Its DMA engines move data while it does not compute' AS sentence,
  'Keep data in local memory (fuse layers, larger tiles), and load the next while computing' AS remedy
FROM tpu_core_overlap() AS u
JOIN trace AS t ON t.id = u.trace_id
WHERE u.either_ns > u.compute_ns
QUALIFY row_number() OVER (
  PARTITION BY t.run_id ORDER BY u.either_ns - u.compute_ns DESC, u.trace_id, u.core
) = 1
ORDER BY t.run_id
