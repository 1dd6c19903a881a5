/* ---
name = "replay_transfer"
version = 1
title = "Bytes of sends between ranks of dPRO trials"
help = """
The mean over all sends of a node of replay_node. What-ifs on the rate of links read it.
"""
grain = ["run_id", "name"]
requires = { schema = ">=17", queries = ["dpro_event@1"] }
scale = "run"
columns = ["run_id", "name", "bytes"]

[column]
name = { type = "VARCHAR", unit = "text", help = "Node, such as host0.rank0->Comm.3.SEND~>0_0_0_0" }
bytes = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Bytes of a send" }

[changes]
1 = "first version"
--- */
SELECT e.run_id, e.process || '->' || e.name AS name, avg(c.input_bytes) AS bytes
FROM dpro_event() AS e
JOIN collective AS c ON c.slice_id = e.slice_id
WHERE e.stage = 'SEND' AND c.input_bytes >= 0
GROUP BY e.run_id, e.process || '->' || e.name
ORDER BY run_id, name
