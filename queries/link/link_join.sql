/* ---
name = "link_join"
version = 1
title = "Links from the last work of a session's run to the run, which waited for it"
help = """
A run of a session returns when its executors, which work on other threads of the process, are done, and
devices have done what these launched. So it waited for the last of both to end: a slice of another
thread, of category scheduling or an operator, that began and ended during the run; or device work that
did. Runs of a process that overlap have no link: nothing tells which of them an executor works for.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["step where name LIKE '%Session%'"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the executor, or of the device work"
to_id.help = "Slice of the run"
kind.help = "join"
rule.help = "executor or device"
confidence.help = "0.8"

[changes]
1 = "first version"
--- */
WITH run_slice AS (
  SELECT
    s.id AS slice_id,
    s.trace_id,
    s.track_id,
    coalesce(k.process_id, -1 - s.trace_id) AS process_id,
    s.ts AS start_ns,
    s.ts + s.dur AS end_ns
  FROM slice AS s
  SEMI JOIN (SELECT slice_id FROM step WHERE trace_id = $trace_id::BIGINT) AS t
    ON t.slice_id = s.id
  LEFT JOIN track AS k ON k.id = s.track_id
  WHERE s.trace_id = $trace_id::BIGINT AND s.category = 'session' AND s.dur > 0
),
-- Runs that begin after all before them have ended, and end before the next begins.
alone AS (
  SELECT *
  FROM (
    SELECT
      *,
      max(end_ns) OVER (
        PARTITION BY process_id ORDER BY start_ns, end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS before_ns,
      lead(start_ns) OVER (PARTITION BY process_id ORDER BY start_ns, end_ns) AS next_ns
    FROM run_slice
  )
  WHERE coalesce(before_ns <= start_ns, true) AND coalesce(next_ns >= end_ns, true)
),
work AS (
  SELECT
    s.id AS slice_id, s.track_id, coalesce(k.process_id, -1 - s.trace_id) AS process_id,
    s.ts AS start_ns, s.ts + s.dur AS end_ns, 'executor' AS rule
  FROM slice AS s
  JOIN track AS k ON k.id = s.track_id
  WHERE s.trace_id = $trace_id::BIGINT AND k.kind = 'thread' AND s.dur >= 0
    AND s.category IN ('scheduling', 'cpu_op')
    AND EXISTS (FROM run_slice)
  UNION ALL
  SELECT
    g.slice_id, g.track_id, coalesce(k.process_id, -1 - g.trace_id), g.ts, g.ts + g.dur, 'device'
  FROM gpu_op AS g
  LEFT JOIN track AS k ON k.id = g.track_id
  WHERE g.trace_id = $trace_id::BIGINT AND g.kind <> 'sync' AND g.dur > 0
)
SELECT
  max_by(w.slice_id, (w.end_ns, -w.start_ns, w.slice_id)) AS from_id,
  r.slice_id AS to_id,
  'join' AS kind,
  max_by(w.rule, (w.end_ns, -w.start_ns, w.slice_id)) AS rule,
  0.8::DOUBLE AS confidence
FROM work AS w
ASOF JOIN alone AS r ON r.process_id = w.process_id AND w.start_ns >= r.start_ns
WHERE w.end_ns <= r.end_ns AND w.track_id <> r.track_id
GROUP BY r.slice_id
ORDER BY to_id
