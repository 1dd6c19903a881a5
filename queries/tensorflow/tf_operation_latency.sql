/* ---
name = "tf_operation_latency"
version = 2
title = "Time between the last input of an operator and its begin"
help = """
For each session and operator, by the edges of a graph in the same run: the last begin in the
session minus the last end of its inputs, at least 0. Inputs that did not run in the session are not
counted. A time window contains the operators whose last begin is of a call that runs in it.
"""
grain = ["step_id", "name"]
requires = { schema = ">=1" }
scale = "run"
columns = ["run_id", "trace_id", "rank", "step_id", "session", "name", "latency_ns", "n_inputs"]

[param.skip_sessions]
type = "BIGINT[]"
default = [1, 2]
help = "Numbers of sessions that do not count: initialisation and the first run"

[column]
step_id = { nullable = false, help = "Slice of the session" }
session = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of the session, from 1" }
name = { nullable = false, help = "Name of the operator" }
latency_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "From the end of the last input to the begin of the operator" }
n_inputs = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of inputs that ran in the session" }

[changes]
2 = "a time window hides no inputs"
1 = "first version"
--- */
WITH session AS (
  SELECT
    slice_id, trace_id, ts, ts + dur AS end_ts,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts + dur) AS session
  FROM whole_step
  WHERE dur >= 0
),
ran AS (
  SELECT
    s.slice_id AS step_id, s.trace_id, s.session, o.name,
    max(o.ts) AS begin_ts,
    max_by(o.slice_id, (o.ts, o.slice_id)) AS last_id,
    max(o.ts + o.dur) FILTER (o.dur >= 0) AS end_ts
  FROM whole_cpu_op AS o
  JOIN session AS s ON s.trace_id = o.trace_id AND o.ts >= s.ts AND o.ts <= s.end_ts
  WHERE o.name IS NOT NULL
  GROUP BY s.slice_id, s.trace_id, s.session, o.name
),
edge AS (
  SELECT DISTINCT t.run_id, a.name AS input, b.name
  FROM graph_edge AS e
  JOIN graph_node AS a ON a.id = e.from_node_id
  JOIN graph_node AS b ON b.id = e.to_node_id
  JOIN trace AS t ON t.id = e.trace_id
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.step_id,
  r.session,
  r.name,
  greatest(0, r.begin_ts - max(i.end_ts)) AS latency_ns,
  count(*) AS n_inputs
FROM ran AS r
SEMI JOIN cpu_op AS v ON v.slice_id = r.last_id
JOIN trace AS t ON t.id = r.trace_id
JOIN edge AS e ON e.run_id = t.run_id AND e.name = r.name
JOIN ran AS i ON i.step_id = r.step_id AND i.name = e.input
WHERE i.end_ts IS NOT NULL AND NOT list_contains($skip_sessions::BIGINT[], r.session)
GROUP BY t.run_id, r.trace_id, t.rank, r.step_id, r.session, r.name, r.begin_ts
ORDER BY r.trace_id, r.session, latency_ns DESC, r.name
