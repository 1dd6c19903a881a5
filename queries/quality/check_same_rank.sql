/* ---
name = "check_same_rank"
version = 3
title = "Several traces of one rank"
help = """
Two recordings of one rank may be intended. Figures per rank then have several rows, and queries
that pair ranks use the first trace. A recording of another time, such as the next window of a
profiler, is a note: on a clock that counts from 1970 it begins after each earlier one ends, or ends
before it begins, and has no number of a step in common with any.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=11" }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of timelines of the run with a known rank"
examples.help = "Rank, and the earlier trace of it, of a warning one that is counted twice"

[changes]
3 = "a recording of another time is a note"
1 = "first version"
2 = "excludes a graph beside the timeline of its rank"
--- */
WITH placed AS (
  SELECT
    id,
    run_id,
    rank,
    name,
    base_ns > 946684800000000000 AS is_since_epoch, -- The year 2000.
    base_ns + coalesce(start_ts, 0) AS start_ns,
    base_ns + coalesce(end_ts, 0) AS end_ns,
    count(*) OVER (PARTITION BY run_id) AS n_traces
  FROM trace
  WHERE rank IS NOT NULL AND kind = 'timeline'
),
pair AS (
  SELECT
    l.id,
    l.rank,
    l.n_traces,
    e.id AS earlier_id,
    e.name AS earlier_name,
    l.is_since_epoch AND e.is_since_epoch AND (l.start_ns >= e.end_ns OR l.end_ns <= e.start_ns)
      AS is_of_another_time
  FROM placed AS l
  JOIN placed AS e ON e.run_id = l.run_id AND e.rank = l.rank AND e.id < l.id
),
-- Two executions of a program have the same steps.
common_step AS (
  SELECT DISTINCT p.id, p.earlier_id
  FROM pair AS p
  JOIN whole_step AS l ON l.trace_id = p.id
  JOIN whole_step AS e ON e.trace_id = p.earlier_id AND e.number = l.number
  WHERE p.is_of_another_time
),
judged AS (
  SELECT p.*, NOT p.is_of_another_time OR c.id IS NOT NULL AS is_counted_twice
  FROM pair AS p
  LEFT JOIN common_step AS c ON c.id = p.id AND c.earlier_id = p.earlier_id
),
finding AS (
  SELECT
    id AS trace_id,
    CAST(1 AS BIGINT) AS n_found,
    n_traces AS n_looked_at,
    is_counted_twice,
    'rank ' || rank || ' is also the rank of trace ' || earlier_name AS examples
  FROM judged
  QUALIFY row_number() OVER (PARTITION BY id ORDER BY NOT is_counted_twice, earlier_id) = 1
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'same_rank' AS check_name,
  CASE WHEN f.is_counted_twice THEN 'warning' ELSE 'note' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  CASE
    WHEN f.is_counted_twice
    THEN 'The run has an earlier trace of this rank; sums over the run count the rank twice.'
    ELSE 'The run has a trace of this rank at another time; figures per rank have a row for each, and '
      || 'queries that pair ranks use the first.'
  END AS meaning,
  'Select one with --trace, or import them as separate runs.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
