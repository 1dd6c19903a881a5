/* ---
name = "compare_steps"
version = 1
title = "Steps of two sides in order: host time and device time"
help = """
Traces are paired by rank where both sides have it, the others in order of rank and id. Steps are
paired by order, because recordings start at different step numbers. Device time is the sum of the
durations of the work launched in the step, including work that overlaps.
"""
grain = ["pair", "position"]
requires = { schema = ">=1", queries = ["compare_side@1", "device_work_by_step@1"] }
columns = [
  "pair", "position", "status", "run_id_a", "run_id_b", "trace_id_a", "trace_id_b", "rank_a",
  "rank_b", "step_a", "step_b", "host_a_ns", "host_b_ns", "host_change_ns", "host_change_ratio",
  "device_a_ns", "device_b_ns", "device_change_ns", "device_change_ratio",
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
pair = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the pair of traces, from 1" }
position.help = "Position of the step in its trace, from 1"
status = { type = "VARCHAR", unit = "text", check = "IN ('added', 'removed', 'both')", help = "added, removed or both" }
run_id_a = { type = "BIGINT", unit = "ref run.id", nullable = true, help = "Run on side a; NULL: no such step there" }
run_id_b = { type = "BIGINT", unit = "ref run.id", nullable = true, help = "Run on side b; NULL: no such step there" }
step_a = { type = "BIGINT", unit = "count", nullable = true, help = "Step number on side a; NULL: no such step there" }
step_b = { type = "BIGINT", unit = "count", nullable = true, help = "Step number on side b; NULL: no such step there" }
host_a_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Duration of the step on the host, side a" }
host_b_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "As host_a_ns, on side b" }
host_change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "host_change_ns / host_a_ns" }
device_a_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Device time launched in the step, side a" }
device_b_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "As device_a_ns, on side b" }

[column.trace_id_a]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace on side a; NULL: no such step there"

[column.trace_id_b]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace on side b; NULL: no such step there"

[column.rank_a]
type = "BIGINT"
unit = "count"
nullable = true
help = "Rank on side a, if known; NULL: no such step there"

[column.rank_b]
type = "BIGINT"
unit = "count"
nullable = true
help = "Rank on side b, if known; NULL: no such step there"

[column.host_change_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "host_b_ns - host_a_ns; NULL if one side lacks the step"

[column.device_change_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "device_b_ns - device_a_ns; NULL if one side lacks the step"

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
),
numbered AS (
  SELECT
    row_number() OVER (ORDER BY coalesce(a.rank, b.rank), p.trace_a, p.trace_b) AS pair,
    p.trace_a,
    p.trace_b
  FROM paired AS p
  LEFT JOIN trace AS a ON a.id = p.trace_a
  LEFT JOIN trace AS b ON b.id = p.trace_b
),
work AS (
  SELECT step_id, sum(total_ns)::BIGINT AS device_ns
  FROM device_work_by_step()
  WHERE step_id IS NOT NULL
  GROUP BY step_id
),
stepped AS (
  SELECT
    s.trace_id,
    s.number,
    greatest(s.dur, 0) AS host_ns,
    coalesce(w.device_ns, 0) AS device_ns,
    row_number() OVER (PARTITION BY s.trace_id ORDER BY s.ts, s.slice_id) AS position
  FROM step AS s
  LEFT JOIN work AS w ON w.step_id = s.slice_id
),
step_a AS (
  SELECT n.pair, s.trace_id, s.number, s.host_ns, s.device_ns, s.position
  FROM numbered AS n
  JOIN stepped AS s ON s.trace_id = n.trace_a
),
step_b AS (
  SELECT n.pair, s.trace_id, s.number, s.host_ns, s.device_ns, s.position
  FROM numbered AS n
  JOIN stepped AS s ON s.trace_id = n.trace_b
)
SELECT
  coalesce(a.pair, b.pair) AS pair,
  coalesce(a.position, b.position) AS position,
  CASE
    WHEN a.pair IS NULL THEN 'added'
    WHEN b.pair IS NULL THEN 'removed'
    ELSE 'both'
  END AS status,
  ta.run_id AS run_id_a,
  tb.run_id AS run_id_b,
  a.trace_id AS trace_id_a,
  b.trace_id AS trace_id_b,
  ta.rank AS rank_a,
  tb.rank AS rank_b,
  a.number AS step_a,
  b.number AS step_b,
  a.host_ns AS host_a_ns,
  b.host_ns AS host_b_ns,
  b.host_ns - a.host_ns AS host_change_ns,
  (b.host_ns - a.host_ns) / nullif(a.host_ns, 0) AS host_change_ratio,
  a.device_ns AS device_a_ns,
  b.device_ns AS device_b_ns,
  b.device_ns - a.device_ns AS device_change_ns,
  (b.device_ns - a.device_ns) / nullif(a.device_ns, 0) AS device_change_ratio
FROM step_a AS a
FULL JOIN step_b AS b ON b.pair = a.pair AND b.position = a.position
LEFT JOIN trace AS ta ON ta.id = a.trace_id
LEFT JOIN trace AS tb ON tb.id = b.trace_id
ORDER BY coalesce(a.pair, b.pair), coalesce(a.position, b.position)
