/* ---
name = "replay_phase"
version = 1
title = "Host code of a replay by its place in training, and how long it takes undisturbed"
help = """
Of threads whose gradients a communication library reduces (replay_gradient): forward, from the start of a
step (else from the copies back) to the first gradient; backward, before each further gradient; reduce,
until the last copy back; update, after that. The same code takes longer beside communication and after
waiting for it: its undisturbed time is the shortest of all iterations and ranks, of the backward
pass of gradients of the same size.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_gradient@1", "replay_measured@3", "replay_node@3"] }
scale = "run"
columns = ["run_id", "node_id", "iteration", "phase", "place", "quiet_ns"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node" }
iteration = { type = "BIGINT", unit = "count", help = "Iteration (replay_gradient)" }
phase = { type = "VARCHAR", unit = "text", check = "IN ('forward', 'backward', 'reduce', 'update')", help = "Place in training" }
place = { type = "BIGINT", unit = "count", help = "Gradient that it comes before; after all of them the number of gradients" }
quiet_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Undisturbed duration" }

[changes]
1 = "first version"
--- */
WITH piece AS (
  SELECT n.run_id, n.track_id, n.node_id, n.kind, n.dur_ns
  FROM replay_node() AS n
  WHERE n.kind IN ('host', 'call', 'gradient', 'copy')
    AND n.track_id IN (SELECT track_id FROM replay_gradient())
),
point AS (
  SELECT track_id, ready_id AS node_id, iteration, place, bytes, false AS is_copy FROM replay_gradient()
),
last_copy AS (
  SELECT track_id, iteration, max(copy_id) AS node_id, max(ready_id) AS ready_id, count(*) AS n_gradients
  FROM replay_gradient()
  GROUP BY track_id, iteration
),
step_start AS (
  SELECT n.track_id, n.node_id
  FROM replay_measured() AS m
  JOIN replay_node() AS n ON n.node_id = m.first_id AND n.run_id = m.run_id
),
-- The next gradient of each piece, and the last copy and step before it.
placed AS (
  SELECT
    p.*, g.iteration, g.place, g.bytes, c.node_id AS copied_id, c.iteration AS copied_iteration,
    c.n_gradients, s.node_id AS step_id
  FROM piece AS p
  ASOF LEFT JOIN point AS g ON g.track_id = p.track_id AND g.node_id >= p.node_id
  ASOF LEFT JOIN last_copy AS c ON c.track_id = p.track_id AND c.ready_id < p.node_id
  ASOF LEFT JOIN step_start AS s ON s.track_id = p.track_id AND s.node_id < p.node_id
),
judged AS (
  SELECT
    run_id, node_id, kind, track_id, dur_ns, bytes,
    CASE
      WHEN place > 0 THEN iteration
      WHEN copied_id IS NULL THEN 0
      WHEN node_id <= copied_id THEN copied_iteration
      WHEN iteration IS NOT NULL AND coalesce(step_id, copied_id) >= copied_id THEN iteration
      ELSE copied_iteration
    END AS iteration,
    CASE
      WHEN place > 0 THEN 'backward'
      WHEN copied_id IS NOT NULL AND node_id <= copied_id THEN 'reduce'
      WHEN iteration IS NOT NULL AND coalesce(step_id, copied_id, 0) >= coalesce(copied_id, 0) THEN 'forward'
      ELSE 'update'
    END AS phase,
    CASE WHEN place > 0 THEN place ELSE 0 END AS place
  FROM placed
),
total AS (
  SELECT run_id, track_id, iteration, phase, place, any_value(bytes) AS bytes, sum(dur_ns) AS dur_ns
  FROM judged
  WHERE kind = 'host'
  GROUP BY run_id, track_id, iteration, phase, place
),
quiet AS (
  SELECT
    run_id, phase, CASE WHEN phase = 'backward' THEN bytes END AS bytes,
    min(dur_ns) AS dur_ns
  FROM total
  GROUP BY run_id, phase, CASE WHEN phase = 'backward' THEN bytes END
)
SELECT
  j.run_id,
  j.node_id,
  j.iteration::BIGINT AS iteration,
  j.phase,
  j.place::BIGINT AS place,
  CASE WHEN j.kind = 'host' THEN j.dur_ns * least(coalesce(q.dur_ns / nullif(t.dur_ns, 0), 1), 1) ELSE j.dur_ns END
    AS quiet_ns
FROM judged AS j
LEFT JOIN total AS t
  ON t.run_id = j.run_id AND t.track_id = j.track_id AND t.iteration = j.iteration AND t.phase = j.phase
  AND t.place = j.place
LEFT JOIN quiet AS q
  ON q.run_id = j.run_id AND q.phase = j.phase
  AND q.bytes IS NOT DISTINCT FROM CASE WHEN j.phase = 'backward' THEN j.bytes END
ORDER BY j.run_id, j.node_id
