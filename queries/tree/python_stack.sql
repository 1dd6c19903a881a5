/* ---
name = "python_stack"
version = 1
title = "The Python stack around a slice, outermost function first"
help = """
Of device work it is the stack around the call that launched it, or around the operator that call
was made for. A slice that is itself a call of a Python function is the last of its stack. No rows:
the recording has no stack there.
"""
grain = ["position"]
portable = false

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "The slice whose stack to show"

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
name = "position"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "1 for the outermost function"

[[column]]
name = "frame_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The call of the function"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The function as recorded: file(line): function"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the call, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Its length; lengths below 0, also of what never ended, are 0"

[changes]
1 = "first version"
--- */
WITH RECURSIVE cause AS (
  SELECT max(CASE WHEN o.rule <> 'containment' THEN o.from_id ELSE c.from_id END) AS slice_id
  FROM link AS c
  LEFT JOIN link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  WHERE c.to_id = $slice_id::BIGINT
    AND c.kind = 'launch'
    AND c.link_set = 'default'
),
origin AS (SELECT coalesce(slice_id, $slice_id::BIGINT) AS slice_id FROM cause),
upward AS (
  SELECT s.id AS slice_id, s.parent_id, 0::BIGINT AS level
  FROM slice AS s
  JOIN origin AS o ON o.slice_id = s.id
  UNION ALL
  SELECT s.id, s.parent_id, u.level + 1
  FROM slice AS s
  JOIN upward AS u ON u.parent_id = s.id
)
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  row_number() OVER (ORDER BY u.level DESC) AS position,
  p.slice_id AS frame_id,
  p.name,
  p.ts AS start_ns,
  greatest(p.dur, 0) AS dur_ns
FROM python_call AS p
JOIN upward AS u ON u.slice_id = p.slice_id
JOIN trace AS t ON t.id = p.trace_id
ORDER BY position
