/* ---
name = "tf_session_of"
version = 2
title = "Sessions in which slices end"
help = """
Number of the session during or before which a slice ends: 1 plus the sessions of its trace that
ended before. Unfinished slices have none.
"""
grain = ["slice_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["slice_id", "trace_id", "session"]

[column]
slice_id.help = "Slice of an operator or of device work"
session = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of the session, from 1" }

[changes]
2 = "all sessions that end at one time count"
1 = "first version"
--- */
WITH session AS (
  SELECT trace_id, ts + dur AS end_ts, count(*) OVER (PARTITION BY trace_id ORDER BY ts + dur) AS n
  FROM whole_step
  WHERE dur >= 0
),
part AS (
  SELECT slice_id, trace_id, ts + dur AS end_ts FROM cpu_op WHERE dur >= 0
  UNION ALL
  SELECT slice_id, trace_id, ts + dur FROM gpu_op WHERE dur >= 0
)
SELECT p.slice_id, p.trace_id, 1 + coalesce(s.n, 0) AS session
FROM part AS p
ASOF LEFT JOIN session AS s ON s.trace_id = p.trace_id AND s.end_ts < p.end_ts
WHERE p.trace_id IN (SELECT trace_id FROM session)
ORDER BY p.slice_id
