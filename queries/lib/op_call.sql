/* ---
name = "op_call"
version = 1
title = "Operator calls with self time and device time"
help = """
self_ns is the duration of a call minus its direct children of any category; a call shorter than
their sum has 0 ns. Device times are sums of the durations of kernels, copies and memsets, so
overlapping work counts twice: self_device_ns covers work launched by the call itself, device_ns
also work launched by all slices below it. Links of kind op_launch define which work an operator
launched. Negative durations, including those of unfinished slices, count as 0 ns.
"""
grain = ["slice_id"]
portable = false
columns = [
  "slice_id", "trace_id", "track_id", "name", "input_dims_json", "input_type_json", "dur_ns",
  "self_ns", "is_inner", "n_device_ops", "self_device_ns", "device_ns",
]

[column]
slice_id.help = "Call"
track_id.help = "Track of the call"
name.help = "Operator name"
input_dims_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Input shapes" }
input_type_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Input types" }
dur_ns.help = "Duration"
self_ns.help = "Duration minus direct children"
n_device_ops.help = "Number of kernels, copies and memsets launched in the call"
self_device_ns.help = "Sum of the durations of the work launched by the operator itself"
device_ns.help = "Sum of the durations of all its device work"

[column.is_inner]
type = "BOOLEAN"
unit = "bool"
help = "Whether it is nested in another call of the same name on the same track"

[changes]
1 = "first version"
--- */
WITH RECURSIVE direct AS MATERIALIZED (
  SELECT
    o.from_id AS slice_id,
    count(*) AS n_device_ops,
    sum(greatest(g.dur, 0))::BIGINT AS device_ns
  FROM gpu_op AS g
  JOIN link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  JOIN link AS o ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE g.kind <> 'sync'
  GROUP BY o.from_id
),
-- Sums climb one level per round and merge where they meet.
upward AS (
  SELECT slice_id, n_device_ops, device_ns, device_ns AS self_device_ns
  FROM direct
  UNION ALL
  SELECT s.parent_id, sum(u.n_device_ops)::BIGINT, sum(u.device_ns)::BIGINT, 0
  FROM slice AS s
  JOIN upward AS u ON u.slice_id = s.id
  WHERE s.parent_id IS NOT NULL
  GROUP BY s.parent_id
),
caused AS (
  SELECT
    slice_id,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(device_ns)::BIGINT AS device_ns,
    sum(self_device_ns)::BIGINT AS self_device_ns
  FROM upward
  GROUP BY slice_id
  HAVING sum(n_device_ops) > 0
),
-- The direct children of a call also give its depth, so calls need not be looked up in slice, which
-- is many times larger.
below AS (
  SELECT
    parent_id AS slice_id,
    sum(greatest(dur, 0))::BIGINT AS below_ns,
    min(depth) - 1 AS depth
  FROM slice
  WHERE parent_id IS NOT NULL
  GROUP BY parent_id
),
call AS MATERIALIZED (
  SELECT
    o.slice_id,
    o.trace_id,
    o.track_id,
    o.ts,
    o.name,
    o.input_dims_json,
    o.input_type_json,
    greatest(o.dur, 0) AS dur_ns,
    b.below_ns,
    b.depth
  FROM cpu_op AS o
  LEFT JOIN below AS b ON b.slice_id = o.slice_id
),
-- A name can be nested in itself only if a slice of that name is deeper than a call of it that has
-- children. These are few, so few calls are sorted.
candidate AS (
  SELECT a.track_id, a.name
  FROM (
    SELECT track_id, name, min(depth) AS depth
    FROM call
    WHERE depth IS NOT NULL
    GROUP BY track_id, name
  ) AS a
  JOIN (
    SELECT track_id, name, max(depth) AS depth
    FROM slice
    GROUP BY track_id, name
  ) AS d ON d.track_id = a.track_id AND d.name = a.name AND d.depth > a.depth
),
inner_call AS (
  SELECT slice_id
  FROM (
    SELECT
      c.slice_id,
      c.ts + c.dur_ns <= max(c.ts + c.dur_ns) OVER (
        PARTITION BY c.track_id, c.name
        ORDER BY c.ts, c.dur_ns DESC, c.slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS is_inner
    FROM call AS c
    SEMI JOIN candidate AS n ON n.track_id = c.track_id AND n.name = c.name
  )
  WHERE is_inner
)
SELECT
  c.slice_id,
  c.trace_id,
  c.track_id,
  c.name,
  c.input_dims_json,
  c.input_type_json,
  c.dur_ns,
  greatest(c.dur_ns - coalesce(c.below_ns, 0), 0) AS self_ns,
  i.slice_id IS NOT NULL AS is_inner,
  coalesce(f.n_device_ops, 0) AS n_device_ops,
  coalesce(f.self_device_ns, 0) AS self_device_ns,
  coalesce(f.device_ns, 0) AS device_ns
FROM call AS c
LEFT JOIN caused AS f ON f.slice_id = c.slice_id
LEFT JOIN inner_call AS i ON i.slice_id = c.slice_id
