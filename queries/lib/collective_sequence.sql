/* ---
name = "collective_sequence"
version = 1
title = "Collectives without numbers of each pair of ranks that may share them"
help = """
Only operations with equal match_key (collective_op) can be one collective. Keys whose operations
all have numbers are left out. Each other rank is paired with the lowest rank that has the key. All
recordings of a rank whose clocks count from 1970 are one sequence, because the clock of the rank
runs on between them; other recordings of a rank are paired in their order, the second with the
second, or with the first if the lowest rank has fewer.
"""
grain = ["hub_trace_id", "spoke_trace_id", "slice_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
scale = "run"
columns = [
  "hub_trace_id", "spoke_trace_id", "is_hub", "slice_id", "trace_id", "match_key", "is_transfer",
  "is_synchronizing", "is_named", "is_since_epoch", "start_ns", "end_ns", "n", "n_ops",
]

[param.run_id]
type = "BIGINT"
help = "Run whose ranks to pair"

[column]
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the sequence of the lowest rank" }
spoke_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the sequence of the other rank" }
is_hub = { type = "BOOLEAN", unit = "bool", help = "Whether the operation is one of the lowest rank" }
trace_id.help = "Trace of the operation"
match_key = { type = "VARCHAR", unit = "text", help = "As in collective_op" }
is_transfer = { type = "BOOLEAN", unit = "bool", help = "As in collective_op" }
is_named = { type = "BOOLEAN", unit = "bool", help = "Whether the members or the name of the group are recorded" }
is_since_epoch = { type = "BOOLEAN", unit = "bool", help = "Whether the clock counts from 1970" }
start_ns.help = "Start, on the clock of its trace, since its epoch"
end_ns.help = "End, on the clock of its trace, since its epoch"
n = { type = "BIGINT", unit = "count", check = "> 0", help = "Position by end among the operations of the sequence with this key, from 1" }
n_ops.help = "Number of operations of the sequence with this key"

[changes]
1 = "first version"
--- */
WITH timeline AS (
  SELECT
    id AS trace_id,
    rank,
    base_ns,
    base_ns > 946684800000000000 AS is_since_epoch, -- The year 2000.
    CASE
      WHEN rank IS NOT NULL AND base_ns > 946684800000000000
        THEN min(id) OVER (PARTITION BY rank, base_ns > 946684800000000000)
      ELSE id
    END AS sequence_id
  FROM trace
  WHERE run_id = $run_id::BIGINT AND kind = 'timeline'
),
numbering AS (
  SELECT
    *,
    count(sequence_number) OVER (PARTITION BY match_key) = count(*) OVER (PARTITION BY match_key)
      AS is_numbered
  FROM collective_op()
  WHERE run_id = $run_id::BIGINT
),
op AS (
  SELECT
    t.sequence_id,
    t.rank,
    t.is_since_epoch,
    o.slice_id,
    o.trace_id,
    o.match_key,
    o.is_transfer,
    o.is_synchronizing,
    o.group_name IS NOT NULL OR o.group_ranks_json IS NOT NULL AS is_named,
    o.base_ns + o.start_ns AS start_ns,
    o.base_ns + o.end_ns AS end_ns,
    row_number() OVER (
      PARTITION BY t.sequence_id, o.match_key ORDER BY o.base_ns + o.end_ns, o.slice_id
    ) AS n,
    count(*) OVER (PARTITION BY t.sequence_id, o.match_key) AS n_ops
  FROM numbering AS o
  JOIN timeline AS t ON t.trace_id = o.trace_id
  WHERE NOT o.is_numbered
),
-- Sequences of a rank in their order; ranks without a number are all different.
ordinal AS (
  SELECT
    sequence_id,
    row_number() OVER (PARTITION BY coalesce(rank, -sequence_id) ORDER BY sequence_id) AS place,
    count(*) OVER (PARTITION BY coalesce(rank, -sequence_id)) AS n_sequences
  FROM (SELECT DISTINCT rank, sequence_id FROM timeline)
),
holder AS (
  SELECT
    k.*,
    o.place,
    o.n_sequences,
    first_value(k.rank) OVER by_rank AS hub_rank,
    first_value(k.sequence_id) OVER by_rank AS first_id
  FROM (SELECT DISTINCT match_key, rank, sequence_id FROM op) AS k
  JOIN ordinal AS o ON o.sequence_id = k.sequence_id
  WINDOW by_rank AS (PARTITION BY k.match_key ORDER BY k.rank NULLS LAST, k.sequence_id)
),
-- The recording of the same place, or the first one if the lowest rank has fewer.
pair AS (
  SELECT s.match_key, h.sequence_id AS hub_id, s.sequence_id AS spoke_id
  FROM holder AS s
  JOIN ordinal AS f ON f.sequence_id = s.first_id
  JOIN holder AS h
    ON h.match_key = s.match_key
    AND h.rank IS NOT DISTINCT FROM s.hub_rank
    AND CASE WHEN s.place <= f.n_sequences THEN h.place = s.place ELSE h.sequence_id = s.first_id END
  WHERE s.sequence_id <> s.first_id
    AND (s.rank <> s.hub_rank OR s.rank IS NULL)
    AND (h.rank IS NOT NULL OR h.sequence_id = s.first_id)
),
side AS (
  SELECT hub_id, spoke_id, match_key, hub_id AS sequence_id, true AS is_hub FROM pair
  UNION ALL
  SELECT hub_id, spoke_id, match_key, spoke_id, false FROM pair
)
SELECT
  p.hub_id AS hub_trace_id,
  p.spoke_id AS spoke_trace_id,
  p.is_hub,
  o.slice_id,
  o.trace_id,
  o.match_key,
  o.is_transfer,
  o.is_synchronizing,
  o.is_named,
  o.is_since_epoch,
  o.start_ns,
  o.end_ns,
  o.n,
  o.n_ops
FROM op AS o
JOIN side AS p ON p.sequence_id = o.sequence_id AND p.match_key = o.match_key
ORDER BY hub_trace_id, spoke_trace_id, slice_id
