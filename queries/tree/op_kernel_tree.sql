/* ---
name = "op_kernel_tree"
version = 1
title = "Tree of operators and the kernels they launched, for one step or below one slice"
help = """
Rows are in depth-first order: a slice, then everything in it or launched by it; depth is the level;
threads follow one another. Annotations are included, Python functions optionally; runtime calls are
not, the work they launched takes their place. A call made on behalf of an operator of another
thread counts as made in that operator. Work without a recorded launch is in no tree. Without step
and slice_id, the step of median duration of each trace is used (of an even number the shorter of
the middle two); traces without steps have no rows then. A time window chooses among the steps that
run in it; the rows of a step are whole.
"""
grain = ["trace_id", "position"]
requires = { schema = ">=1", queries = ["step_window@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "step", "position", "depth", "kind", "tree", "name", "slice_id",
  "parent_id", "track_id", "start_ns", "dur_ns", "n_device_ops", "device_ns",
]

[param.step]
type = "BIGINT"
unit = "count"
nullable = true
help = "Step number; null: the step of median duration"

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Show the contents of this slice on its thread instead of a step"

[param.all_ops]
type = "BOOLEAN"
default = false
help = "Include operators, annotations and functions that launched nothing"

[param.python]
type = "BOOLEAN"
default = false
help = "Include Python functions"

[column]
step.help = "Step number; NULL below a slice"
position.help = "Position in the walk, from 1"
depth.help = "Number of rows above it in the tree"
tree = { type = "VARCHAR", unit = "text", help = "Name, indented by two spaces per depth" }
parent_id.help = "Parent row; NULL for an outermost one"
track_id.help = "Track of the thread or stream"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration on the host, or of device work on the device; negative ones are 0"
n_device_ops.help = "Number of kernels, copies and memsets in this subtree"

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('operator', 'annotation', 'python', 'kernel', 'memcpy', 'memset')"
help = "operator, annotation, python, kernel, memcpy or memset"

[changes]
1 = "first version"
--- */
WITH RECURSIVE ranked_step AS (
  SELECT
    slice_id AS step_id,
    trace_id,
    number AS step,
    row_number() OVER (PARTITION BY trace_id ORDER BY dur, slice_id) AS place,
    count(*) OVER (PARTITION BY trace_id) AS n_steps
  FROM step
  WHERE dur > 0
),
part AS MATERIALIZED (
  SELECT w.trace_id, w.process_id, NULL::BIGINT AS track_id, w.start_ns, w.end_ns, r.step,
    0 AS least_depth
  FROM step_window() AS w
  JOIN ranked_step AS r ON r.step_id = w.step_id
  WHERE $slice_id::BIGINT IS NULL
    AND CASE
      WHEN $step::BIGINT IS NULL THEN r.place = (r.n_steps + 1) // 2
      ELSE r.step = $step::BIGINT
    END
  UNION ALL
  SELECT s.trace_id, NULL, s.track_id, s.ts, s.ts + greatest(s.dur, 1), NULL, s.depth
  FROM whole_slice AS s
  WHERE s.id = $slice_id::BIGINT
),
host AS (
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'operator' AS kind FROM whole_cpu_op
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'annotation' FROM whole_annotation
  WHERE side = 'host'
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'python' FROM whole_python_call
  WHERE $python::BOOLEAN
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'call' FROM whole_launch
),
inside AS MATERIALIZED (
  SELECT h.slice_id, h.trace_id, h.track_id, h.ts, h.dur, h.name, h.kind, p.step,
    s.depth, s.parent_id
  FROM whole_slice AS s
  JOIN (
    SELECT h.*, k.process_id
    FROM host AS h
    JOIN track AS k ON k.id = h.track_id AND k.device_id IS NULL
  ) AS h ON h.slice_id = s.id
  JOIN part AS p
    ON p.trace_id = h.trace_id
    AND h.ts >= p.start_ns
    AND h.ts < p.end_ns
    AND s.depth >= p.least_depth
    AND coalesce(p.track_id, h.track_id) = h.track_id
    AND (p.track_id IS NOT NULL OR p.process_id IS NOT DISTINCT FROM h.process_id)
),
-- From each slice up to the nearest one shown.
search AS (
  SELECT i.slice_id, i.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM inside AS i
  LEFT JOIN inside AS a ON a.slice_id = i.parent_id AND a.kind <> 'call'
  WHERE i.parent_id IS NOT NULL
  UNION ALL
  SELECT s.slice_id, u.parent_id, a.slice_id IS NOT NULL
  FROM whole_slice AS u
  JOIN search AS s ON s.at_id = u.id
  LEFT JOIN inside AS a ON a.slice_id = u.parent_id AND a.kind <> 'call'
  WHERE NOT s.is_found
    AND u.parent_id IS NOT NULL
),
found AS (SELECT slice_id, at_id AS parent_id FROM search WHERE is_found),
-- Device work is placed at its call, or at the operator of another thread that the call was made
-- for.
work AS (
  SELECT
    g.slice_id,
    g.trace_id,
    g.track_id,
    g.ts,
    g.dur,
    g.name,
    g.kind,
    i.step,
    i.slice_id AS anchor_id
  FROM whole_gpu_op AS g
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id
    AND o.kind = 'op_launch'
    AND o.link_set = 'default'
    AND o.rule <> 'containment'
  JOIN inside AS i ON i.slice_id = coalesce(o.from_id, c.from_id)
  WHERE g.kind <> 'sync'
),
row_of AS MATERIALIZED (
  SELECT
    i.slice_id, i.trace_id, i.track_id, i.ts, i.dur, i.name, i.kind, i.step,
    f.parent_id, i.slice_id AS anchor_id, false AS is_work
  FROM inside AS i
  LEFT JOIN found AS f ON f.slice_id = i.slice_id
  WHERE i.kind <> 'call'
  UNION ALL
  SELECT
    w.slice_id, w.trace_id, w.track_id, w.ts, w.dur, w.name, w.kind, w.step,
    CASE WHEN a.kind <> 'call' THEN a.slice_id ELSE f.parent_id END, w.anchor_id, true
  FROM work AS w
  JOIN inside AS a ON a.slice_id = w.anchor_id
  LEFT JOIN found AS f ON f.slice_id = w.anchor_id
),
above AS (
  SELECT slice_id, parent_id AS above_id, is_work, greatest(dur, 0) AS dur_ns
  FROM row_of
  WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT a.slice_id, r.parent_id, a.is_work, a.dur_ns
  FROM above AS a
  JOIN row_of AS r ON r.slice_id = a.above_id
  WHERE r.parent_id IS NOT NULL
),
depth AS (
  SELECT slice_id, count(*) AS depth
  FROM above
  GROUP BY slice_id
),
total AS (
  SELECT above_id AS slice_id, count(*) AS n_device_ops, sum(dur_ns)::BIGINT AS device_ns
  FROM above
  WHERE is_work
  GROUP BY above_id
),
shown AS (
  SELECT
    r.*,
    coalesce(d.depth, 0) AS depth,
    CASE WHEN r.is_work THEN 1 ELSE coalesce(n.n_device_ops, 0) END AS n_device_ops,
    CASE WHEN r.is_work THEN greatest(r.dur, 0) ELSE coalesce(n.device_ns, 0) END AS device_ns,
    a.track_id AS anchor_track_id,
    a.ts AS anchor_ts,
    a.depth AS anchor_depth
  FROM row_of AS r
  JOIN inside AS a ON a.slice_id = r.anchor_id
  LEFT JOIN depth AS d ON d.slice_id = r.slice_id
  LEFT JOIN total AS n ON n.slice_id = r.slice_id
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.step,
  row_number() OVER (
    PARTITION BY s.trace_id
    ORDER BY s.anchor_track_id, s.anchor_ts, s.anchor_depth, s.anchor_id, s.is_work, s.ts, s.slice_id
  ) AS position,
  s.depth,
  s.kind,
  concat(repeat('  ', s.depth), s.name) AS tree,
  s.name,
  s.slice_id,
  s.parent_id,
  s.track_id,
  s.ts AS start_ns,
  greatest(s.dur, 0) AS dur_ns,
  s.n_device_ops,
  s.device_ns
FROM shown AS s
JOIN trace AS t ON t.id = s.trace_id
WHERE $all_ops::BOOLEAN OR s.n_device_ops > 0
ORDER BY t.run_id, t.rank, s.trace_id, position
