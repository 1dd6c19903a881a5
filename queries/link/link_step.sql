/* ---
name = "link_step"
version = 1
title = "Links from steps to the device work launched in them"
help = """
Work belongs to the step during which the causing call began, on any thread; it may run after the
next step has begun on the host. Work without a known call belongs to the step during which it began
itself. Waits are not work.
"""
grain = ["to_id"]
requires = { schema = ">=1", queries = ["step_window@1"], rows = ["step", "gpu_op"] }
portable = false
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
--- */
WITH process_step AS (
  SELECT process_id, start_ns, end_ns, step_id
  FROM step_window()
  WHERE trace_id = $trace_id::BIGINT
),
launched AS (
  SELECT g.slice_id, l.from_id AS launch_id, l.confidence, g.ts
  FROM gpu_op AS g
  LEFT JOIN (
    SELECT from_id, to_id, confidence
    FROM link
    WHERE trace_id = $trace_id::BIGINT AND kind = 'launch' AND link_set = 'default'
  ) AS l ON l.to_id = g.slice_id
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
),
beginning AS (
  SELECT
    g.slice_id,
    coalesce(c.ts, g.ts) AS ts,
    k.process_id,
    CASE WHEN c.ts IS NULL THEN 'time' ELSE 'launch' END AS rule,
    CASE WHEN c.ts IS NULL THEN 0.5::DOUBLE ELSE g.confidence END AS confidence
  FROM launched AS g
  LEFT JOIN launch AS c ON c.slice_id = g.launch_id AND c.trace_id = $trace_id::BIGINT
  LEFT JOIN track AS k ON k.id = c.track_id
)
SELECT
  w.step_id AS from_id,
  b.slice_id AS to_id,
  'step' AS kind,
  b.rule,
  b.confidence
FROM beginning AS b
ASOF JOIN process_step AS w
  ON coalesce(w.process_id, -1) = coalesce(b.process_id, -1)
  AND b.ts >= w.start_ns
WHERE b.ts < w.end_ns
ORDER BY to_id
