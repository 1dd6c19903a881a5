/* ---
name = "link_launch"
version = 1
title = "Runtime or driver call → the device work it caused"
help = """Device work and its call share a correlation id. Where several calls of a trace carry the same
id (several processes, a wrapped counter), the last one that began before the work is its cause.
One call may cause much work: a graph launch does."""
grain = ["to_id"]

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the call"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the device work"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "launch; sync_call where the work is a wait"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "correlation"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1 where one call has the id, 0.9 where the last of several was taken"

[changes]
1 = "first version"
--- */
SELECT
  arg_max(l.slice_id, CASE WHEN l.ts <= g.ts THEN l.ts ELSE -l.ts END) AS from_id,
  g.slice_id AS to_id,
  CASE WHEN any_value(g.kind) = 'sync' THEN 'sync_call' ELSE 'launch' END AS kind,
  'correlation' AS rule,
  CASE WHEN count(*) = 1 THEN 1::DOUBLE ELSE 0.9::DOUBLE END AS confidence
FROM launch AS l
JOIN gpu_op AS g
  ON g.trace_id = l.trace_id
  AND g.correlation_id = l.correlation_id
WHERE g.trace_id = $trace_id::BIGINT
  AND l.trace_id = $trace_id::BIGINT
GROUP BY g.slice_id
ORDER BY to_id
