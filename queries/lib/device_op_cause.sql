/* ---
name = "device_op_cause"
version = 1
title = "Device work as intervals, with its causes"
help = """
The operations of device_op joined with the links of the default set. Unknown causes are NULL: work
launched before the recording has no call, a call outside operators has no operator.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["device_op@1"] }
scale = "trace"
columns = [
  "slice_id", "trace_id", "device_id", "stream", "class", "start_ns", "end_ns", "launch_id",
  "cpu_op_id", "step_id", "step", "annotation_id",
]

[column]
device_id.help = "Device; NULL: not recorded"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End, on the time axis of slice.ts; not before the start"
launch_id.help = "Call that caused it"
cpu_op_id.help = "Innermost operator around the call"
step_id = { nullable = true, help = "Step in which it was launched" }
step.help = "Step number, as recorded; NULL also if the step has none"

[column.class]
type = "VARCHAR"
unit = "text"
check = "IN ('compute', 'communication', 'memory')"
help = "compute, communication or memory"

[column.annotation_id]
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Innermost host annotation around the call, excluding steps"

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
  CASE WHEN n.rule = 'graph_capture' THEN n.from_id ELSE coalesce(o.from_id, n.from_id) END
    AS cpu_op_id,
  t.from_id AS step_id,
  s.number AS step,
  a.from_id AS annotation_id
FROM device_op() AS d
LEFT JOIN whole_link AS c
  ON c.to_id = d.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
LEFT JOIN whole_link AS o
  ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
LEFT JOIN whole_link AS n
  ON n.to_id = d.slice_id AND n.kind = 'op_device' AND n.link_set = 'default'
LEFT JOIN whole_link AS t
  ON t.to_id = d.slice_id AND t.kind = 'step' AND t.link_set = 'default'
LEFT JOIN whole_step AS s ON s.slice_id = t.from_id
LEFT JOIN whole_link AS a
  ON a.to_id = d.slice_id AND a.kind = 'annotation' AND a.link_set = 'default'
