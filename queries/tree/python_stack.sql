/* ---
name = "python_stack"
version = 2
title = "Python stack around a slice, outermost function first"
help = """
For device work, the stack around the call that launched it, or around the operator that call was made
for, if that runs when the call begins. A slice that is itself a Python function call is the last entry.
Without a recorded stack there are no rows. A time window hides none of them.
"""
grain = ["position"]
scale = "trace"
columns = ["run_id", "trace_id", "rank", "position", "frame_id", "name", "start_ns", "dur_ns"]

[param.slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "Slice whose stack to return"

[column]
position.help = "Position in the stack, from 1 for the outermost function"
frame_id = { type = "BIGINT", unit = "ref slice.id", help = "Call of the function" }
name.help = "Function as recorded: file(line): function"
start_ns.help = "Start of the call, on the time axis of slice.ts"
dur_ns.help = "Duration of the call; negative and unfinished ones are 0"

[changes]
2 = "operators that end before the call are ignored"
1 = "first version"
--- */
-- An operator of another thread counts only if it runs when the call begins: an External id that
-- is left over from an earlier operator says nothing of where the call was made.
WITH RECURSIVE cause AS (
  SELECT max(coalesce(o.from_id, c.from_id)) AS slice_id
  FROM whole_link AS c
  LEFT JOIN whole_link AS o
    ON o.to_id = c.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
    AND o.rule <> 'containment' AND o.confidence > 0.5
  WHERE c.to_id = $slice_id::BIGINT
    AND c.kind = 'launch'
    AND c.link_set = 'default'
),
origin AS (SELECT coalesce(slice_id, $slice_id::BIGINT) AS slice_id FROM cause),
upward AS (
  SELECT s.id AS slice_id, s.parent_id, 0::BIGINT AS level
  FROM whole_slice AS s
  JOIN origin AS o ON o.slice_id = s.id
  UNION ALL
  SELECT s.id, s.parent_id, u.level + 1
  FROM whole_slice AS s
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
FROM whole_python_call AS p
JOIN upward AS u ON u.slice_id = p.slice_id
JOIN trace AS t ON t.id = p.trace_id
ORDER BY position
