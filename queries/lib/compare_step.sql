/* ---
name = "compare_step"
version = 1
title = "Whole steps on both sides of a comparison"
help = """
A step is whole if it ended, lasted longer than 0 ns, lies in the time window, and the recording did
not end before its device work: after the last call whose work was recorded, it has no call of the
same name. What runs outside of whole steps is not compared per step.
"""
grain = ["side", "step_id"]
requires = { schema = ">=1", queries = ["compare_side@1"] }
columns = ["side", "trace_id", "step_id", "step", "position", "start_ns", "end_ns", "n_steps"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
step_id.help = "Slice of the step"
position.help = "Position of the step among the whole steps of its trace, from 1"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; after the start"
n_steps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of whole steps of the trace" }

[changes]
1 = "first version"
--- */
WITH side AS (
  SELECT side, trace_id
  FROM compare_side($a::VARCHAR, $b::VARCHAR)
),
-- Calls that launch work, by name; where the recording of devices ended first, the last have none.
called AS (
  SELECT l.trace_id, l.name, l.ts, k.from_id IS NOT NULL AS has_work
  FROM whole_launch AS l
  SEMI JOIN side AS c ON c.trace_id = l.trace_id
  LEFT JOIN (
    SELECT DISTINCT from_id
    FROM whole_link
    WHERE kind = 'launch' AND link_set = 'default'
  ) AS k ON k.from_id = l.slice_id
),
last_call AS (
  SELECT trace_id, max(ts) AS ts
  FROM called
  WHERE has_work
  GROUP BY trace_id
),
launching AS (
  SELECT trace_id, name
  FROM called
  GROUP BY trace_id, name
  -- Calls of some names launch work sometimes, as when a graph is captured.
  HAVING 2 * sum(CASE WHEN has_work THEN 1 ELSE 0 END) >= count(*)
),
lost AS (
  SELECT c.trace_id, min(c.ts) AS ts
  FROM called AS c
  JOIN last_call AS k ON k.trace_id = c.trace_id AND c.ts > k.ts
  SEMI JOIN launching AS n ON n.trace_id = c.trace_id AND n.name = c.name
  GROUP BY c.trace_id
)
SELECT
  c.side,
  s.trace_id,
  s.slice_id AS step_id,
  s.number AS step,
  row_number() OVER (PARTITION BY c.side, s.trace_id ORDER BY s.ts, s.slice_id) AS position,
  s.ts AS start_ns,
  s.ts + s.dur AS end_ns,
  count(*) OVER (PARTITION BY c.side, s.trace_id) AS n_steps
FROM step AS s
JOIN side AS c ON c.trace_id = s.trace_id
LEFT JOIN lost AS o ON o.trace_id = s.trace_id
CROSS JOIN time_window AS w
WHERE s.dur > 0
  AND (o.ts IS NULL OR s.ts + s.dur <= o.ts)
  AND s.ts >= w.from_ns
  AND s.ts + s.dur <= w.to_ns
