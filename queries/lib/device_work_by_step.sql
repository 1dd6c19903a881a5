/* ---
name = "device_work_by_step"
version = 1
title = "Device work by step, name and calling operator"
help = """
Kernels, copies and memsets. Durations are added, also of those that overlap; one of negative
length, also one that never ended, counts 0 ns. Work without a name is called (no name).
"""
grain = ["trace_id", "step_id", "kind", "class", "name", "op_name"]
requires = { schema = ">=1" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The step it was launched in; NULL: none"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "kernel, memcpy or memset"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
help = "compute, communication or memory"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "Its name"

[[column]]
name = "op_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The innermost operator around its launch; NULL: not known"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it ran"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations"

[changes]
1 = "first version"
--- */
-- Names are joined last, once an operator's work is one row.
WITH called AS (
  SELECT c.to_id AS slice_id, o.from_id AS op_id
  FROM link AS c
  LEFT JOIN link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE c.kind = 'launch' AND c.link_set = 'default'
),
stepped AS (
  SELECT to_id AS slice_id, from_id AS step_id
  FROM link
  WHERE kind = 'step' AND link_set = 'default'
)
SELECT
  g.trace_id,
  s.step_id,
  g.kind,
  g.class,
  coalesce(g.name, '(no name)') AS name,
  o.name AS op_name,
  count(*) AS n_ops,
  sum(greatest(g.dur, 0))::BIGINT AS total_ns
FROM gpu_op AS g
LEFT JOIN called AS c ON c.slice_id = g.slice_id
LEFT JOIN cpu_op AS o ON o.slice_id = c.op_id
LEFT JOIN stepped AS s ON s.slice_id = g.slice_id
WHERE g.kind <> 'sync'
GROUP BY g.trace_id, s.step_id, g.kind, g.class, coalesce(g.name, '(no name)'), o.name
