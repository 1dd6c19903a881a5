/* ---
name = "replay_gradient"
version = 1
title = "Gradients of a replay that a communication library reduces on the host"
help = """
By rank and iteration, in the order in which they become ready: the node that copies each into its
bucket, and the node that copies it back; an iteration ends with the copies back.
"""
grain = ["run_id", "track_id", "iteration", "place"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
computed_once = true
columns = ["run_id", "trace_id", "track_id", "iteration", "place", "bytes", "ready_id", "copy_id", "before_id"]

[column]
track_id.help = "Thread"
iteration = { type = "BIGINT", unit = "count", help = "Iteration; counts from 0" }
place = { type = "BIGINT", unit = "count", help = "Place among the gradients of the iteration; counts from 0" }
bytes.help = "Size of the gradient"
ready_id = { type = "BIGINT", unit = "id", help = "Node that ends when it is ready" }
copy_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node that copies it back" }
before_id = { type = "BIGINT", unit = "id", nullable = true, help = "Node of the thread before the copy back" }

[changes]
1 = "first version"
--- */
WITH piece AS (
  SELECT
    n.run_id, n.trace_id, n.track_id, n.node_id, n.kind, n.bytes,
    lag(n.node_id) OVER thread AS before_id
  FROM replay_node() AS n
  WHERE n.kind IN ('host', 'call', 'gradient', 'copy')
  WINDOW thread AS (PARTITION BY n.track_id ORDER BY n.node_id)
),
counted AS (
  SELECT
    *,
    sum(is_new::BIGINT) OVER (PARTITION BY track_id ORDER BY node_id ROWS UNBOUNDED PRECEDING) - 1 AS iteration
  FROM (
    SELECT
      *,
      kind = 'gradient' AND coalesce(lag(kind) OVER thread, 'copy') = 'copy' AS is_new
    FROM piece
    WHERE kind IN ('gradient', 'copy')
    WINDOW thread AS (PARTITION BY track_id ORDER BY node_id)
  )
),
placed AS (
  SELECT *, row_number() OVER (PARTITION BY track_id, iteration, kind ORDER BY node_id) - 1 AS place
  FROM counted
  WHERE iteration >= 0
)
SELECT
  g.run_id, g.trace_id, g.track_id, g.iteration::BIGINT AS iteration, g.place, g.bytes, g.node_id AS ready_id,
  c.node_id AS copy_id, c.before_id
FROM placed AS g
LEFT JOIN placed AS c
  ON c.track_id = g.track_id AND c.iteration = g.iteration AND c.kind = 'copy' AND c.place = g.place
WHERE g.kind = 'gradient'
ORDER BY g.run_id, g.track_id, iteration, g.place
