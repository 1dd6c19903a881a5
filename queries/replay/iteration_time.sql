/* ---
name = "iteration_time"
version = 2
title = "Time of each iteration, by rank, with its forward, backward and update operators"
help = """
Of dPRO trials an iteration lasts from the first operator to the end of the one that begins last; of
other formats it is a recorded step. Times of phases are sums of durations. is_typical marks the step that
is closest to the time of the trial.
"""
grain = ["trace_id", "step", "start_ns"]
requires = { schema = ">=17", queries = ["dpro_event@1", "dpro_iteration@1"] }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "rank", "step", "start_ns", "dur_ns", "forward_ns", "backward_ns",
  "update_ns", "is_typical",
]

[column]
start_ns = { type = "DOUBLE", unit = "ns", help = "Start, in the time of the trace; of dPRO trials on the clock of the first host" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration; steps that did not end, or of negative duration, have 0" }
forward_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Forward operators; NULL: not recorded by phase" }
backward_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Backward operators" }
update_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Operators that update weights" }
is_typical = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether the step is the closest to the time of the trial" }

[changes]
2 = "steps without an end, or of negative duration, take 0 ns"
1 = "first version"
--- */
WITH phase_time AS (
  SELECT
    trace_id,
    step,
    coalesce(sum(dur_ns) FILTER (phase = 'FW'), 0)::DOUBLE AS forward_ns,
    coalesce(sum(dur_ns) FILTER (phase = 'BW'), 0)::DOUBLE AS backward_ns,
    coalesce(sum(dur_ns) FILTER (starts_with(phase, 'UPDATE')), 0)::DOUBLE AS update_ns
  FROM dpro_event()
  WHERE phase <> 'Comm'
  GROUP BY trace_id, step
),
iteration AS (
  SELECT
    i.run_id, i.trace_id, i.rank, i.step, i.start_ns, i.dur_ns::DOUBLE AS dur_ns, p.forward_ns,
    p.backward_ns, p.update_ns, i.is_typical
  FROM dpro_iteration() AS i
  JOIN phase_time AS p ON p.trace_id = i.trace_id AND p.step = i.step
  UNION ALL
  SELECT t.run_id, s.trace_id, t.rank, s.number, s.ts::DOUBLE, greatest(s.dur, 0)::DOUBLE, NULL, NULL, NULL, NULL
  FROM step AS s
  JOIN trace AS t ON t.id = s.trace_id
)
SELECT
  i.run_id,
  r.name AS run,
  i.trace_id,
  i.rank,
  i.step,
  i.start_ns,
  i.dur_ns,
  i.forward_ns,
  i.backward_ns,
  i.update_ns,
  i.is_typical
FROM iteration AS i
JOIN run AS r ON r.id = i.run_id
ORDER BY i.run_id, i.rank, i.trace_id, i.start_ns, i.step
