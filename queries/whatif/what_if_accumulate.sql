/* ---
name = "what_if_accumulate"
version = 1
title = "What if: the batch in parts whose gradients are accumulated"
help = """
The forward and the backward pass run `batches` times with a part of the batch each; gradients are communicated and
weights updated once. Operators of dPRO trials and device work last that part of their time, but no less than the
shortest of the trace; host code takes as long for each part, unless the run has no device work. The earlier parts
run before the first call or operator, for as long as their work on the host or on a stream, whichever is
longer. An extrapolation: work that does not grow with the batch is divided, too.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["memory_node@2", "memory_pass@1", "replay_node@3"] }
scale = "run"
applies_to = "operators of dPRO trials, and graphs with tensors and a backward pass"
extrapolates = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.batches]
type = "BIGINT"
min = 2
help = "Parts of the batch"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
1 = "first version"
--- */
-- work of the forward and backward pass; `place` has the first first
WITH work AS (
  SELECT
    run_id, node_id, 't' || trace_id AS program, 'operator' AS side, resource_id, order_key AS place, dur_ns, gap_ns,
    true AS is_divided
  FROM replay_node()
  WHERE kind = 'operator' AND NOT contains(name, 'UPDATE')
  UNION ALL
  SELECT
    n.run_id, n.node_id, c.program, c.side, CASE WHEN c.side = 'device' THEN n.resource_id END, c.place, n.dur_ns, n.gap_ns,
    c.side = 'device' OR NOT bool_or(c.side = 'device') OVER (PARTITION BY c.program)
  FROM (
    SELECT m.run_id, m.node_id, 'g' || m.graph_id || ' ' || p.step AS program, min(m.side) AS side, min(m.place) AS place
    FROM memory_node() AS m
    JOIN memory_pass() AS p ON p.graph_id = m.graph_id AND m.place >= p.first_place AND m.place < p.update_place
    GROUP BY m.run_id, m.node_id, m.graph_id, p.step
    QUALIFY row_number() OVER (PARTITION BY m.run_id, m.node_id ORDER BY min(m.place)) = 1
  ) AS c
  JOIN replay_node() AS n ON n.run_id = c.run_id AND n.node_id = c.node_id
  WHERE n.kind NOT IN ('collective', 'operator')
),
shortest AS (
  SELECT run_id, program, min(dur_ns) AS dur_ns
  FROM work
  WHERE is_divided AND dur_ns > 0
  GROUP BY run_id, program
),
number AS (SELECT $batches::BIGINT AS n),
part AS MATERIALIZED (
  SELECT
    w.*, CASE WHEN w.is_divided THEN least(w.dur_ns, greatest(w.dur_ns / b.n, coalesce(s.dur_ns, 0))) ELSE w.dur_ns END AS part_ns
  FROM work AS w
  CROSS JOIN number AS b
  LEFT JOIN shortest AS s ON s.run_id = w.run_id AND s.program = w.program
),
lane AS (
  SELECT run_id, program, sum(part_ns + gap_ns) AS dur_ns FROM part GROUP BY run_id, program, side, resource_id
),
earlier AS (
  SELECT run_id, program, max(dur_ns) * (any_value(n) - 1) AS dur_ns FROM lane CROSS JOIN number GROUP BY run_id, program
),
first AS (
  SELECT run_id, program, arg_min(node_id, (place, node_id)) AS node_id FROM part WHERE side <> 'device' GROUP BY run_id, program
),
changed AS (
  SELECT run_id, node_id, sum(part_ns - dur_ns) AS more_ns FROM part GROUP BY run_id, node_id
),
before AS (
  SELECT f.run_id, f.node_id, sum(e.dur_ns) AS dur_ns
  FROM first AS f
  JOIN earlier AS e ON e.run_id = f.run_id AND e.program = f.program
  GROUP BY f.run_id, f.node_id
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  greatest(n.dur_ns + coalesce(c.more_ns, 0), 0) + coalesce(b.dur_ns, 0) AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id, n.measured_start_ns,
  n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN changed AS c ON c.run_id = n.run_id AND c.node_id = n.node_id
LEFT JOIN before AS b ON b.run_id = n.run_id AND b.node_id = n.node_id
ORDER BY n.run_id, n.node_id
