/* ---
name = "finding_slow_collective"
version = 1
title = "Finding: collectives slower than the fastest of their group and size"
help = """
How much longer transfers take, from the arrival of the last rank, than a tenth of the collectives of equal
kind, group and size, of which there are at least ten.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_member@1"], rows = ["link where kind = 'collective_peer'"] }
scale = "run"
needs = "ten collectives of equal kind, group and size, of several ranks whose clocks are related"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'slow_collective'"
subject.help = "Kind and size of the collectives"
n_events.help = "Number of collectives"
bound_ns.help = "Time beyond that of the fastest tenth"

[changes]
1 = "first version"
--- */
WITH transfer AS (
  SELECT
    run_id,
    instance_id,
    any_value(kind) AS kind,
    any_value(group_name) AS group_name,
    max(message_bytes) AS message_bytes,
    max(aligned_end_ns) - max(aligned_start_ns) AS transfer_ns
  FROM collective_member()
  WHERE is_synchronizing AND confidence > 0.5
  GROUP BY run_id, instance_id
  HAVING count(*) > 1 AND count(*) = count(aligned_start_ns)
),
compared AS (
  SELECT
    *,
    quantile_cont(transfer_ns, 0.1) OVER alike AS best_ns,
    count(*) OVER alike AS n_alike
  FROM transfer
  WHERE transfer_ns > 0
  WINDOW alike AS (PARTITION BY run_id, kind, group_name, message_bytes)
)
SELECT
  run_id,
  'slow_collective' AS finding,
  concat_ws(' ', kind, message_bytes || ' bytes', group_name) AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  count(*) AS n_events,
  round(sum(greatest(transfer_ns - best_ns, 0)))::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'collective_instance' AS evidence,
  'Transfers take longer than the fastest of equal size' AS sentence,
  'Look for other traffic, computation beside it, and changing routes' AS remedy
FROM compared
WHERE n_alike >= 10
GROUP BY run_id, kind, group_name, message_bytes
HAVING bound_ns > 0
ORDER BY run_id, bound_ns DESC, subject
