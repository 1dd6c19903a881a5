/* ---
name = "compare_step"
version = 1
title = "Whole steps on both sides of a comparison"
help = """
A step is whole if it ended, lasted longer than 0 ns, and lies in the time window. What runs outside
of whole steps is not compared per step. A side with a trace twice has its steps once.
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
JOIN compare_side($a::VARCHAR, $b::VARCHAR) AS c ON c.trace_id = s.trace_id
CROSS JOIN time_window AS w
WHERE s.dur > 0
  AND s.ts >= w.from_ns
  AND s.ts + s.dur <= w.to_ns
