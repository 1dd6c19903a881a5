/* ---
name = "changed_sequence"
version = 1
title = "Traces whose pairs in collective_sequence are changed by new traces of their run"
help = """
New traces change the pairs of another rank if they are of a lower rank than all that had one of its
keys so far, or of a rank with one of its keys that has other traces; if they have operations without
number where all had one; or if with them several traces name a group, so that the name becomes part
of its keys. All traces are changed if a trace has no rank, and if fewer than 50 are not new, because
what clock_shift compares of a pair depends on their number then.
"""
grain = ["trace_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
scale = "trace"
columns = ["trace_id"]

[param.run_id]
type = "BIGINT"
help = "Run whose traces to compare"

[param.first_new_id]
type = "BIGINT"
help = "Traces from this id on are new"

[column]
trace_id.help = "Timeline whose pairs as the other rank may be changed; new ones are"

[changes]
1 = "first version"
--- */
WITH timeline AS (
  SELECT
    id AS trace_id,
    rank,
    id >= $first_new_id::BIGINT AS is_new,
    CASE
      WHEN rank IS NOT NULL AND base_ns > 946684800000000000 -- The year 2000.
        THEN min(id) OVER (PARTITION BY rank, base_ns > 946684800000000000)
      ELSE id
    END AS sequence_id
  FROM trace
  WHERE run_id = $run_id::BIGINT AND kind = 'timeline'
),
whole AS (
  SELECT count(*) AS n_traces
  FROM timeline
  HAVING count(*) FILTER (WHERE NOT is_new) < 50 OR count(rank) < count(*)
),
again AS (
  SELECT rank
  FROM timeline
  GROUP BY rank
  HAVING bool_or(is_new) AND NOT bool_and(is_new)
),
op AS MATERIALIZED (
  SELECT
    o.trace_id,
    o.match_key,
    o.sequence_number,
    o.group_name,
    nullif(replace(o.group_ranks_json, ' ', ''), '[]') AS members,
    o.trace_id >= $first_new_id::BIGINT AS is_new,
    t.rank,
    t.sequence_id
  FROM collective_op() AS o
  LEFT JOIN timeline AS t ON t.trace_id = o.trace_id
  WHERE o.run_id = $run_id::BIGINT
),
changed_key AS (
  SELECT match_key
  FROM op
  GROUP BY match_key
  HAVING count(*) FILTER (WHERE rank IN (FROM again)) > 0
    OR count(*) FILTER (WHERE is_new) > 0 AND (
      min(rank) FILTER (WHERE is_new) < min(rank) FILTER (WHERE NOT is_new)
      OR (
        count(*) FILTER (WHERE is_new AND sequence_number IS NULL) > 0
        AND count(*) FILTER (WHERE NOT is_new AND sequence_number IS NULL) = 0
      )
    )
),
changed_group AS (
  SELECT members
  FROM op
  WHERE members IS NOT NULL
  GROUP BY members, group_name
  HAVING count(*) FILTER (WHERE is_new) > 0
    AND count(DISTINCT trace_id) FILTER (WHERE NOT is_new) = 1
),
changed AS (
  SELECT sequence_id FROM timeline WHERE is_new
  UNION
  SELECT o.sequence_id FROM op AS o SEMI JOIN changed_key AS k ON k.match_key = o.match_key
  UNION
  SELECT o.sequence_id FROM op AS o SEMI JOIN changed_group AS g ON g.members = o.members
)
SELECT t.trace_id
FROM timeline AS t
WHERE EXISTS (FROM whole) OR t.sequence_id IN (SELECT sequence_id FROM changed)
ORDER BY t.trace_id
