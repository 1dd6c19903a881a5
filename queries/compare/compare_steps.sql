/* ---
name = "compare_steps"
version = 3
title = "Steps of two sides, matched by number and time: host time and device time"
help = """
Whole steps of a pair of traces (compare_pair) are matched by number if at least half of the numbers of
the shorter trace are on both sides; else by number counted from the first of the trace, because
recordings start at different steps; else, where steps have no numbers or repeat them, by order, in which
a gap as long as a step counts as a step that is missing. Device time is the sum of the durations of the
work launched in the step, including work that overlaps, and in a time window work that runs outside of
it; it is NULL if it cannot be compared per step, and not_compared is the reason.
"""
grain = ["pair", "position"]
requires = { schema = ">=1", queries = ["compare_step_key@1", "compare_unit@1", "device_work_by_step@2"] }
columns = [
  "pair", "position", "status", "run_id_a", "run_id_b", "trace_id_a", "trace_id_b", "rank_a",
  "rank_b", "step_a", "step_b", "host_a_ns", "host_b_ns", "host_change_ns", "host_change_ratio",
  "device_a_ns", "device_b_ns", "device_change_ns", "device_change_ratio", "not_compared",
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
position.help = "Position of the step among those of the pair, from 1"
not_compared = { type = "VARCHAR", unit = "text", nullable = true, help = "Why device time is not compared; NULL: it is" }
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
3 = "a time window contains its steps with all their work"
1 = "first version"
2 = "matches steps by number and time; steps are whole steps; new column not_compared"
--- */
WITH unit AS (
  SELECT
    side,
    trace_id,
    coalesce(not_compared, 'no ' || not_included, CASE WHEN basis = 'trace' THEN 'compared per trace' END)
      AS not_compared
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject = 'device'
),
work AS (
  SELECT step_id, sum(total_ns)::BIGINT AS device_ns
  FROM device_work_by_step()
  WHERE step_id IS NOT NULL
  GROUP BY step_id
),
keyed AS (
  SELECT
    k.pair,
    k.side,
    k.trace_id,
    k.step AS number,
    k.end_ns - k.start_ns AS host_ns,
    u.not_compared,
    CASE WHEN u.not_compared IS NULL THEN coalesce(w.device_ns, 0) END AS device_ns,
    k.key
  FROM compare_step_key($a::VARCHAR, $b::VARCHAR) AS k
  JOIN unit AS u ON u.side = k.side AND u.trace_id = k.trace_id
  LEFT JOIN work AS w ON w.step_id = k.step_id
  WHERE k.owner IN ('both', 'none')
),
step_a AS (SELECT * FROM keyed WHERE side = 'a'),
step_b AS (SELECT * FROM keyed WHERE side = 'b')
SELECT
  coalesce(a.pair, b.pair) AS pair,
  row_number() OVER (PARTITION BY coalesce(a.pair, b.pair) ORDER BY coalesce(a.key, b.key))
    AS position,
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
  (b.device_ns - a.device_ns) / nullif(a.device_ns, 0) AS device_change_ratio,
  coalesce(a.not_compared, b.not_compared) AS not_compared
FROM step_a AS a
FULL JOIN step_b AS b ON b.pair = a.pair AND b.key = a.key
LEFT JOIN trace AS ta ON ta.id = a.trace_id
LEFT JOIN trace AS tb ON tb.id = b.trace_id
ORDER BY pair, position
