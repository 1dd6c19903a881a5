/* ---
name = "timeline_rank"
version = 1
title = "Ranks that represent a run of many ranks in a timeline"
help = """
Ranks are ordered by their mean step time on the host, or by the length of their traces where a run
has no steps: a third of the chosen ones have the shortest time, a third the longest, and the others
are nearest to the middle. All ranks of a run of at most max_ranks.
"""
grain = ["trace_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "time_ns", "reason"]

[param.max_ranks]
type = "BIGINT"
unit = "count"
default = 16
min = 3
help = "Maximum number of ranks of a run"

[column.time_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Mean step time of the rank, or the length of its trace"

[column.reason]
type = "VARCHAR"
unit = "text"
help = "shortest, longest or middle; all: the run has few ranks"

[changes]
1 = "first version"
--- */
WITH step_time AS (
  SELECT trace_id, avg(greatest(dur, 0)) AS time_ns
  FROM step
  GROUP BY trace_id
),
timed AS (
  SELECT
    t.run_id,
    t.id AS trace_id,
    t.rank,
    CASE WHEN count(s.time_ns) OVER (PARTITION BY t.run_id) > 0
      THEN s.time_ns
      ELSE (t.end_ts - t.start_ts)::DOUBLE
    END AS time_ns
  FROM trace AS t
  LEFT JOIN step_time AS s ON s.trace_id = t.id
  WHERE t.rank IS NOT NULL
),
placed AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY run_id) AS n_ranks,
    row_number() OVER (PARTITION BY run_id ORDER BY time_ns NULLS LAST, rank, trace_id) AS place
  FROM timed
),
-- Places 1 to third are the shortest, the last third places the longest; the others chosen lie
-- around the middle.
chosen AS (
  SELECT
    *,
    $max_ranks::BIGINT // 3 AS third,
    (n_ranks - ($max_ranks::BIGINT - 2 * ($max_ranks::BIGINT // 3))) // 2 AS before_middle
  FROM placed
),
reasoned AS (
  SELECT
    *,
    CASE
      WHEN n_ranks <= $max_ranks::BIGINT THEN 'all'
      WHEN place <= third THEN 'shortest'
      WHEN place > n_ranks - third THEN 'longest'
      WHEN place > before_middle AND place <= before_middle + $max_ranks::BIGINT - 2 * third
        THEN 'middle'
    END AS reason
  FROM chosen
)
SELECT run_id, trace_id, rank, time_ns, reason
FROM reasoned
WHERE reason IS NOT NULL
ORDER BY run_id, rank, trace_id
