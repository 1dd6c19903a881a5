/* ---
name = "compare_step_key"
version = 1
title = "Whole steps of both sides with the key on which they are matched"
help = """
Steps of the traces of a pair (compare_pair) are matched by number where numbers are distinct and at
least half of the shorter trace's are on both sides; where recordings began at other numbers, by the
number from the first; without distinct numbers, by time: a gap as long as steps counts as steps.

Each trace is in one pair of compare_pair. A trace without a partner there is in one more, with a
trace of the other side that stands in for it: the first of its rank, else the first.
"""
grain = ["pair", "side", "step_id"]
requires = { schema = ">=1", queries = ["compare_pair@1", "compare_step@1"] }
columns = ["pair", "owner", "side", "trace_id", "step_id", "step", "key", "position", "start_ns", "end_ns"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
pair = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the pair of traces, from 1; those of compare_pair first" }
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
step_id.help = "Slice of the step"
key = { type = "BIGINT", unit = "count", help = "Equal for matched steps of a pair, and distinct for the others of a side" }
position.help = "Position of the step among the whole steps of its trace, from 1"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; after the start"

[column.owner]
type = "VARCHAR"
unit = "text"
check = "IN ('both', 'none', 'a', 'b')"
help = "Whose steps the pair matches: both sides'; none: a trace alone; a or b: of that side, the other trace stands in"

[changes]
1 = "first version"
--- */
WITH given AS (
  SELECT
    pair,
    CASE WHEN trace_id_a IS NULL OR trace_id_b IS NULL THEN 'none' ELSE 'both' END AS owner,
    trace_id_a,
    trace_id_b,
    rank_a,
    rank_b
  FROM compare_pair($a::VARCHAR, $b::VARCHAR)
),
every AS (
  SELECT 'a' AS side, trace_id_a AS trace_id, rank_a AS rank FROM given WHERE trace_id_a IS NOT NULL
  UNION ALL
  SELECT 'b', trace_id_b, rank_b FROM given WHERE trace_id_b IS NOT NULL
),
stand_in AS (
  SELECT
    g.pair,
    CASE WHEN g.trace_id_b IS NULL THEN 'a' ELSE 'b' END AS owner,
    coalesce(g.trace_id_a, g.trace_id_b) AS trace_id,
    e.trace_id AS other_id,
    row_number() OVER (
      PARTITION BY g.pair
      ORDER BY
        CASE WHEN e.rank = coalesce(g.rank_a, g.rank_b) THEN 0 ELSE 1 END,
        e.rank NULLS LAST,
        e.trace_id
    ) AS place
  FROM given AS g
  JOIN every AS e ON e.side = CASE WHEN g.trace_id_b IS NULL THEN 'b' ELSE 'a' END
  WHERE g.owner = 'none'
),
member AS (
  SELECT pair, owner, 'a' AS side, trace_id_a AS trace_id FROM given WHERE trace_id_a IS NOT NULL
  UNION ALL
  SELECT pair, owner, 'b', trace_id_b FROM given WHERE trace_id_b IS NOT NULL
  UNION ALL
  SELECT pair + (SELECT count(*) FROM given), owner, owner, trace_id FROM stand_in WHERE place = 1
  UNION ALL
  SELECT pair + (SELECT count(*) FROM given), owner, CASE owner WHEN 'a' THEN 'b' ELSE 'a' END,
    other_id
  FROM stand_in
  WHERE place = 1
),
-- Steps of a trace that are missing before each, by the time that no step covers.
gap AS (
  SELECT
    *,
    start_ns - lag(end_ns) OVER of_trace AS gap_ns,
    median(end_ns - start_ns) OVER (PARTITION BY side, trace_id) AS usual_ns
  FROM compare_step($a::VARCHAR, $b::VARCHAR)
  WINDOW of_trace AS (PARTITION BY side, trace_id ORDER BY position)
),
usual_gap AS (
  SELECT *, greatest(min(gap_ns) OVER (PARTITION BY side, trace_id), 0) AS usual_gap_ns
  FROM gap
),
timed AS (
  SELECT
    side,
    trace_id,
    step_id,
    step,
    position,
    start_ns,
    end_ns,
    sum(
      1 + greatest(coalesce(round((gap_ns - usual_gap_ns) / (usual_ns + usual_gap_ns)), 0), 0)
    ) OVER (PARTITION BY side, trace_id ORDER BY position) AS time_place,
    min(step) OVER (PARTITION BY side, trace_id) AS first_step,
    n_steps
  FROM usual_gap
),
in_pair AS (
  SELECT
    m.pair,
    m.owner,
    t.*,
    count(*) OVER (PARTITION BY m.pair, t.side, t.step) = 1 AND t.step IS NOT NULL AS is_numbered
  FROM member AS m
  JOIN timed AS t ON t.side = m.side AND t.trace_id = m.trace_id
),
shared AS (
  SELECT a.pair, count(*) AS n_shared
  FROM in_pair AS a
  JOIN in_pair AS b ON b.pair = a.pair AND b.step = a.step
  WHERE a.side = 'a' AND b.side = 'b'
  GROUP BY a.pair
),
manner AS (
  SELECT
    i.pair,
    CASE
      WHEN NOT bool_and(i.is_numbered) THEN 'time'
      WHEN 2 * coalesce(max(s.n_shared), 0)
        >= least(max(CASE WHEN i.side = 'a' THEN i.n_steps END), max(CASE WHEN i.side = 'b' THEN i.n_steps END))
      THEN 'number'
      ELSE 'offset'
    END AS manner
  FROM in_pair AS i
  LEFT JOIN shared AS s ON s.pair = i.pair
  GROUP BY i.pair
)
SELECT
  i.pair,
  i.owner,
  i.side,
  i.trace_id,
  i.step_id,
  i.step,
  CASE m.manner
    WHEN 'time' THEN i.time_place
    WHEN 'number' THEN i.step
    ELSE i.step - i.first_step
  END::BIGINT AS key,
  i.position,
  i.start_ns,
  i.end_ns
FROM in_pair AS i
JOIN manner AS m ON m.pair = i.pair
