/* ---
name = "host_device_time"
version = 1
title = "Device time launched in or below host slices of any kind"
help = """
Kernels, copies and memsets belong to the call that caused them and to all slices above that call. A
call made outside any operator of its thread, but on behalf of an operator that runs on another
thread, belongs to that operator and the slices above it. Durations are summed, so overlapping work
counts twice. Negative durations, including those of unfinished slices, count as 0 ns. Slices
without such work have no row. In a time window the sums are of the parts of the work inside it.
"""
grain = ["slice_id"]
scale = "trace"
columns = ["slice_id", "n_device_ops", "device_ns"]

[param.only_with_python]
type = "BOOLEAN"
default = false
help = "Restrict to traces that have Python stacks"

[column]
slice_id.help = "Host slice"

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
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  -- An operator of another thread counts only if it runs when the call begins: an External id that
  -- is left over from an earlier operator says nothing of where the call was made.
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
    AND o.rule <> 'containment' AND o.confidence > 0.5
  WHERE g.kind <> 'sync'
    AND (
      NOT $only_with_python::BOOLEAN OR g.trace_id IN (SELECT trace_id FROM whole_python_call)
    )
  GROUP BY coalesce(o.from_id, c.from_id)
  UNION ALL
  -- Work of an operator whose call was not recorded, or was made outside of it.
  SELECT
    d.from_id,
    count(*),
    sum(greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0))::BIGINT
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN whole_link AS d ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.link_set = 'default'
  WHERE g.kind <> 'sync'
    AND (
      NOT $only_with_python::BOOLEAN OR g.trace_id IN (SELECT trace_id FROM whole_python_call)
    )
  GROUP BY d.from_id
),
-- Traces without Python calls need not be read. (Materialized: the database would join all slices
-- first.)
higher AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL
    AND (NOT $only_with_python::BOOLEAN OR trace_id IN (SELECT trace_id FROM whole_python_call))
),
-- Sums climb one level per round and merge where they meet.
upward AS (
  SELECT slice_id, n_device_ops, device_ns
  FROM direct
  UNION ALL
  SELECT s.parent_id, sum(u.n_device_ops)::BIGINT, sum(u.device_ns)::BIGINT
  FROM higher AS s
  JOIN upward AS u ON u.slice_id = s.id
  GROUP BY s.parent_id
)
SELECT
  slice_id,
  sum(n_device_ops)::BIGINT AS n_device_ops,
  sum(device_ns)::BIGINT AS device_ns
FROM upward
GROUP BY slice_id
