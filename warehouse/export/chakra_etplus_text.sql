-- The text of the nodes from {first} up to {end}, each with what separates it from the one before.
SELECT
  concat(
    CASE WHEN n.node_id > 0 THEN E',\n' END,
    n.head,
    etplus_texts(t.inputs_json, t.outputs_json, t.attributes_json, t.extra_json),
    n.tail
  ) AS line
FROM "etplus node" AS n
LEFT JOIN graph_node AS t
  ON t.id = n.text_id
  AND t.graph_id = (SELECT of_graph_id FROM graph WHERE id = {graph_id})
WHERE n.node_id >= {first}
  AND n.node_id < {end}
ORDER BY n.node_id
