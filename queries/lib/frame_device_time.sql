/* ---
name = "frame_device_time"
version = 1
title = "Calls of Python functions that launched device work, with their enclosing frames"
help = """
Work counts as self time for the innermost frame around the call that caused it, and as total time
also for the frames above. A call made outside any operator of its thread, but on behalf of an
operator that runs on another thread, counts as made in that operator. Durations are summed, so
overlapping work counts twice. Negative durations count as 0 ns. In a time window the sums are of
the parts of the work inside it, wherever the frames are.
"""
grain = ["slice_id"]
scale = "trace"
columns = [
  "slice_id", "trace_id", "track_id", "above_id", "name", "is_inner", "n_device_ops",
  "self_device_ns", "device_ns",
]

[column]
slice_id.help = "Call of a Python function"
track_id.help = "Track of the call"
above_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Nearest enclosing frame; NULL: none" }
name.help = "Function as recorded, without object addresses"
self_device_ns.help = "Sum of the durations of the work whose innermost frame this is"
device_ns.help = "Sum of the durations of all its device work"

[column.is_inner]
type = "BOOLEAN"
unit = "bool"
help = "Whether it is nested in another call of the same function: one of the frames above it"

[column.n_device_ops]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of kernels, copies and memsets launched in or below it"

[changes]
1 = "first version"
--- */
WITH RECURSIVE direct AS MATERIALIZED (
  SELECT
    coalesce(o.from_id, c.from_id) AS slice_id,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS device_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  -- Most traces without Python stacks have much device work, which need not be climbed.
  SEMI JOIN (SELECT DISTINCT trace_id FROM whole_python_call) AS p ON p.trace_id = g.trace_id
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  -- An operator of another thread counts only if it runs when the call begins: an External id that
  -- is left over from an earlier operator says nothing of where the call was made.
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
    AND o.rule <> 'containment' AND o.confidence > 0.5
  WHERE g.kind <> 'sync'
  GROUP BY coalesce(o.from_id, c.from_id)
),
around AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE trace_id IN (SELECT trace_id FROM whole_python_call)
),
-- Sums climb one level per round and merge where they meet.
upward AS (
  SELECT s.id AS slice_id, s.parent_id, d.n_device_ops, d.device_ns
  FROM around AS s
  JOIN direct AS d ON d.slice_id = s.id
  UNION ALL
  SELECT s.id, s.parent_id, u.n_device_ops, u.device_ns
  FROM around AS s
  JOIN (
    SELECT
      parent_id,
      sum(n_device_ops)::BIGINT AS n_device_ops,
      sum(device_ns)::BIGINT AS device_ns
    FROM upward
    GROUP BY parent_id
  ) AS u ON u.parent_id = s.id
),
node AS MATERIALIZED (
  SELECT u.slice_id, u.parent_id, p.slice_id IS NOT NULL AS is_frame, u.n_device_ops, u.device_ns
  FROM whole_python_call AS p
  RIGHT JOIN (
    SELECT
      slice_id,
      any_value(parent_id) AS parent_id,
      sum(n_device_ops)::BIGINT AS n_device_ops,
      sum(device_ns)::BIGINT AS device_ns
    FROM upward
    GROUP BY slice_id
  ) AS u ON u.slice_id = p.slice_id
),
-- From each node up to the first frame.
search AS (
  SELECT n.slice_id, p.slice_id AS at_id, p.parent_id AS next_id, p.is_frame
  FROM node AS n
  JOIN node AS p ON p.slice_id = n.parent_id
  UNION ALL
  SELECT s.slice_id, p.slice_id, p.parent_id, p.is_frame
  FROM node AS p
  JOIN search AS s ON s.next_id = p.slice_id
  WHERE NOT s.is_frame
),
above AS MATERIALIZED (SELECT slice_id, at_id AS above_id FROM search WHERE is_frame),
own AS (
  -- Work launched outside frames has none; a call is never a frame itself.
  SELECT a.above_id AS slice_id, sum(d.device_ns)::BIGINT AS self_device_ns
  FROM direct AS d
  JOIN above AS a ON a.slice_id = d.slice_id
  GROUP BY a.above_id
),
frame AS MATERIALIZED (
  SELECT
    p.slice_id,
    p.trace_id,
    p.track_id,
    p.ts,
    p.ts + greatest(p.dur, 0) AS end_ns,
    -- In nesting, an unfinished call lasts to the end.
    CASE WHEN p.dur = -1 THEN 9223372036854775807 ELSE p.ts + greatest(p.dur, 0) END AS reach_ns,
    regexp_replace(p.name, ' at 0x[0-9A-Fa-f]+', '') AS name,
    n.n_device_ops,
    n.device_ns
  FROM whole_python_call AS p
  JOIN node AS n ON n.slice_id = p.slice_id
),
-- Most calls that lie in the time of an earlier one of their function are below it; only their
-- frames are searched.
surrounded AS (
  SELECT slice_id, name
  FROM (
    SELECT
      slice_id,
      name,
      end_ns <= max(reach_ns) OVER (
        PARTITION BY track_id, name
        ORDER BY ts, reach_ns DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS is_surrounded
    FROM frame
  )
  WHERE is_surrounded
),
same AS (
  SELECT u.slice_id, u.name, a.above_id AS at_id, f.slice_id IS NOT NULL AS is_found
  FROM surrounded AS u
  JOIN above AS a ON a.slice_id = u.slice_id
  LEFT JOIN frame AS f ON f.slice_id = a.above_id AND f.name = u.name
  UNION ALL
  SELECT s.slice_id, s.name, a.above_id, f.slice_id IS NOT NULL
  FROM above AS a
  JOIN same AS s ON s.at_id = a.slice_id
  LEFT JOIN frame AS f ON f.slice_id = a.above_id AND f.name = s.name
  WHERE NOT s.is_found
),
inner_call AS (SELECT slice_id FROM same WHERE is_found)
SELECT
  p.slice_id,
  p.trace_id,
  p.track_id,
  a.above_id,
  p.name,
  i.slice_id IS NOT NULL AS is_inner,
  p.n_device_ops,
  coalesce(o.self_device_ns, 0) AS self_device_ns,
  p.device_ns
FROM frame AS p
LEFT JOIN above AS a ON a.slice_id = p.slice_id
LEFT JOIN own AS o ON o.slice_id = p.slice_id
LEFT JOIN inner_call AS i ON i.slice_id = p.slice_id
