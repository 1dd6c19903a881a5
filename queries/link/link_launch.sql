/* ---
name = "link_launch"
version = 7
title = "Links from runtime or driver calls to the device work they caused"
help = """
Device work and its call share a correlation id. Each process counts its own ids, so if several
processes make calls and a stream is known to belong to one of them, only that process causes its
work. In merged files the processes of devices are not known: each device belongs to the process whose
calls contradict its work least (calls after the work, or other External ids) and are the latest before
it, unless that process would cause the work of several devices with one id. If several calls of a
process have the same id (a wrapped counter, a nested call), the last one that began before the work is
the cause, or the first one if all began later. One call may cause several operations, as a graph
launch does.
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
confidence.help = "1 if one call has the id, 0.9 if one of several was taken, 0.5 if all began after the work, or calls of several processes fit, or none"

[changes]
7 = "in merged files, devices belong to the processes whose calls fit their work"
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
-- Of a merged file it is not known which process a device belongs to: its streams have the number
-- of the device, or are nobody's. All its streams are of one process (place_id).
place AS (
  SELECT
    k.id AS track_id,
    min(k.id) OVER (PARTITION BY k.trace_id, k.process_id, k.device_id) AS place_id
  FROM track AS k
  SEMI JOIN (
    SELECT t.trace_id
    FROM track_process AS t
    JOIN belonging AS b ON b.track_id = t.track_id
  ) AS m ON m.trace_id = k.trace_id
  ANTI JOIN owner AS o ON o.track_id = k.id
  WHERE k.trace_id = $trace_id::BIGINT
),
-- Ids of many calls (0 of all, say) tell nothing, and would take long.
telling AS (
  SELECT trace_id, correlation_id
  FROM launch
  WHERE trace_id = $trace_id::BIGINT
    AND correlation_id IS NOT NULL
  GROUP BY trace_id, correlation_id
  HAVING count(*) <= 16
),
-- Each process that may have caused an operation. A call and its work have one External id.
possible AS MATERIALIZED (
  SELECT
    w.slice_id,
    any_value(p.place_id) AS place_id,
    any_value(w.correlation_id) AS correlation_id,
    any_value(w.ts) AS ts,
    b.process_id,
    coalesce(bool_or(l.name ILIKE '%graph%'), false) AS is_graph,
    max(l.ts) FILTER (WHERE
      l.ts <= w.ts
      AND (l.external_id = w.external_id OR coalesce(least(l.external_id, w.external_id), 0) <= 0)
    ) AS call_ts
  FROM gpu_op AS w
  JOIN place AS p ON p.track_id = w.track_id
  JOIN telling AS t ON t.trace_id = w.trace_id AND t.correlation_id = w.correlation_id
  JOIN launch AS l ON l.trace_id = w.trace_id AND l.correlation_id = w.correlation_id
  JOIN belonging AS b ON b.track_id = l.track_id
  WHERE w.trace_id = $trace_id::BIGINT
    AND l.trace_id = $trace_id::BIGINT
  GROUP BY w.slice_id, b.process_id
),
-- The process of a device has called for most of its work, never after it, and the latest.
vote AS (
  SELECT
    place_id,
    process_id,
    row_number() OVER (
      PARTITION BY place_id ORDER BY n_against, delay_ns, process_id
    ) AS rank
  FROM (
    SELECT
      v.place_id,
      v.process_id,
      count(*) - count(v.call_ts) AS n_against,
      avg(v.ts - v.call_ts) AS delay_ns,
      count(*) AS n_called,
      any_value(n.n_works) AS n_works
    FROM possible AS v
    JOIN (
      SELECT place_id, count(DISTINCT slice_id) AS n_works FROM possible GROUP BY place_id
    ) AS n ON n.place_id = v.place_id
    GROUP BY v.place_id, v.process_id
  )
  WHERE n_called >= 0.8 * n_works
),
-- A process uses an id once: if two devices, or one, have work of another with its ids, it is open
-- which.
chosen_place AS (
  SELECT place_id, any_value(process_id) AS process_id
  FROM (
    SELECT
      v.place_id,
      p.process_id,
      count(*) OVER (PARTITION BY p.process_id, p.correlation_id) AS n_uses,
      p.is_graph
    FROM vote AS v
    JOIN possible AS p ON p.place_id = v.place_id AND p.process_id = v.process_id
    WHERE v.rank = 1
  )
  GROUP BY place_id
  HAVING count(*) FILTER (WHERE n_uses > 1 AND NOT is_graph) <= 0.1 * count(*)
),
-- Where it is open, the process that called last before the operation.
inferred AS MATERIALIZED (
  SELECT
    p.slice_id,
    coalesce(
      any_value(c.process_id),
      arg_max(p.process_id, (p.call_ts IS NOT NULL, coalesce(p.call_ts, 0), p.process_id))
    ) AS process_id,
    CASE
      WHEN any_value(c.process_id) IS NULL AND count(p.call_ts) <> 1 THEN 0.5::DOUBLE
      WHEN count(*) = 1 THEN 1::DOUBLE
      ELSE 0.9::DOUBLE
    END AS most
  FROM possible AS p
  LEFT JOIN chosen_place AS c ON c.place_id = p.place_id
  GROUP BY p.slice_id
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
  JOIN belonging AS o ON o.track_id = l.track_id
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.correlation_id IS NOT NULL
),
call AS (
  SELECT correlation_id, process_id, count(*) AS n_calls, min(slice_id) AS call_id
  FROM owned
  GROUP BY correlation_id, process_id
),
work AS MATERIALIZED (
  SELECT g.slice_id, g.kind, g.ts, g.correlation_id, g.process_id, g.most, c.n_calls, c.call_id
  FROM call AS c
  JOIN (
    SELECT
      w.slice_id,
      w.kind,
      w.ts,
      w.correlation_id,
      coalesce(o.process_id, i.process_id, -1 - w.trace_id) AS process_id,
      coalesce(i.most, 1) AS most
    FROM gpu_op AS w
    LEFT JOIN owner AS o ON o.track_id = w.track_id
    LEFT JOIN inferred AS i ON i.slice_id = w.slice_id
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
  SELECT slice_id, kind, call_id, most AS confidence
  FROM work
  WHERE n_calls = 1
  UNION ALL
  SELECT
    w.slice_id,
    w.kind,
    r.slice_id,
    CASE WHEN r.ts > w.ts THEN 0.5::DOUBLE ELSE least(w.most, 0.9::DOUBLE) END
  FROM (
    SELECT slice_id, kind, ts, correlation_id, process_id, most FROM work WHERE n_calls > 1
  ) AS w
  ASOF JOIN repeated AS r
    ON r.correlation_id = w.correlation_id
    AND r.process_id = w.process_id
    AND w.ts >= r.from_ts
)
ORDER BY to_id
