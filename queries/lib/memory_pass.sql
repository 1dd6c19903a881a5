/* ---
name = "memory_pass"
version = 1
title = "Training steps of graphs: where forward and backward pass begin and end, and the update of weights"
help = """
Of graphs that PyTorch recorded with a backward pass. A step is what comes before an optimizer, since the one before
it; what comes after the last is a step, too, if it has a backward pass. Places are those of memory_call.
"""
grain = ["graph_id", "step"]
requires = { schema = ">=11", queries = ["memory_call@1"] }
scale = "trace"
computed_once = true
columns = ["run_id", "graph_id", "step", "first_place", "update_place", "end_place"]

[column]
step = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the step in the graph, from 0" }
first_place = { type = "BIGINT", unit = "count", check = ">= 0", help = "First call of the step" }
update_place = { type = "BIGINT", unit = "count", check = ">= 0", help = "First call of the update; if there is none, the place after the last call" }
end_place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place after the last call of the update" }

[changes]
1 = "first version"
--- */
WITH call AS MATERIALIZED (
  SELECT c.run_id, c.graph_id, c.place, c.name, p.place AS parent_place
  FROM memory_call() AS c
  LEFT JOIN memory_call() AS p ON p.graph_node_id = c.parent_id
  WHERE c.side = 'host'
),
update_call AS (
  SELECT u.run_id, u.graph_id, u.place AS update_place, min(c.place) AS end_place
  FROM call AS u
  LEFT JOIN call AS c ON c.graph_id = u.graph_id AND c.place > u.place AND coalesce(c.parent_place, -1) < u.place
  WHERE starts_with(u.name, 'Optimizer.step')
  GROUP BY u.run_id, u.graph_id, u.place
),
bound AS (
  SELECT u.run_id, u.graph_id, u.update_place, coalesce(u.end_place, s.n_places) AS end_place
  FROM update_call AS u
  JOIN (SELECT graph_id, max(place) + 1 AS n_places FROM call GROUP BY graph_id) AS s ON s.graph_id = u.graph_id
  UNION ALL
  SELECT run_id, graph_id, max(place) + 1, max(place) + 1 FROM call GROUP BY run_id, graph_id
),
step AS (
  SELECT
    *, coalesce(lag(end_place) OVER (PARTITION BY graph_id ORDER BY update_place), 0) AS first_place
  FROM bound
)
SELECT
  s.run_id, s.graph_id, row_number() OVER (PARTITION BY s.graph_id ORDER BY s.first_place) - 1 AS step,
  s.first_place, s.update_place, s.end_place
FROM step AS s
WHERE EXISTS (
  FROM call AS c
  WHERE c.graph_id = s.graph_id AND c.place >= s.first_place AND c.place < s.update_place
    AND starts_with(c.name, 'autograd::engine::evaluate_function')
)
ORDER BY s.graph_id, s.first_place
