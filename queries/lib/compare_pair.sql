/* ---
name = "compare_pair"
version = 1
title = "Traces of two sides that are compared with each other"
help = """
Traces are paired by rank where both sides have it, the others in order of rank and id. A trace
without a partner has a row of its own.
"""
grain = ["pair"]
requires = { schema = ">=1", queries = ["compare_side@1"] }
columns = ["pair", "trace_id_a", "trace_id_b", "rank_a", "rank_b"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
pair = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the pair of traces, from 1" }
trace_id_a = { type = "BIGINT", unit = "ref trace.id", nullable = true, help = "Trace on side a; NULL: none" }
trace_id_b = { type = "BIGINT", unit = "ref trace.id", nullable = true, help = "Trace on side b; NULL: none" }
rank_a = { type = "BIGINT", unit = "count", nullable = true, help = "Rank on side a, if known" }
rank_b = { type = "BIGINT", unit = "count", nullable = true, help = "Rank on side b, if known" }

[changes]
1 = "first version"
--- */
WITH side AS (
  SELECT c.side, c.trace_id, t.run_id, t.rank
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  JOIN trace AS t ON t.id = c.trace_id
),
-- The first of several traces of one rank represents it.
ranked AS (
  SELECT
    side,
    trace_id,
    run_id,
    rank,
    row_number() OVER (PARTITION BY side, rank ORDER BY trace_id) AS place
  FROM side
),
by_rank AS (
  SELECT a.trace_id AS trace_a, b.trace_id AS trace_b
  FROM ranked AS a
  JOIN ranked AS b ON b.rank = a.rank AND b.place = a.place
  WHERE a.side = 'a' AND b.side = 'b'
),
rest AS (
  SELECT s.side, s.trace_id, row_number() OVER (PARTITION BY s.side ORDER BY s.rank, s.trace_id) AS place
  FROM side AS s
  LEFT JOIN by_rank AS p
    ON (s.side = 'a' AND p.trace_a = s.trace_id) OR (s.side = 'b' AND p.trace_b = s.trace_id)
  WHERE p.trace_a IS NULL
),
paired AS (
  SELECT trace_a, trace_b
  FROM by_rank
  UNION ALL
  SELECT a.trace_id, b.trace_id
  FROM (SELECT place, trace_id FROM rest WHERE side = 'a') AS a
  FULL JOIN (SELECT place, trace_id FROM rest WHERE side = 'b') AS b ON b.place = a.place
)
SELECT
  row_number() OVER (ORDER BY coalesce(a.rank, b.rank), p.trace_a, p.trace_b) AS pair,
  p.trace_a AS trace_id_a,
  p.trace_b AS trace_id_b,
  a.rank AS rank_a,
  b.rank AS rank_b
FROM paired AS p
LEFT JOIN trace AS a ON a.id = p.trace_a
LEFT JOIN trace AS b ON b.id = p.trace_b
