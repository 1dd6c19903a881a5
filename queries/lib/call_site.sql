/* ---
name = "call_site"
version = 1
title = "Where runtime and driver calls were made: operator, nn.Module and Python line"
help = """
The innermost operator around the call, and the module and Python function of the outermost operator of its
thread that has one. Calls outside of operators have none.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
computed_once = "reports"
columns = ["slice_id", "trace_id", "location"]

[column]
slice_id.help = "Call"
location = { help = "Operator, module and Python function; NULL: none is recorded" }

[changes]
1 = "first version"
--- */
WITH of_op AS (
  SELECT to_id AS slice_id, any_value(from_id) AS op_id
  FROM whole_link
  WHERE kind = 'op_launch' AND link_set = 'default'
  GROUP BY to_id
),
above AS MATERIALIZED (
  SELECT
    o.track_id,
    o.ts,
    o.ts + greatest(o.dur, 0) AS end_ns,
    max(s.name) FILTER (k.kind = 'module') AS module,
    max(s.name) FILTER (k.kind = 'python') AS python
  FROM whole_link AS k
  JOIN whole_cpu_op AS o ON o.slice_id = k.to_id
  JOIN whole_slice AS s ON s.id = k.from_id
  WHERE k.kind IN ('module', 'python') AND k.link_set = 'default'
  GROUP BY o.slice_id, o.track_id, o.ts, o.dur
),
-- Only calls of threads with such operators are sorted.
placed AS (
  SELECT l.slice_id, a.module, a.python
  FROM (
    SELECT slice_id, track_id, ts
    FROM launch
    WHERE track_id IN (SELECT track_id FROM above)
  ) AS l
  ASOF JOIN above AS a ON a.track_id = l.track_id AND l.ts >= a.ts
  WHERE l.ts <= a.end_ns
)
SELECT
  l.slice_id,
  l.trace_id,
  nullif(concat_ws(', ', s.name, p.module, p.python), '') AS location
FROM launch AS l
LEFT JOIN of_op AS o ON o.slice_id = l.slice_id
LEFT JOIN whole_slice AS s ON s.id = o.op_id
LEFT JOIN placed AS p ON p.slice_id = l.slice_id
