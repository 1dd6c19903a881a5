/* ---
name = "link_step"
version = 2
title = "Links from steps to the device work launched in them"
help = """
Work belongs to the step during which the causing call began, on any thread; it may run after the
next step has begun on the host. Work without a known call belongs to the step during which it began
itself, or the next work of its stream was called, if that is earlier: a stream runs its work in the
order of the calls. Work that precedes all work of its stream with a known call was called before the
recording began, and belongs to no step. Waits are not work.
"""
grain = ["to_id"]
requires = { schema = ">=1", queries = ["step_window@1"], rows = ["step", "gpu_op"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the step"
to_id.help = "Slice of the device work"
kind.help = "step"
rule.help = "launch, or time if the call is unknown"
confidence.help = "Confidence of the launch link; 0.5 for time"

[changes]
1 = "first version"
2 = "work called before the recording belongs to no step; the order on the stream bounds the time of unknown calls"
--- */
WITH process_step AS MATERIALIZED (
  SELECT coalesce(process_id, -1 - trace_id) AS process_id, start_ns, end_ns, step_id
  FROM step_window()
  WHERE trace_id = $trace_id::BIGINT
),
launched AS (
  SELECT
    g.slice_id, g.trace_id, g.track_id, g.ts, l.confidence, l.ts AS call_ts,
    l.track_id AS call_track_id
  FROM gpu_op AS g
  LEFT JOIN (
    SELECT l.to_id, l.confidence, c.ts, c.track_id
    FROM (SELECT slice_id, ts, track_id FROM launch WHERE trace_id = $trace_id::BIGINT) AS c
    RIGHT JOIN (
      SELECT from_id, to_id, confidence
      FROM link
      WHERE trace_id = $trace_id::BIGINT AND kind = 'launch' AND link_set = 'default'
    ) AS l ON l.from_id = c.slice_id
  ) AS l ON l.to_id = g.slice_id
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
),
-- Calls of earlier and later work on the stream, for work whose call is unknown.
queued AS (
  SELECT slice_id, trace_id, ts, is_after_call, next_call_ts
  FROM (
    SELECT
      slice_id,
      trace_id,
      ts,
      call_ts,
      count(call_ts) OVER before > 0 AS is_after_call,
      min(call_ts) OVER after AS next_call_ts
    FROM launched
    WHERE track_id IN (SELECT track_id FROM launched WHERE call_ts IS NULL)
    WINDOW
      before AS (PARTITION BY track_id ORDER BY ts, slice_id),
      after AS (
        PARTITION BY track_id ORDER BY ts, slice_id
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
      )
  )
  WHERE call_ts IS NULL
),
beginning AS (
  SELECT
    g.slice_id,
    g.call_ts AS ts,
    coalesce(k.process_id, -1 - g.trace_id) AS process_id,
    'launch' AS rule,
    g.confidence
  FROM launched AS g
  LEFT JOIN track AS k ON k.id = g.call_track_id
  WHERE g.call_ts IS NOT NULL
  UNION ALL
  SELECT slice_id, least(ts, next_call_ts), -1 - trace_id, 'time', 0.5::DOUBLE
  FROM queued
  WHERE is_after_call OR next_call_ts IS NULL
),
-- Sorting all work would take long: that of four milliseconds in which no step begins is in the step
-- of their first instant.
placed AS MATERIALIZED (
  SELECT
    b.slice_id,
    b.ts,
    b.process_id,
    b.rule = 'launch' AS is_launch,
    b.confidence,
    CASE WHEN w.process_id IS NULL THEN b.ts - (b.ts & 4194303) ELSE b.ts END AS instant_ns
  FROM beginning AS b
  LEFT JOIN (SELECT DISTINCT process_id, start_ns >> 22 AS part_n FROM process_step) AS w
    ON w.process_id = b.process_id AND w.part_n = (b.ts >> 22)
),
found AS (
  SELECT i.process_id, i.instant_ns, w.step_id, w.end_ns
  FROM (SELECT DISTINCT process_id, instant_ns FROM placed) AS i
  ASOF JOIN process_step AS w
    ON w.process_id = i.process_id
    AND i.instant_ns >= w.start_ns
)
SELECT
  f.step_id AS from_id,
  p.slice_id AS to_id,
  'step' AS kind,
  CASE WHEN p.is_launch THEN 'launch' ELSE 'time' END AS rule,
  p.confidence
FROM placed AS p
JOIN found AS f ON f.process_id = p.process_id AND f.instant_ns = p.instant_ns
WHERE p.ts < f.end_ns
ORDER BY to_id
