/* ---
name = "link_launch"
version = 6
title = "Links from runtime or driver calls to the device work they caused"
help = """
Device work and its call share a correlation id. Each process counts its own ids, so if several
processes make calls and a stream is known to belong to one of them, only that process causes its
work. If several calls of a trace have the same id (a wrapped counter, a nested call, a stream of
unknown process), the last one that began before the work is the cause, or the first one if all
began later. One call may cause several operations, as a graph launch does.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the call"
to_id.help = "Slice of the device work"
kind.help = "launch; sync_call if the work is a wait"
rule.help = "correlation"
confidence.help = "1 if one call has the id, 0.9 if the last of several was taken, 0.5 if all began after the work"

[changes]
6 = "of calls with one id that begin at one time, the last"
5 = "a process that stands for a device owns no streams, also where a process with calls has its number"
4 = "faster; work on the tracks of a process that waits for it and launches none of it is linked to calls of others"
3 = "calls of other processes are excluded where streams are known to belong to a process that makes calls"
2 = "ids shared by many calls are as fast as others; work before all its calls has confidence 0.5"
1 = "first version"
--- */
-- Processes that make calls, if there are several, with all their tracks; the rest of a trace is one
-- process, -1 - trace_id.
-- Kineto shows each device as a process with the number of the device, which may be that of a
-- process with calls: its streams are of any process.
WITH track_process AS (
  SELECT
    k.id AS track_id,
    k.trace_id,
    CASE WHEN p.pid = d.ordinal THEN NULL ELSE k.process_id END AS process_id
  FROM track AS k
  LEFT JOIN process AS p ON p.id = k.process_id
  LEFT JOIN device AS d ON d.id = k.device_id
  WHERE k.trace_id = $trace_id::BIGINT
),
caller AS (
  SELECT process_id, count(*) OVER (PARTITION BY trace_id) AS n_callers
  FROM (
    SELECT DISTINCT p.trace_id, p.process_id
    FROM track_process AS p
    SEMI JOIN (
      SELECT DISTINCT track_id FROM launch WHERE trace_id = $trace_id::BIGINT
    ) AS l ON l.track_id = p.track_id
    WHERE p.process_id IS NOT NULL
  )
),
belonging AS MATERIALIZED (
  SELECT p.track_id, p.process_id
  FROM track_process AS p
  JOIN caller AS c ON c.process_id = p.process_id
  WHERE c.n_callers > 1
),
-- A process owns the work on its tracks if one of its own calls caused some of it. The device of
-- MTIA is a process that also waits while another one launches.
owner AS MATERIALIZED (
  SELECT b.track_id, b.process_id
  FROM belonging AS b
  SEMI JOIN (
    SELECT l.process_id
    FROM (
      SELECT x.correlation_id, o.process_id
      FROM launch AS x
      JOIN belonging AS o ON o.track_id = x.track_id
      WHERE x.trace_id = $trace_id::BIGINT
    ) AS l
    SEMI JOIN (
      SELECT y.correlation_id, o.process_id
      FROM gpu_op AS y
      JOIN belonging AS o ON o.track_id = y.track_id
      WHERE y.trace_id = $trace_id::BIGINT
    ) AS w ON w.correlation_id = l.correlation_id AND w.process_id = l.process_id
  ) AS c ON c.process_id = b.process_id
),
-- Not materialized: reading it twice is faster than writing it.
owned AS NOT MATERIALIZED (
  SELECT slice_id, ts, correlation_id, -1 - trace_id AS process_id
  FROM launch
  WHERE trace_id = $trace_id::BIGINT
    AND correlation_id IS NOT NULL
  UNION ALL
  SELECT l.slice_id, l.ts, l.correlation_id, o.process_id
  FROM launch AS l
  JOIN owner AS o ON o.track_id = l.track_id
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.correlation_id IS NOT NULL
),
call AS (
  SELECT correlation_id, process_id, count(*) AS n_calls, min(slice_id) AS call_id
  FROM owned
  GROUP BY correlation_id, process_id
),
work AS MATERIALIZED (
  SELECT g.slice_id, g.kind, g.ts, g.correlation_id, g.process_id, c.n_calls, c.call_id
  FROM call AS c
  JOIN (
    SELECT
      w.slice_id,
      w.kind,
      w.ts,
      w.correlation_id,
      coalesce(o.process_id, -1 - w.trace_id) AS process_id
    FROM gpu_op AS w
    LEFT JOIN owner AS o ON o.track_id = w.track_id
    WHERE w.trace_id = $trace_id::BIGINT
  ) AS g ON g.correlation_id = c.correlation_id AND g.process_id = c.process_id
),
each_repeated AS (
  SELECT
    l.slice_id,
    l.correlation_id,
    l.process_id,
    -- The first call of an id also covers all the time before it.
    CASE
      WHEN row_number() OVER (
        PARTITION BY l.correlation_id, l.process_id ORDER BY l.ts, l.slice_id
      ) > 1 THEN l.ts
      ELSE -9223372036854775807
    END AS from_ts,
    l.ts
  FROM owned AS l
  SEMI JOIN (
    SELECT DISTINCT correlation_id, process_id FROM work WHERE n_calls > 1
  ) AS w ON w.correlation_id = l.correlation_id AND w.process_id = l.process_id
),
repeated AS (
  SELECT max(slice_id) AS slice_id, correlation_id, process_id, from_ts, ts
  FROM each_repeated
  GROUP BY correlation_id, process_id, from_ts, ts
)
SELECT
  call_id AS from_id,
  slice_id AS to_id,
  CASE WHEN kind = 'sync' THEN 'sync_call' ELSE 'launch' END AS kind,
  'correlation' AS rule,
  confidence
FROM (
  SELECT slice_id, kind, call_id, 1::DOUBLE AS confidence
  FROM work
  WHERE n_calls = 1
  UNION ALL
  SELECT
    w.slice_id,
    w.kind,
    r.slice_id,
    CASE WHEN r.ts > w.ts THEN 0.5::DOUBLE ELSE 0.9::DOUBLE END
  FROM (
    SELECT slice_id, kind, ts, correlation_id, process_id FROM work WHERE n_calls > 1
  ) AS w
  ASOF JOIN repeated AS r
    ON r.correlation_id = w.correlation_id
    AND r.process_id = w.process_id
    AND w.ts >= r.from_ts
)
ORDER BY to_id
