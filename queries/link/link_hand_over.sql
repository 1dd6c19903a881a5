/* ---
name = "link_hand_over"
version = 1
title = "Links between threads that hand over to each other"
help = """
The threads of the forward and the backward pass (links of kind forward_backward) run in turns. Where
operators and calls of one pause, and the other stops during the pause, the first continues after it:
from the outermost slice with which the other stopped to the first one after the pause. Without devices,
one thread runs both.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["cpu_op", "launch"] }
portable = false
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Last slice of the thread that handed over"
to_id.help = "First slice of the thread that continued"
kind.help = "hand_over"
rule.help = "pause"
confidence.help = "0.8"

[changes]
1 = "first version"
--- */
WITH pair AS MATERIALIZED (
  SELECT DISTINCT f.track_id AS forward_id, b.track_id AS backward_id
  FROM link AS l
  JOIN cpu_op AS b ON b.slice_id = l.to_id
  JOIN cpu_op AS f ON f.slice_id = l.from_id
  WHERE l.trace_id = $trace_id::BIGINT
    AND b.trace_id = $trace_id::BIGINT
    AND f.trace_id = $trace_id::BIGINT
    AND l.kind = 'forward_backward'
    AND l.link_set = 'default'
    AND f.track_id <> b.track_id
    AND l.trace_id IN (SELECT trace_id FROM launch WHERE trace_id = $trace_id::BIGINT)
),
partner AS MATERIALIZED (
  SELECT forward_id AS track_id, backward_id AS other_id FROM pair
  UNION
  SELECT backward_id, forward_id FROM pair
),
activity AS MATERIALIZED (
  SELECT slice_id, track_id, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT slice_id, track_id, ts, dur FROM cpu_op WHERE trace_id = $trace_id::BIGINT
    UNION ALL
    SELECT slice_id, track_id, ts, dur FROM launch WHERE trace_id = $trace_id::BIGINT
  )
  WHERE dur > 0
    AND track_id IN (SELECT track_id FROM partner)
),
reach AS (
  SELECT
    slice_id,
    track_id,
    start_ns,
    max(end_ns) OVER (
      PARTITION BY track_id
      ORDER BY start_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS before_ns
  FROM activity
),
pause AS MATERIALIZED (
  SELECT slice_id, track_id, before_ns, start_ns AS after_ns
  FROM reach
  WHERE before_ns IS NULL OR before_ns < start_ns
),
stop AS MATERIALIZED (
  SELECT track_id, before_ns AS end_ns FROM pause WHERE before_ns IS NOT NULL
  UNION ALL
  SELECT track_id, max(end_ns) FROM activity GROUP BY track_id
),
-- The outermost of the slices with which a thread stops.
last_slice AS (
  SELECT e.track_id, e.end_ns, min_by(a.slice_id, (a.start_ns, a.slice_id)) AS slice_id
  FROM stop AS e
  JOIN activity AS a ON a.track_id = e.track_id AND a.end_ns = e.end_ns
  GROUP BY e.track_id, e.end_ns
),
waiting AS (
  SELECT p.slice_id, p.before_ns, p.after_ns, o.other_id
  FROM pause AS p
  JOIN partner AS o ON o.track_id = p.track_id
)
SELECT
  max_by(e.slice_id, (e.end_ns, w.other_id)) AS from_id,
  w.slice_id AS to_id,
  'hand_over' AS kind,
  'pause' AS rule,
  0.8::DOUBLE AS confidence
FROM waiting AS w
ASOF JOIN last_slice AS e ON e.track_id = w.other_id AND e.end_ns <= w.after_ns
WHERE e.end_ns > coalesce(w.before_ns, e.end_ns - 1)
GROUP BY w.slice_id
ORDER BY to_id
