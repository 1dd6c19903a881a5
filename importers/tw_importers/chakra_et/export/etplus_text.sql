-- The text of the nodes from {first} up to {end}, each with its separator. Only the nodes from
-- {first_text} to {last_text} of the execution trace are read.
SELECT
  concat(
    CASE WHEN n.node_id > 0 THEN E',\n' END,
    n.head,
    etplus_texts(t.inputs_json, t.outputs_json, t.attributes_json, t.extra_json),
    n.tail
  ) AS line
FROM "etplus node" AS n
LEFT JOIN (
  SELECT id, inputs_json, outputs_json, attributes_json, extra_json
  FROM graph_node
  WHERE id BETWEEN {first_text} AND {last_text}
) AS t
  ON t.id = n.text_id
WHERE n.node_id >= {first}
  AND n.node_id < {end}
ORDER BY n.node_id
