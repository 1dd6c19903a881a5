/* ---
name = "replay_captured"
version = 1
title = "Calls that a graph of a step could replace: launches of a trace without a wait between them"
help = """
Of steps of timelines; of those that a call is in, the one that began last, of several that began then the
longest. A call that waits for device work ends a graph, as it cannot be captured; graphs have at least two launches.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_measured@3", "replay_node@3"] }
scale = "run"
columns = ["run_id", "trace_id", "track_id", "before_id", "node_id", "first_before_id", "first_id", "last_id"]

[column]
track_id.help = "Thread of the call"
before_id = { type = "BIGINT", unit = "id", help = "Node of the thread before the call, at whose end it begins" }
node_id = { type = "BIGINT", unit = "id", help = "Call" }
first_before_id = { type = "BIGINT", unit = "id", help = "The node before the first call of the graph" }
first_id = { type = "BIGINT", unit = "id", help = "The first call of the graph" }
last_id = { type = "BIGINT", unit = "id", help = "The last call of the graph" }

[changes]
1 = "first version"
--- */
WITH waiting AS (
  SELECT DISTINCT run_id, to_id AS node_id FROM replay_edge() WHERE kind = 'wait'
),
launching AS (
  SELECT DISTINCT a.run_id, a.from_id AS before_id, b.to_id AS node_id
  FROM replay_edge() AS a
  JOIN replay_edge() AS b ON b.run_id = a.run_id AND b.from_id = a.from_id AND b.kind = 'thread_order'
  WHERE a.kind = 'launch'
),
span AS (
  SELECT m.run_id, m.trace_id, m.step, a.measured_end_ns AS start_ns, b.measured_end_ns AS end_ns
  FROM replay_measured() AS m
  JOIN replay_node() AS a ON a.run_id = m.run_id AND a.node_id = m.first_id
  JOIN replay_node() AS b ON b.run_id = m.run_id AND b.node_id = m.last_id
  WHERE m.step IS NOT NULL
  QUALIFY row_number() OVER (
    PARTITION BY m.run_id, m.trace_id, a.measured_end_ns ORDER BY b.measured_end_ns DESC, m.step
  ) = 1
),
marked AS (
  SELECT
    n.run_id, n.trace_id, n.track_id, n.node_id, n.measured_start_ns, l.before_id,
    count(w.node_id) OVER (PARTITION BY n.run_id, n.trace_id ORDER BY n.node_id) AS n_waits,
    w.node_id IS NOT NULL AS is_waiting
  FROM replay_node() AS n
  LEFT JOIN launching AS l ON l.run_id = n.run_id AND l.node_id = n.node_id
  LEFT JOIN waiting AS w ON w.run_id = n.run_id AND w.node_id = n.node_id
  WHERE l.node_id IS NOT NULL OR w.node_id IS NOT NULL
),
call AS (
  SELECT m.run_id, m.trace_id, m.track_id, m.before_id, m.node_id, m.n_waits, s.step
  FROM marked AS m
  JOIN span AS s
    ON s.run_id = m.run_id AND s.trace_id = m.trace_id AND m.measured_start_ns >= s.start_ns
    AND m.measured_start_ns < s.end_ns
  WHERE m.before_id IS NOT NULL AND NOT m.is_waiting
  QUALIFY row_number() OVER (PARTITION BY m.run_id, m.node_id, m.before_id ORDER BY s.start_ns DESC) = 1
)
SELECT
  run_id, trace_id, track_id, before_id, node_id,
  min_by(before_id, node_id) OVER graph AS first_before_id,
  min(node_id) OVER graph AS first_id,
  max(node_id) OVER graph AS last_id
FROM call
WINDOW graph AS (PARTITION BY run_id, trace_id, step, n_waits)
QUALIFY count(*) OVER graph > 1
ORDER BY run_id, node_id
