/* ---
name = "frame_device_time"
version = 1
title = "Calls of Python functions that launched device work, with their enclosing frames"
help = """
Work counts as self time for the innermost frame around the call that caused it, and as total time
also for the frames above. A call made outside any operator of its thread, but on behalf of an
operator of another thread, counts as made in that operator. Durations are summed, so overlapping
work counts twice. Negative durations count as 0 ns.
"""
grain = ["slice_id"]
portable = false
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
help = "Whether it is nested in another call of the same function on the same track"

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
    CASE WHEN o.rule <> 'containment' THEN o.from_id ELSE c.from_id END AS slice_id,
    count(*) AS n_device_ops,
    sum(greatest(g.dur, 0))::BIGINT AS device_ns
  FROM gpu_op AS g
  -- Most traces without Python stacks have much device work, which need not be climbed.
  SEMI JOIN (SELECT DISTINCT trace_id FROM python_call) AS p ON p.trace_id = g.trace_id
  JOIN link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  LEFT JOIN link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE g.kind <> 'sync'
  GROUP BY CASE WHEN o.rule <> 'containment' THEN o.from_id ELSE c.from_id END
),
-- Sums climb one level per round and merge where they meet.
upward AS (
  SELECT s.id AS slice_id, s.parent_id, d.n_device_ops, d.device_ns
  FROM slice AS s
  JOIN direct AS d ON d.slice_id = s.id
  UNION ALL
  SELECT s.id, s.parent_id, u.n_device_ops, u.device_ns
  FROM slice AS s
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
  FROM python_call AS p
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
)
SELECT
  p.slice_id,
  p.trace_id,
  p.track_id,
  a.above_id,
  p.function_name AS name,
  coalesce(
    p.ts + greatest(p.dur, 0) <= max(p.ts + greatest(p.dur, 0)) OVER (
      PARTITION BY p.track_id, p.function_name
      ORDER BY p.ts, p.dur DESC, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    false
  ) AS is_inner,
  n.n_device_ops,
  coalesce(o.self_device_ns, 0) AS self_device_ns,
  n.device_ns
FROM (
  SELECT
    slice_id,
    trace_id,
    track_id,
    ts,
    dur,
    regexp_replace(name, ' at 0x[0-9A-Fa-f]+', '') AS function_name
  FROM python_call
) AS p
JOIN node AS n ON n.slice_id = p.slice_id
LEFT JOIN above AS a ON a.slice_id = p.slice_id
LEFT JOIN own AS o ON o.slice_id = p.slice_id
