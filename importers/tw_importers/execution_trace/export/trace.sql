-- The nodes of one graph as JSON texts, in the order of the file: keys stored in columns first, then
-- all other keys. Python splits the parts of flat nodes, because DuckDB would reformat their numbers.
SELECT
  '{' || concat_ws(
    ', ',
    CASE WHEN node_id IS NOT NULL THEN '"id": ' || node_id END,
    CASE WHEN name IS NOT NULL THEN '"name": ' || to_json(name)::VARCHAR END,
    CASE WHEN parent_node_id IS NOT NULL THEN '"{parent}": ' || parent_node_id END,
    CASE WHEN NOT {is_flat} AND inputs_json IS NOT NULL THEN '"inputs": ' || inputs_json END,
    CASE WHEN NOT {is_flat} AND outputs_json IS NOT NULL THEN '"outputs": ' || outputs_json END,
    CASE WHEN NOT {is_flat} AND attributes_json IS NOT NULL THEN '"attrs": ' || attributes_json END,
    CASE WHEN extra_json <> '{}' THEN extra_json[2:-2] END
  ) || '}' AS text,
  CASE WHEN {is_flat} THEN inputs_json END AS inputs,
  CASE WHEN {is_flat} THEN outputs_json END AS outputs,
  CASE WHEN {is_flat} THEN attributes_json END AS attributes
FROM graph_node
WHERE graph_id = {graph_id}
ORDER BY id
