/* ---
name = "device_op_cause"
version = 1
title = "Work on devices as intervals, with what caused it"
help = """
The operations of device_op, joined with the links of the default set. A cause that is not known is
NULL: work launched before the recording has no call, a call outside of operators has no operator.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["device_op@1"] }

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "Where it ran; NULL: the source does not say"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
check = "IN ('compute', 'communication', 'memory')"
help = "compute, communication or memory"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End, on the scale of slice.ts; not before the start"

[[column]]
name = "launch_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The call that caused it"

[[column]]
name = "cpu_op_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The innermost operator around that call"

[[column]]
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The step it was launched in"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of that step, as the source counts; NULL also where it has none"

[[column]]
name = "annotation_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The innermost annotation on the host around the call, steps left out"

[changes]
1 = "first version"
--- */
SELECT
  d.slice_id,
  d.trace_id,
  d.device_id,
  d.stream,
  d.class,
  d.start_ns,
  d.end_ns,
  c.from_id AS launch_id,
  o.from_id AS cpu_op_id,
  t.from_id AS step_id,
  s.number AS step,
  a.from_id AS annotation_id
FROM device_op() AS d
LEFT JOIN link AS c
  ON c.to_id = d.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
LEFT JOIN link AS o
  ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
LEFT JOIN link AS t
  ON t.to_id = d.slice_id AND t.kind = 'step' AND t.link_set = 'default'
LEFT JOIN step AS s ON s.slice_id = t.from_id
LEFT JOIN link AS a
  ON a.to_id = d.slice_id AND a.kind = 'annotation' AND a.link_set = 'default'
