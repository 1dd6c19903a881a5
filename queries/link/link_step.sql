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
WITH process_step AS (
  SELECT coalesce(process_id, -1 - trace_id) AS process_id, start_ns, end_ns, step_id
  FROM step_window()
  WHERE trace_id = $trace_id::BIGINT
),
launched AS (
  SELECT
    g.slice_id, g.trace_id, g.track_id, g.ts, l.confidence, c.ts AS call_ts,
    c.track_id AS call_track_id
  FROM gpu_op AS g
  LEFT JOIN (
    SELECT from_id, to_id, confidence
    FROM link
    WHERE trace_id = $trace_id::BIGINT AND kind = 'launch' AND link_set = 'default'
  ) AS l ON l.to_id = g.slice_id
  LEFT JOIN launch AS c ON c.slice_id = l.from_id AND c.trace_id = $trace_id::BIGINT
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
)
SELECT
  w.step_id AS from_id,
  b.slice_id AS to_id,
  'step' AS kind,
  b.rule,
  b.confidence
FROM beginning AS b
ASOF JOIN process_step AS w
  ON w.process_id = b.process_id
  AND b.ts >= w.start_ns
WHERE b.ts < w.end_ns
ORDER BY to_id
