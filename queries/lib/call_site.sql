/* ---
name = "call_site"
version = 3
title = "Where calls that wait, copy or allocate were made: operator, nn.Module and Python line"
help = """
Runtime and driver calls that wait for devices, allocate or release memory, or launched copies: the innermost
operator around the call, and the module and Python function of the outermost operator of its thread that has
one. Calls outside of operators have none.
"""
grain = ["slice_id"]
requires = { schema = ">=13", queries = ["costly_call_name@1", "launched_op@1"] }
scale = "trace"
computed_once = "reports"
columns = ["slice_id", "trace_id", "location"]

[column]
slice_id.help = "Call"
location = { help = "Operator, module and Python function; NULL: none is recorded" }

[changes]
3 = "of operators that begin at one time, the outermost"
2 = "only calls that wait, allocate or release memory, or launched copies"
1 = "first version"
--- */
WITH call AS MATERIALIZED (
  SELECT slice_id, trace_id, track_id, ts
  FROM launch
  WHERE name IN (SELECT name FROM costly_call_name())
    OR slice_id IN (SELECT launch_id FROM launched_op() WHERE kind = 'memcpy' AND launch_id IS NOT NULL)
),
of_op AS (
  SELECT k.to_id AS slice_id, any_value(k.from_id) AS op_id
  FROM whole_link AS k
  SEMI JOIN call AS c ON c.slice_id = k.to_id
  WHERE k.kind = 'op_launch' AND k.link_set = 'default'
  GROUP BY k.to_id
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
  QUALIFY row_number() OVER (PARTITION BY o.track_id, o.ts ORDER BY o.dur DESC, o.slice_id) = 1
),
-- Only calls of threads with such operators are sorted.
placed AS (
  SELECT l.slice_id, a.module, a.python
  FROM (
    SELECT slice_id, track_id, ts
    FROM call
    WHERE track_id IN (SELECT track_id FROM above)
  ) AS l
  ASOF JOIN above AS a ON a.track_id = l.track_id AND l.ts >= a.ts
  WHERE l.ts <= a.end_ns
)
SELECT
  l.slice_id,
  l.trace_id,
  nullif(concat_ws(', ', s.name, p.module, p.python), '') AS location
FROM call AS l
LEFT JOIN of_op AS o ON o.slice_id = l.slice_id
LEFT JOIN whole_slice AS s ON s.id = o.op_id
LEFT JOIN placed AS p ON p.slice_id = l.slice_id
