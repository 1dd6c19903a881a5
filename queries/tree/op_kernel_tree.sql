/* ---
name = "op_kernel_tree"
version = 1
title = "Operators and the kernels they launched, as a tree, of one step or below one slice"
help = """
Rows come in the order of a walk: a slice, then all that lies in it or was launched by it, depth says
how deep; the threads come one after the other. Annotations are shown too, Python functions on
demand; calls of the runtime are not, the work they launched stands at their place. A call made for
an operator of another thread counts as made at that operator. Work without a recorded launch is in
no tree. Without a step and a slice it is the step of median length in each trace (of an even number
the shorter of the middle two); traces without steps then have no rows.
"""
grain = ["trace_id", "position"]
portable = false
requires = { schema = ">=1", queries = ["step_window@1"] }

[param.step]
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the step to show; null: that of median length"

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Show what lies in this slice on its thread, instead of a step"

[param.all_ops]
type = "BOOLEAN"
default = false
help = "Show also operators, annotations and functions that launched nothing"

[param.python]
type = "BOOLEAN"
default = false
help = "Show also Python functions"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the step; NULL below a slice"

[[column]]
name = "position"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Place in the walk, from 1"

[[column]]
name = "depth"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Rows above it in the tree"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
check = "IN ('operator', 'annotation', 'python', 'kernel', 'memcpy', 'memset')"
help = "operator, annotation, python, kernel, memcpy or memset"

[[column]]
name = "tree"
type = "VARCHAR"
unit = "text"
help = "The name, indented by two spaces for each depth"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The name"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The row it stands under; NULL for an outermost one"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The thread or stream it ran on"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length on the host, or of device work on the device; below 0 is 0"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets in the tree from here on"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of their durations"

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
  FROM slice AS s
  WHERE s.id = $slice_id::BIGINT
),
host AS (
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'operator' AS kind FROM cpu_op
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'annotation' FROM annotation
  WHERE side = 'host'
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'python' FROM python_call
  WHERE $python::BOOLEAN
  UNION ALL
  SELECT slice_id, trace_id, track_id, ts, dur, name, 'call' FROM launch
),
inside AS MATERIALIZED (
  SELECT h.slice_id, h.trace_id, h.track_id, h.ts, h.dur, h.name, h.kind, p.step,
    s.depth, s.parent_id
  FROM slice AS s
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
-- From each slice up to the nearest that is shown.
search AS (
  SELECT i.slice_id, i.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM inside AS i
  LEFT JOIN inside AS a ON a.slice_id = i.parent_id AND a.kind <> 'call'
  WHERE i.parent_id IS NOT NULL
  UNION ALL
  SELECT s.slice_id, u.parent_id, a.slice_id IS NOT NULL
  FROM slice AS u
  JOIN search AS s ON s.at_id = u.id
  LEFT JOIN inside AS a ON a.slice_id = u.parent_id AND a.kind <> 'call'
  WHERE NOT s.is_found
    AND u.parent_id IS NOT NULL
),
found AS (SELECT slice_id, at_id AS parent_id FROM search WHERE is_found),
-- Device work stands at its call, or at the operator of another thread its call was made for.
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
  FROM gpu_op AS g
  JOIN link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  LEFT JOIN link AS o
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
