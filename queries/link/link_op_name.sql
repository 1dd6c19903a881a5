/* ---
name = "link_op_name"
version = 2
title = "Links from operators to device work of the same name, where no call relates them"
help = """
Some tracers name device work after the operator that launched it. It belongs to the last operator of
that name that begins before the work, unless a call inside of an operator launched it.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["cpu_op", "gpu_op where correlation_id IS NULL AND kind <> 'sync'"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the operator"
to_id.help = "Slice of the device work"
kind.help = "op_device"
rule.help = "name"
confidence.help = "0.9"

[changes]
2 = "of operators of one name that begin at one time, the last"
1 = "first version"
--- */
WITH work AS (
  SELECT g.slice_id, g.trace_id, g.ts, g.name
  FROM gpu_op AS g
  ANTI JOIN (
    SELECT c.to_id
    FROM link AS c
    JOIN link AS o ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
    WHERE c.trace_id = $trace_id::BIGINT AND o.trace_id = $trace_id::BIGINT
      AND c.kind = 'launch' AND c.link_set = 'default'
  ) AS l ON l.to_id = g.slice_id
  WHERE g.trace_id = $trace_id::BIGINT AND g.correlation_id IS NULL AND g.kind <> 'sync'
),
operator AS (
  SELECT max(slice_id) AS slice_id, trace_id, ts, name
  FROM cpu_op
  WHERE trace_id = $trace_id::BIGINT
  GROUP BY trace_id, ts, name
)
SELECT
  o.slice_id AS from_id, w.slice_id AS to_id, 'op_device' AS kind, 'name' AS rule,
  0.9::DOUBLE AS confidence
FROM work AS w
ASOF JOIN operator AS o ON o.trace_id = w.trace_id AND o.name = w.name AND w.ts >= o.ts
ORDER BY to_id
