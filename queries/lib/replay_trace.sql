/* ---
name = "replay_trace"
version = 1
title = "Timelines that replays simulate, with the time they share"
help = """
Traces of runs that have no graph of their own. Times are those of the run's reference clock, from the
first base of its traces on; a trace whose clock has no offset keeps its own.
"""
grain = ["trace_id"]
requires = { schema = ">=17" }
scale = "run"
computed_once = true
columns = ["trace_id", "run_id", "rank", "shift_ns", "drift", "is_aligned"]

[column]
shift_ns = { type = "BIGINT", unit = "ns", help = "Shared time of ts = 0" }
drift = { type = "DOUBLE", unit = "ratio", help = "Nanoseconds to add for each nanosecond since then" }
is_aligned = { type = "BOOLEAN", unit = "bool", help = "Whether its clock is related to that of other traces" }

[changes]
1 = "first version"
--- */
WITH placed AS (
  SELECT
    t.id AS trace_id,
    t.run_id,
    t.rank,
    t.base_ns + coalesce(c.offset_ns, 0) AS base_ns,
    coalesce(c.drift, 0) AS drift,
    c.offset_ns IS NOT NULL AS is_aligned
  FROM trace AS t
  LEFT JOIN clock AS c ON c.id = t.clock_id
  WHERE t.kind = 'timeline'
    AND t.run_id NOT IN (
      SELECT g.run_id
      FROM (SELECT t.run_id, g.kind FROM graph AS g JOIN trace AS t ON t.id = g.trace_id) AS g
      WHERE g.kind = 'dpro'
    )
)
SELECT
  trace_id,
  run_id,
  rank,
  base_ns - min(base_ns) OVER (PARTITION BY run_id) AS shift_ns,
  drift,
  is_aligned
FROM placed
ORDER BY trace_id
