/* ---
name = "link_op_launch"
version = 3
title = "Links from operators to the runtime or driver calls made inside or for them"
help = """
The operator is the innermost cpu_op that contains the call on the same thread: the first operator
among the call's ancestors. A call outside operators belongs to the operator named by its External
id, run by another thread of its process, since each process counts its own ids: of several, the
last to begin before the call among those running when it begins, else among all.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["cpu_op", "launch"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the operator"
to_id.help = "Slice of the call"
kind.help = "op_launch"
rule.help = "containment, or external_id"
confidence.help = "1 for containment; by id 0.8 if the operator runs when the call begins, else 0.5"

[changes]
3 = "External ids are those of one process"
2 = "calls outside operators are linked by External id"
1 = "first version"
--- */
WITH RECURSIVE operator AS (
  -- Slices are numbered by category first, so the operators of a trace are one range of ids.
  SELECT trace_id, min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM cpu_op
  WHERE trace_id = $trace_id::BIGINT
  GROUP BY trace_id
),
direct AS MATERIALIZED (
  SELECT
    s.id AS launch_id,
    s.parent_id AS above_id,
    coalesce(s.parent_id BETWEEN o.first_id AND o.last_id, false) AS is_operator
  FROM slice AS s
  SEMI JOIN launch AS l ON l.slice_id = s.id AND l.trace_id = $trace_id::BIGINT
  LEFT JOIN operator AS o ON o.trace_id = s.trace_id
  WHERE s.trace_id = $trace_id::BIGINT
),
-- The parent of most calls is an operator; only the others are climbed from, because the results of
-- a recursive query stay in memory.
ancestor AS (
  SELECT launch_id, above_id, false AS is_operator
  FROM direct
  WHERE NOT is_operator
    AND above_id IS NOT NULL
  UNION ALL
  SELECT c.launch_id, s.parent_id, s.parent_id BETWEEN o.first_id AND o.last_id
  FROM slice AS s
  JOIN ancestor AS c ON c.above_id = s.id
  JOIN operator AS o ON o.trace_id = s.trace_id
  WHERE NOT c.is_operator
    AND s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
-- For calls outside operators the profiler writes the correlation id as External id.
lonely AS (
  SELECT l.slice_id, l.trace_id, l.ts, l.external_id, coalesce(k.process_id, -1) AS process_id
  FROM launch AS l
  JOIN direct AS d ON d.launch_id = l.slice_id AND NOT d.is_operator
  LEFT JOIN track AS k ON k.id = l.track_id
  ANTI JOIN ancestor AS c ON c.launch_id = l.slice_id AND c.is_operator
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.external_id > 0
    AND l.external_id IS DISTINCT FROM l.correlation_id
),
named AS (
  SELECT
    l.slice_id AS launch_id,
    arg_max(o.slice_id, (o.ts + o.dur > l.ts OR o.dur = -1, o.ts, o.slice_id)) AS above_id,
    bool_or(o.ts + o.dur > l.ts OR o.dur = -1) AS is_around
  FROM cpu_op AS o
  JOIN lonely AS l
    ON l.external_id = o.external_id
    AND l.trace_id = o.trace_id
    AND o.ts <= l.ts
  LEFT JOIN track AS k ON k.id = o.track_id
  WHERE o.trace_id = $trace_id::BIGINT
    AND coalesce(k.process_id, -1) = l.process_id
  GROUP BY l.slice_id
)
SELECT
  above_id AS from_id,
  launch_id AS to_id,
  'op_launch' AS kind,
  'containment' AS rule,
  1::DOUBLE AS confidence
FROM (
  SELECT launch_id, above_id FROM direct WHERE is_operator
  UNION ALL
  SELECT launch_id, above_id FROM ancestor WHERE is_operator
)
UNION ALL
SELECT
  above_id AS from_id,
  launch_id AS to_id,
  'op_launch' AS kind,
  'external_id' AS rule,
  CASE WHEN is_around THEN 0.8::DOUBLE ELSE 0.5::DOUBLE END AS confidence
FROM named
ORDER BY to_id
