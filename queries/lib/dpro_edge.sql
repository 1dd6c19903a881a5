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
requires = { schema = ">=17", queries = ["dpro_byteps_edge@1", "dpro_gradient@1", "dpro_group@1", "dpro_operation@1"] }
portable = false
computed_once = true
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
WITH rank AS MATERIALIZED (
  SELECT t.run_id, t.id AS trace_id, t.rank, g.name AS process
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
),
operation AS MATERIALIZED (
  SELECT r.run_id, r.process, o.*
  FROM dpro_operation() AS o
  JOIN rank AS r ON r.trace_id = o.trace_id
),
member AS MATERIALIZED (FROM dpro_group()),
ring AS MATERIALIZED (
  SELECT DISTINCT r.run_id, e.channel, a.process, b.process AS next_process
  FROM communication_edge AS e
  JOIN rank AS r ON r.trace_id = e.trace_id
  JOIN rank AS a ON a.run_id = r.run_id AND a.rank = e.from_rank
  JOIN rank AS b ON b.run_id = r.run_id AND b.rank = e.to_rank
  WHERE e.algorithm = 'ring'
),
local_edge AS MATERIALIZED (
  SELECT
    a.run_id, a.process, e.id,
    a.name AS from_name, a.phase AS from_phase, a.position AS from_position,
    b.name AS to_name, b.phase AS to_phase
  FROM graph_edge AS e
  JOIN operation AS a ON a.graph_node_id = e.from_node_id
  JOIN operation AS b ON b.graph_node_id = e.to_node_id
),
-- a group is inserted where the first of its tensors is, among the nodes of the rank
group_of_rank AS MATERIALIZED (
  SELECT
    m.run_id, o.process, m.tensors, min(o.position) AS position,
    any_value(m.n_loops) AS n_loops, any_value(m.n_channels) AS n_channels,
    any_value(m.n_ring_steps) AS n_ring_steps, any_value(m.n_parts) AS n_parts
  FROM member AS m
  JOIN operation AS o ON o.run_id = m.run_id AND o.name = 'Comm.' || m.tensor_id
  GROUP BY m.run_id, o.process, m.tensors
),
transfer AS MATERIALIZED (
  SELECT
    g.run_id, g.process, r.next_process, g.position, g.tensors, t.ring_step, g.n_ring_steps,
    [2, t.loop, t.ring_step, t.part, t.channel] AS place,
    'Comm.' || g.tensors AS comm,
    '~>' || t.loop || '_' || t.channel || '_' || t.ring_step || '_' || t.part AS suffix,
    '~>' || t.loop || '_' || t.channel || '_' || (t.ring_step - 1) || '_' || t.part AS before
  FROM group_of_rank AS g
  CROSS JOIN LATERAL (
    SELECT unnest(range(g.n_loops)) AS loop
  ) AS l
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_ring_steps)) AS ring_step) AS s
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_parts)) AS part) AS p
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_channels)) AS channel) AS c
  CROSS JOIN LATERAL (SELECT l.loop, s.ring_step, p.part, c.channel) AS t
  JOIN ring AS r ON r.run_id = g.run_id AND r.process = g.process AND r.channel = t.channel
),
-- place: where the edge is inserted behind its rank and position
edge AS (
  SELECT
    run_id, process AS owner, from_position AS position, [0, id - min(id) OVER ()] AS place,
    process || '->' || from_name AS from_name, process || '->' || to_name AS to_name, 'data' AS kind
  FROM local_edge
  WHERE from_phase <> 'Comm' AND to_phase <> 'Comm' AND NOT (from_phase = 'UPDATE_' AND to_phase = 'FW')
  UNION ALL
  SELECT
    g.run_id, g.process, g.position, [1, b.tensor_id],
    g.process || '->' || b.name, g.process || '->Comm.' || g.tensors || '.Sync', 'control'
  FROM group_of_rank AS g
  JOIN member AS m ON m.run_id = g.run_id AND m.tensors = g.tensors
  JOIN dpro_gradient() AS b
    ON b.run_id = g.run_id AND b.process = g.process AND b.tensor_id = m.tensor_id
  UNION ALL
  SELECT
    g.run_id, g.process, g.position, [2, 0, 0, 0, 0, 0, r.rank],
    r.process || '->Comm.' || g.tensors || '.Sync', g.process || '->Comm.' || g.tensors || '.QUEUE',
    CASE WHEN r.process = g.process THEN 'control' ELSE 'peer' END
  FROM group_of_rank AS g
  JOIN rank AS r ON r.run_id = g.run_id
  UNION ALL
  SELECT
    run_id, process, position, [2, 0, 0, 0, 0, 1],
    process || '->Comm.' || tensors || '.QUEUE',
    process || '->Comm.' || tensors || '.MEMCPY_IN_FUSION_BUFFER', 'control'
  FROM group_of_rank
  UNION ALL
  SELECT
    run_id, process, position, list_append(place, CASE WHEN ring_step = 0 THEN 2 ELSE 3 END),
    process || '->' || comm || '.MEMCPY_IN_FUSION_BUFFER', process || '->' || comm || '.SEND' || suffix,
    'control'
  FROM transfer
  UNION ALL
  SELECT
    run_id, process, position, list_append(place, CASE WHEN ring_step = 0 THEN 3 ELSE 2 END),
    process || '->' || comm || '.MEMCPY_IN_FUSION_BUFFER',
    process || '->' || comm || '.RECV' || CASE WHEN ring_step = 0 THEN suffix ELSE before END,
    'control'
  FROM transfer
  UNION ALL
  SELECT
    run_id, process, position, list_append(place, 4),
    process || '->' || comm || '.RECV' || before, process || '->' || comm || '.SEND' || suffix, 'control'
  FROM transfer
  WHERE ring_step > 0
  UNION ALL
  SELECT
    run_id, process, position, list_append(place, 5),
    process || '->' || comm || '.SEND' || suffix, next_process || '->' || comm || '.RECV' || suffix, 'peer'
  FROM transfer
  UNION ALL
  SELECT
    run_id, process, position, list_append(place, 6),
    next_process || '->' || comm || '.RECV' || suffix,
    next_process || '->' || comm || '.MEMCPY_OUT_FUSION_BUFFER', 'control'
  FROM transfer
  WHERE ring_step = n_ring_steps - 1
  UNION ALL
  SELECT
    t.run_id, t.process, t.position, t.place || [7, m.tensor_id, e.id - min(e.id) OVER ()],
    t.next_process || '->' || t.comm || '.MEMCPY_OUT_FUSION_BUFFER',
    t.next_process || '->' || e.to_name, 'control'
  FROM transfer AS t
  JOIN member AS m ON m.run_id = t.run_id AND m.tensors = t.tensors
  JOIN local_edge AS e
    ON e.run_id = t.run_id AND e.process = t.next_process AND e.from_name = 'Comm.' || m.tensor_id
  WHERE t.ring_step = t.n_ring_steps - 1
  UNION ALL
  SELECT run_id, owner, position, place, from_name, to_name, kind
  FROM dpro_byteps_edge()
),
inserted AS (
  SELECT
    run_id, from_name, to_name, min(kind) AS kind,
    row_number() OVER (PARTITION BY run_id ORDER BY min((owner, position, place))) - 1 AS ordinal
  FROM edge
  GROUP BY run_id, from_name, to_name
),
node AS (
  SELECT run_id, name, row_number() OVER (PARTITION BY run_id ORDER BY min(mention)) - 1 AS place
  FROM (
    SELECT run_id, from_name AS name, 2 * ordinal AS mention FROM inserted
    UNION ALL
    SELECT run_id, to_name, 2 * ordinal + 1 FROM inserted
  )
  GROUP BY run_id, name
)
SELECT
  i.run_id,
  i.ordinal,
  i.from_name,
  i.to_name,
  i.kind,
  a.place AS from_place,
  b.place AS to_place
FROM inserted AS i
JOIN node AS a ON a.run_id = i.run_id AND a.name = i.from_name
JOIN node AS b ON b.run_id = i.run_id AND b.name = i.to_name
ORDER BY i.run_id, i.ordinal
