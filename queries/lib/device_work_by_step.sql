/* ---
name = "device_work_by_step"
version = 2
title = "Device work by step, name and calling operator"
help = """
Kernels, copies and memsets. Durations are summed, including those that overlap; negative ones,
including unfinished operations (dur -1), count as 0 ns. Unnamed work is called (no name). In a time
window the work of steps that lie in it counts whole, whenever it runs, and of other work the parts
inside; n_inside and inside_ns are of what is inside the window, whatever its step.
"""
grain = ["trace_id", "step_id", "kind", "class", "name", "op_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "trace_id", "step_id", "kind", "class", "name", "op_name", "n_ops", "total_ns", "n_inside", "inside_ns",
]

[column]
step_id = { nullable = true, help = "Step in which it was launched; NULL: none" }
kind.help = "kernel, memcpy or memset"
class.help = "compute, communication or memory"
name.nullable = false
n_ops.help = "Number of executions"
n_inside = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of executions that run in the time window" }
inside_ns.help = "Sum of the parts of their durations inside the time window"

[column.op_name]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Innermost operator around the launch; NULL: unknown"

[changes]
2 = "a time window contains its steps with all their work; new columns n_inside and inside_ns"
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
  SELECT
    k.to_id AS slice_id,
    k.from_id AS step_id,
    s.dur > 0 AND s.ts >= w.from_ns AND s.ts + s.dur <= w.to_ns AS is_whole
  FROM whole_link AS k
  CROSS JOIN time_window AS w
  LEFT JOIN whole_step AS s ON s.slice_id = k.from_id
  WHERE k.kind = 'step' AND k.link_set = 'default'
),
work AS (
  SELECT
    g.trace_id,
    s.step_id,
    g.kind,
    g.class,
    g.name,
    c.op_id,
    coalesce(s.is_whole, false) AS is_whole,
    g.ts < w.to_ns AND (g.ts >= w.from_ns OR g.ts + g.dur > w.from_ns OR g.dur = -1) AS is_inside,
    greatest(g.dur, 0) AS dur,
    greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0) AS inside_ns
  FROM whole_gpu_op AS g
  CROSS JOIN time_window AS w
  LEFT JOIN called AS c ON c.slice_id = g.slice_id
  LEFT JOIN stepped AS s ON s.slice_id = g.slice_id
  SEMI JOIN trace AS t ON t.id = g.trace_id
  WHERE g.kind <> 'sync'
)
SELECT
  k.trace_id,
  k.step_id,
  k.kind,
  k.class,
  coalesce(k.name, '(no name)') AS name,
  o.name AS op_name,
  count(*) AS n_ops,
  sum(CASE WHEN k.is_whole THEN k.dur ELSE k.inside_ns END)::BIGINT AS total_ns,
  sum(CASE WHEN k.is_inside THEN 1 ELSE 0 END)::BIGINT AS n_inside,
  sum(k.inside_ns)::BIGINT AS inside_ns
FROM work AS k
LEFT JOIN whole_cpu_op AS o ON o.slice_id = k.op_id
WHERE k.is_whole OR k.is_inside
GROUP BY k.trace_id, k.step_id, k.kind, k.class, coalesce(k.name, '(no name)'), o.name
