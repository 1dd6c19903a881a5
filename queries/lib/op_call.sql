/* ---
name = "op_call"
version = 2
title = "Operator calls with self time and device time"
help = """
self_ns is the duration of a call minus its direct children of any category; a call shorter than
their sum has 0 ns. Device times are sums of the durations of kernels, copies and memsets, so
overlapping work counts twice: self_device_ns covers work launched by the call itself, device_ns
also work launched by all slices below it. Links of kind op_launch define which work an operator
launched. Negative durations, including those of unfinished slices, count as 0 ns. In a time window
there is a row for each call that runs in it or whose device work does: dur_ns is that of the whole
call, all other times are of the parts inside the window.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["cut_slice@1", "launched_work@1"] }
scale = "trace"
columns = [
  "slice_id", "trace_id", "track_id", "name", "input_dims_json", "input_type_json", "dur_ns",
  "inside_ns", "self_ns", "is_inner", "n_device_ops", "self_device_ns", "device_ns",
]

[column]
slice_id.help = "Call"
track_id.help = "Track of the call"
name.help = "Operator name"
input_dims_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Input shapes" }
input_type_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Input types" }
dur_ns.help = "Duration"
self_ns.help = "Duration minus direct children, inside the time window"
n_device_ops.help = "Number of kernels, copies and memsets launched in the call"
self_device_ns.help = "Sum of the durations of the work launched by the operator itself"
device_ns.help = "Sum of the durations of all its device work"

[column.is_inner]
type = "BOOLEAN"
unit = "bool"
help = "Whether it is nested in another call of the same name: one of the slices above it"

[changes]
2 = "new column inside_ns; is_inner goes by the slices above a call, as the sums do"
1 = "first version"
--- */
-- The direct children of a call also give its depth, so calls need not be looked up in slice, which
-- is many times larger.
WITH RECURSIVE below AS MATERIALIZED (
  SELECT
    s.parent_id AS slice_id,
    sum(greatest(least(s.ts + s.dur, w.to_ns) - greatest(s.ts, w.from_ns), 0))::BIGINT
      AS below_ns,
    min(s.depth) - 1 AS depth
  FROM slice AS s
  CROSS JOIN time_window AS w
  WHERE s.parent_id IS NOT NULL
  GROUP BY s.parent_id
),
-- One row if a time window is set: what is outside of it is read only then.
set_window AS (
  SELECT from_ns, to_ns
  FROM time_window
  WHERE from_ns > -9223372036854775807 OR to_ns < 9223372036854775807
),
caused AS MATERIALIZED (
  SELECT
    slice_id,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(device_ns)::BIGINT AS device_ns,
    sum(CASE WHEN level = 0 THEN device_ns ELSE 0 END)::BIGINT AS self_device_ns
  FROM launched_work()
  GROUP BY slice_id
),
-- Calls outside of the window whose work is inside.
late AS MATERIALIZED (
  SELECT o.slice_id
  FROM whole_cpu_op AS o
  CROSS JOIN set_window AS w
  SEMI JOIN caused AS f ON f.slice_id = o.slice_id
  WHERE o.ts >= w.to_ns
    OR (o.ts < w.from_ns AND o.ts + o.dur <= w.from_ns AND o.dur <> -1)
),
-- Read again wherever calls are used: to keep all of them, with their names, takes more memory than
-- everything else here.
call AS NOT MATERIALIZED (
  SELECT slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json
  FROM cpu_op
  UNION ALL
  SELECT
    o.slice_id, o.trace_id, o.track_id, o.ts, o.dur, o.name, o.input_dims_json, o.input_type_json
  FROM whole_cpu_op AS o
  SEMI JOIN late AS k ON k.slice_id = o.slice_id
),
-- A name can be nested in itself only if a slice of that name is deeper than a call of it that has
-- children. These are few, so few calls are sorted.
candidate AS MATERIALIZED (
  SELECT a.track_id, a.name
  FROM (
    SELECT DISTINCT c.track_id, c.name, b.depth
    FROM call AS c
    JOIN below AS b ON b.slice_id = c.slice_id
  ) AS a
  JOIN (
    SELECT track_id, name, max(depth) AS depth
    FROM slice
    GROUP BY track_id, name
  ) AS d ON d.track_id = a.track_id AND d.name = a.name AND d.depth > a.depth
  UNION
  SELECT o.track_id, o.name
  FROM whole_cpu_op AS o
  SEMI JOIN late AS k ON k.slice_id = o.slice_id
),
-- In nesting, an unfinished call lasts to the end.
reaching AS (
  SELECT
    c.slice_id,
    c.track_id,
    c.name,
    c.ts,
    c.ts + greatest(c.dur, 0) AS end_ns,
    CASE WHEN c.dur = -1 THEN 9223372036854775807 ELSE c.ts + greatest(c.dur, 0) END AS reach_ns
  FROM call AS c
  SEMI JOIN (SELECT * FROM candidate WHERE track_id >= 0) AS n ON n.track_id = c.track_id AND n.name = c.name
),
-- Most calls that lie in the time of an earlier one of their name are below it, few of them much
-- deeper; only their parents are searched.
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
    FROM reaching
  )
  WHERE is_surrounded
),
-- What a search can find: calls that have one of these names.
sought AS MATERIALIZED (
  SELECT c.slice_id, c.name
  FROM call AS c
  SEMI JOIN (SELECT * FROM candidate WHERE track_id >= 0) AS n ON n.name = c.name
),
parent AS MATERIALIZED (
  SELECT u.slice_id, u.name, s.depth, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM whole_slice AS s
  JOIN surrounded AS u ON u.slice_id = s.id
  LEFT JOIN sought AS a ON a.slice_id = s.parent_id AND a.name = u.name
  WHERE s.parent_id IS NOT NULL
),
-- Most are found there: the slices above the others are few. (Materialized: the database would join
-- all slices first.)
higher AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE depth < (SELECT max(depth) FROM parent WHERE NOT is_found)
),
search AS (
  SELECT slice_id, name, at_id, is_found
  FROM parent
  UNION ALL
  SELECT r.slice_id, r.name, s.parent_id, a.slice_id IS NOT NULL
  FROM higher AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN sought AS a ON a.slice_id = s.parent_id AND a.name = r.name
  WHERE NOT r.is_found
    AND s.parent_id IS NOT NULL
),
inner_call AS (SELECT slice_id FROM search WHERE is_found)
SELECT
  c.slice_id,
  c.trace_id,
  c.track_id,
  c.name,
  c.input_dims_json,
  c.input_type_json,
  greatest(c.dur, 0) AS dur_ns,
  greatest(least(c.ts + c.dur, w.to_ns) - greatest(c.ts, w.from_ns), 0) AS inside_ns,
  coalesce(
    x.self_ns,
    greatest(
      greatest(least(c.ts + c.dur, w.to_ns) - greatest(c.ts, w.from_ns), 0)
        - coalesce(b.below_ns, 0),
      0
    )
  ) AS self_ns,
  i.slice_id IS NOT NULL AS is_inner,
  coalesce(f.n_device_ops, 0) AS n_device_ops,
  coalesce(f.self_device_ns, 0) AS self_device_ns,
  coalesce(f.device_ns, 0) AS device_ns
FROM call AS c
CROSS JOIN time_window AS w
LEFT JOIN cut_slice() AS x ON x.slice_id = c.slice_id
LEFT JOIN below AS b ON b.slice_id = c.slice_id
-- Always true: with a condition the estimate of these rows is small, so that they are hashed, and not
-- all calls.
LEFT JOIN (SELECT * FROM caused WHERE device_ns >= 0) AS f ON f.slice_id = c.slice_id
LEFT JOIN inner_call AS i ON i.slice_id = c.slice_id
