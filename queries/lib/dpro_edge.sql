/* ---
name = "dpro_edge"
version = 1
title = "Edges of dPRO's global graph: all ranks of a trial, with their communication"
help = """
The local graphs of all ranks, with the communication of each group of tensors in between: from the
backward operators to Sync, from Sync on every rank to QUEUE, through the copy into the fusion buffer,
the sends and receives of the ring and the copy out of it to the updates of weights. Edges and nodes
are numbered as dPRO (analyze.py, TensorFlow, NCCL ring) inserts them, because its replay breaks ties
by these orders.
"""
grain = ["run_id", "ordinal"]
requires = { schema = ">=17", queries = ["dpro_graph_edge@1", "dpro_graph_place@1", "dpro_node@1"] }
scale = "run"
columns = ["run_id", "ordinal", "from_name", "to_name", "kind", "from_place", "to_place"]

[column]
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of the edge in the graph" }
from_name = { type = "VARCHAR", unit = "text", help = "Node that comes first, as host0.rank0->BW.name" }
to_name = { type = "VARCHAR", unit = "text", help = "Node that depends on it" }
kind.help = "data: local graph; control: within a rank; peer: between ranks or nodes; arrive: by order of arrival"
from_place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of from_name among the nodes" }
to_place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of to_name among the nodes" }

[changes]
1 = "first version"
--- */
SELECT
  e.run_id,
  e.ordinal,
  a.name AS from_name,
  b.name AS to_name,
  e.kind,
  a.place AS from_place,
  b.place AS to_place
FROM dpro_graph_edge() AS e
JOIN dpro_graph_place() AS p ON p.code = e.from_code
JOIN dpro_graph_place() AS q ON q.code = e.to_code
JOIN dpro_node() AS a ON a.run_id = e.run_id AND a.place = p.place
JOIN dpro_node() AS b ON b.run_id = e.run_id AND b.place = q.place
ORDER BY e.run_id, e.ordinal
