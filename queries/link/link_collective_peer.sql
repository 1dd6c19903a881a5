/* ---
name = "link_collective_peer"
version = 2
title = "Links from a numbered collective on its lowest rank to the same collective on other ranks"
help = """
Only operations with equal match_key (collective_op) can be one collective. If every rank numbers
its operations, equal numbers are one collective; several operations with one number (coalesced
calls) are matched in order. If the numbers began again in another recording of a rank, the second
operation with a number is matched with the second. Operations without numbers are linked by
link_collective_order.
"""
grain = ["to_id"]
requires = { schema = ">=1", queries = ["collective_op@1"], rows = ["collective"] }
scale = "run"
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.run_id]
type = "BIGINT"
help = "Run to link"

[column]
from_id.help = "Slice of the collective on the lowest rank that has it"
to_id.help = "Slice of the collective on another rank"
kind.help = "collective_peer"
rule.help = "sequence"
confidence.help = "1 if the number is unique, 0.9 if all ranks have it equally often, else 0.5"

[changes]
1 = "first version"
2 = "operations without numbers are linked by link_collective_order; numbers that restart in another recording are separate"
--- */
WITH op AS (
  SELECT
    slice_id,
    trace_id,
    rank,
    match_key,
    sequence_number,
    base_ns + start_ns AS start_ns,
    base_ns + end_ns AS end_ns,
    count(sequence_number) OVER same_key = count(*) OVER same_key AS is_numbered
  FROM collective_op()
  WHERE run_id = $run_id::BIGINT
  WINDOW same_key AS (PARTITION BY match_key)
),
-- Ranks with several recordings: operations with one number that do not overlap are of several
-- attempts, each of which numbered from the start.
several AS (
  SELECT rank
  FROM trace
  WHERE run_id = $run_id::BIGINT AND kind = 'timeline' AND rank IS NOT NULL
  GROUP BY rank
  HAVING count(*) > 1
),
attempt AS (
  SELECT
    slice_id,
    sum(is_later::BIGINT) OVER (PARTITION BY rank, match_key, sequence_number ORDER BY start_ns, slice_id)
      AS attempt
  FROM (
    SELECT
      *,
      trace_id <> lag(trace_id) OVER earlier AND start_ns > max(end_ns) OVER (
        PARTITION BY rank, match_key, sequence_number ORDER BY start_ns, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS is_later
    FROM op
    WHERE is_numbered AND rank IN (FROM several)
    WINDOW earlier AS (
      PARTITION BY rank, match_key, sequence_number ORDER BY start_ns, slice_id
    )
  )
),
numbered AS (
  SELECT
    *,
    first_value(slice_id) OVER (
      PARTITION BY match_key, sequence_number, occurrence, attempt
      ORDER BY rank NULLS LAST, trace_id
    ) AS hub_id,
    first_value(rank) OVER (
      PARTITION BY match_key, sequence_number, occurrence, attempt
      ORDER BY rank NULLS LAST, trace_id
    ) AS hub_rank,
    count(*) OVER (PARTITION BY match_key, sequence_number, attempt, trace_id) AS n_same
  FROM (
    SELECT
      o.*,
      coalesce(a.attempt, 0) AS attempt,
      row_number() OVER (
        PARTITION BY o.trace_id, o.match_key, o.sequence_number, coalesce(a.attempt, 0)
        ORDER BY o.start_ns, o.slice_id
      ) AS occurrence
    FROM op AS o
    LEFT JOIN attempt AS a ON a.slice_id = o.slice_id
    WHERE o.is_numbered
  )
),
by_sequence AS (
  SELECT
    hub_id,
    slice_id,
    hub_rank,
    rank,
    CASE
      WHEN max(n_same) OVER same_number > min(n_same) OVER same_number THEN 0.5
      WHEN max(n_same) OVER same_number > 1 OR max(attempt) OVER same_number > 0 THEN 0.9
      ELSE 1
    END AS confidence
  FROM numbered
  WINDOW same_number AS (PARTITION BY match_key, sequence_number)
)
SELECT
  hub_id AS from_id,
  slice_id AS to_id,
  'collective_peer' AS kind,
  'sequence' AS rule,
  confidence::DOUBLE AS confidence
FROM by_sequence
WHERE hub_id <> slice_id AND (rank <> hub_rank OR rank IS NULL) -- Not another recording of a rank.
ORDER BY to_id
