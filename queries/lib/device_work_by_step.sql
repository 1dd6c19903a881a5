/* ---
name = "device_work_by_step"
version = 1
title = "Device work by step, name and calling operator"
help = """
Kernels, copies and memsets. Durations are summed, including those that overlap; negative ones,
including unfinished operations (dur -1), count as 0 ns. Unnamed work is called (no name). In a time
window the sums are of the parts inside it.
"""
grain = ["trace_id", "step_id", "kind", "class", "name", "op_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["trace_id", "step_id", "kind", "class", "name", "op_name", "n_ops", "total_ns"]

[column]
step_id = { nullable = true, help = "Step in which it was launched; NULL: none" }
kind.help = "kernel, memcpy or memset"
class.help = "compute, communication or memory"
name.nullable = false
n_ops.help = "Number of executions"

[column.op_name]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Innermost operator around the launch; NULL: unknown"

[changes]
1 = "first version"
--- */
-- Names are joined last, after the work of each operator is aggregated.
WITH called AS (
  SELECT c.to_id AS slice_id, o.from_id AS op_id
  FROM whole_link AS c
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE c.kind = 'launch' AND c.link_set = 'default'
),
stepped AS (
  SELECT to_id AS slice_id, from_id AS step_id
  FROM whole_link
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
  sum(
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
  )::BIGINT AS total_ns
FROM gpu_op AS g
CROSS JOIN time_window AS w
LEFT JOIN called AS c ON c.slice_id = g.slice_id
LEFT JOIN whole_cpu_op AS o ON o.slice_id = c.op_id
LEFT JOIN stepped AS s ON s.slice_id = g.slice_id
WHERE g.kind <> 'sync'
GROUP BY g.trace_id, s.step_id, g.kind, g.class, coalesce(g.name, '(no name)'), o.name
