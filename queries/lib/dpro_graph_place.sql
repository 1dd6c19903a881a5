/* ---
name = "dpro_graph_place"
version = 1
title = "Places of the nodes of dPRO's global graph"
help = """
Nodes are numbered in the order in which the edges (dpro_graph_edge) name them first, as in dPRO, whose
replay breaks ties by this order.
"""
grain = ["code"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro' | rpc"], queries = ["dpro_graph_edge@1"] }
computed_once = true
columns = ["run_id", "code", "place"]

[column]
code = { type = "BIGINT", unit = "count", help = "Number of the node (dpro_code)" }
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  code,
  row_number() OVER (PARTITION BY run_id ORDER BY min(mention)) - 1 AS place
FROM (
  SELECT run_id, from_code AS code, 2 * ordinal AS mention FROM dpro_graph_edge()
  UNION ALL
  SELECT run_id, to_code, 2 * ordinal + 1 FROM dpro_graph_edge()
)
GROUP BY run_id, code
