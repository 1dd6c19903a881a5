-- Nodes of an imported Chakra graph, as in its file.
WITH deps AS (
  SELECT
    e.to_node_id AS id,
    list(f.node_id ORDER BY e.ordinal) FILTER (e.kind = 'control') AS ctrl_deps,
    list(f.node_id ORDER BY e.ordinal) FILTER (e.kind = 'data') AS data_deps
  FROM graph_edge AS e
  JOIN graph_node AS f ON f.id = e.from_node_id
  WHERE e.graph_id = {graph_id}
  GROUP BY e.to_node_id
),
kept AS (
  SELECT id, json(extra_json) AS extra
  FROM graph_node
  WHERE graph_id = {graph_id} AND extra_json IS NOT NULL
)
SELECT
  n.node_id,
  n.name,
  coalesce(
    list_position({node_types}, n.type) - 1, TRY_CAST(n.type AS BIGINT), 0
  )::BIGINT AS type,
  coalesce(from_json(k.extra -> 'ctrl_deps', '["UBIGINT"]'), d.ctrl_deps) AS ctrl_deps,
  coalesce(from_json(k.extra -> 'data_deps', '["UBIGINT"]'), d.data_deps) AS data_deps,
  coalesce((k.extra ->> 'start_time_micros')::UBIGINT, n.start_ns // 1000)::UBIGINT AS start_micros,
  coalesce((k.extra ->> 'duration_micros')::UBIGINT, n.dur_ns // 1000)::UBIGINT AS duration_micros,
  n.inputs_json,
  n.outputs_json,
  n.attributes_json,
  (k.extra -> 'unknown')::VARCHAR AS unknown_json
FROM graph_node AS n
LEFT JOIN deps AS d ON d.id = n.id
LEFT JOIN kept AS k ON k.id = n.id
WHERE n.graph_id = {graph_id}
ORDER BY n.id
