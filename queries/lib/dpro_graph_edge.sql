/* ---
name = "dpro_graph_edge"
version = 1
title = "Edges of dPRO's global graph between numbered nodes, in the order of dPRO"
help = """
The local graphs of all ranks, with the communication of each group of tensors in between: from the
backward operators to Sync, from Sync on every rank to QUEUE, through the copy into the fusion buffer,
the sends and receives of the ring and the copy out of it to the updates of weights; or messages and
operations of BytePS. Nodes are those of dpro_code; dpro_edge names them. Edges are numbered as dPRO
(analyze.py, TensorFlow, NCCL ring) inserts them, because its replay breaks ties by this order.
"""
grain = ["run_id", "ordinal"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro' | rpc"], queries = ["dpro_byteps_edge@1", "dpro_code@1", "dpro_gradient@1", "dpro_group@1", "dpro_local_edge@1", "dpro_operation@2"] }
computed_once = true
columns = ["run_id", "ordinal", "from_code", "to_code", "kind", "is_delayed"]

[column]
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place of the edge in the graph" }
from_code = { type = "BIGINT", unit = "count", help = "Node that comes first (dpro_code)" }
to_code = { type = "BIGINT", unit = "count", help = "Node that depends on it" }
kind.help = "data: local graph; control: within a rank; peer: between ranks or nodes; arrive: by order of arrival"
is_delayed = { type = "BOOLEAN", unit = "bool", help = "Whether the second is communication that begins after the negotiation or latency of the first" }

[changes]
1 = "first version"
--- */
WITH rank AS MATERIALIZED (
  SELECT
    t.run_id, t.id AS trace_id, t.rank, g.name AS process,
    row_number() OVER (PARTITION BY t.run_id ORDER BY g.name) AS n
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
),
code AS MATERIALIZED (FROM dpro_code()),
operation AS MATERIALIZED (
  SELECT r.run_id, r.n AS owner, o.trace_id, o.name, o.position, c.first_code AS code
  FROM (SELECT DISTINCT trace_id, name, position FROM dpro_operation()) AS o
  JOIN rank AS r ON r.trace_id = o.trace_id
  JOIN code AS c ON c.trace_id = o.trace_id AND c.name = o.name AND c.tensors IS NULL
),
member AS MATERIALIZED (FROM dpro_group()),
local_edge AS MATERIALIZED (
  SELECT
    a.run_id, a.trace_id, a.owner, e.ordinal AS id,
    e.from_name, e.from_phase, e.from_position, a.code AS from_code, e.to_phase, b.code AS to_code
  FROM dpro_local_edge() AS e
  JOIN operation AS a ON a.trace_id = e.trace_id AND a.name = e.from_name
  JOIN operation AS b ON b.trace_id = e.trace_id AND b.name = e.to_name
),
-- a group is inserted where the first of its tensors is, among the nodes of the rank
group_of_rank AS MATERIALIZED (
  SELECT
    c.run_id, c.trace_id, c.process, o.owner, o.position, c.tensors, c.first_code,
    c.n_ring_steps, c.n_parts * c.n_channels AS n_at_once, c.n_channels,
    (c.n_codes - 4) // 2 AS n_transfers
  FROM code AS c
  JOIN (
    SELECT m.run_id, o.trace_id, m.tensors, any_value(o.owner) AS owner, min(o.position) AS position
    FROM member AS m
    JOIN operation AS o ON o.run_id = m.run_id AND o.name = 'Comm.' || m.tensor_id
    GROUP BY m.run_id, o.trace_id, m.tensors
  ) AS o ON o.trace_id = c.trace_id AND o.tensors = c.tensors
),
-- what follows a rank on a channel; first_code: of the group there
following AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY group_code, channel ORDER BY first_code) = 1 AS is_first
  FROM (
    SELECT DISTINCT g.first_code AS group_code, e.channel, b.trace_id, c.first_code
    FROM communication_edge AS e
    JOIN rank AS r ON r.trace_id = e.trace_id
    JOIN rank AS a ON a.run_id = r.run_id AND a.rank = e.from_rank
    JOIN rank AS b ON b.run_id = r.run_id AND b.rank = e.to_rank
    JOIN group_of_rank AS g ON g.trace_id = a.trace_id
    JOIN code AS c ON c.trace_id = b.trace_id AND c.tensors = g.tensors
    WHERE e.algorithm = 'ring'
  )
),
-- a send of each loop, ring step, part and channel: number n of its group
transfer AS MATERIALIZED (
  SELECT
    g.run_id, g.owner, g.position, g.tensors, g.first_code, g.n, g.n - g.n_at_once AS before_n,
    (g.n // g.n_at_once) % g.n_ring_steps AS ring_step,
    (g.n // g.n_at_once) % g.n_ring_steps = g.n_ring_steps - 1 AS is_last,
    f.first_code AS next_code, f.trace_id AS next_trace_id, f.is_first
  FROM (SELECT *, unnest(range(n_transfers)) AS n FROM group_of_rank) AS g
  JOIN following AS f ON f.group_code = g.first_code AND f.channel = g.n % g.n_channels
),
-- place, sub_place: where the edge is inserted behind its owner and position
edge AS (
  SELECT
    run_id, owner, from_position AS position, id AS place, 0 AS sub_place, from_code, to_code,
    'data' AS kind, false AS is_delayed
  FROM local_edge
  WHERE from_phase <> 'Comm' AND to_phase <> 'Comm' AND NOT (from_phase = 'UPDATE_' AND to_phase = 'FW')
  UNION ALL
  SELECT
    g.run_id, g.owner, g.position, (1::BIGINT << 58) + b.tensor_id, 0, o.first_code, g.first_code,
    'control', true
  FROM group_of_rank AS g
  JOIN member AS m ON m.run_id = g.run_id AND m.tensors = g.tensors
  JOIN dpro_gradient() AS b ON b.trace_id = g.trace_id AND b.tensor_id = m.tensor_id
  JOIN code AS o ON o.trace_id = b.trace_id AND o.name = b.name AND o.tensors IS NULL
  UNION ALL
  SELECT
    g.run_id, g.owner, g.position, 1::BIGINT << 59, c.rank, c.first_code, g.first_code + 1,
    CASE WHEN c.trace_id = g.trace_id THEN 'control' ELSE 'peer' END, true
  FROM group_of_rank AS g
  JOIN code AS c ON c.run_id = g.run_id AND c.tensors = g.tensors
  UNION ALL
  SELECT
    run_id, owner, position, (1::BIGINT << 59) + 1, 0, first_code + 1, first_code + 2, 'control', true
  FROM group_of_rank
  UNION ALL
  SELECT
    run_id, owner, position, (1::BIGINT << 59) + 8 * n + 6, 0, next_code + 5 + 2 * n, next_code + 3,
    'control', true
  FROM transfer
  WHERE is_last
  UNION ALL
  SELECT
    t.run_id, t.owner, t.position, (1::BIGINT << 59) + 8 * t.n + 7, e.place,
    t.next_code + 3, e.to_code, 'control', false
  FROM transfer AS t
  JOIN (
    SELECT
      m.run_id, m.tensors, e.trace_id, e.to_code,
      row_number() OVER (PARTITION BY m.run_id ORDER BY m.tensor_id, e.id) AS place
    FROM member AS m
    JOIN local_edge AS e ON e.run_id = m.run_id AND e.from_name = 'Comm.' || m.tensor_id
  ) AS e ON e.run_id = t.run_id AND e.trace_id = t.next_trace_id AND e.tensors = t.tensors
  WHERE t.is_last
  UNION ALL
  SELECT
    b.run_id,
    coalesce(r.n, (1::BIGINT << 32) + dense_rank() OVER (PARTITION BY b.run_id ORDER BY b.owner)),
    b.position,
    (1::BIGINT << 58) + row_number() OVER (PARTITION BY b.run_id, b.owner, b.position ORDER BY b.place),
    0, f.first_code, t.first_code, b.kind,
    b.kind IN ('control', 'peer') AND contains(b.to_name, '->Comm.')
      AND NOT regexp_matches(b.to_name, '->Comm\.[0-9+]+\.(COPY_|SUM)')
  FROM dpro_byteps_edge() AS b
  LEFT JOIN rank AS r ON r.run_id = b.run_id AND r.process = b.owner
  JOIN code AS f
    ON f.run_id = b.run_id AND f.tensors IS NULL AND f.process = split_part(b.from_name, '->', 1)
    AND f.name = substr(b.from_name, strpos(b.from_name, '->') + 2)
  JOIN code AS t
    ON t.run_id = b.run_id AND t.tensors IS NULL AND t.process = split_part(b.to_name, '->', 1)
    AND t.name = substr(b.to_name, strpos(b.to_name, '->') + 2)
),
-- most edges: those of the ring from and to the sends and receives of a rank, which no others repeat.
-- The edges of a transfer follow each other, so that transfers are ordered instead of edges
unit AS (
  SELECT
    run_id, f.owner, f.position, f.place, f.sub_place, 1 AS n_edges, from_code, to_code, kind, is_delayed,
    NULL AS n, NULL AS before_n, NULL AS ring_step, NULL AS is_first
  FROM (
    -- an edge that is inserted several times has its first place
    SELECT
      run_id, from_code, to_code, min(kind) AS kind, bool_or(is_delayed) AS is_delayed,
      min({'owner': owner, 'position': position, 'place': place, 'sub_place': sub_place}) AS f
    FROM edge
    GROUP BY run_id, from_code, to_code
  )
  UNION ALL
  SELECT
    run_id, owner, position, (1::BIGINT << 59) + 8 * n + CASE WHEN is_first THEN 2 ELSE 5 END, 0,
    CASE WHEN is_first THEN 2 + (ring_step <> 1)::INTEGER + (ring_step > 0)::INTEGER ELSE 1 END,
    first_code, next_code, NULL, true, n, before_n, ring_step, is_first
  FROM transfer
),
numbered AS (
  SELECT
    run_id, from_code, to_code, kind, is_delayed, n, before_n, ring_step, is_first,
    (sum(n_edges) OVER (
      PARTITION BY run_id ORDER BY owner, position, place, sub_place ROWS UNBOUNDED PRECEDING
    ) - n_edges)::BIGINT AS ordinal
  FROM unit
)
-- k: 1 of an edge itself; 2 to 5 of a transfer, from the copy to its receive or send
SELECT
  u.run_id,
  u.ordinal + CASE
    WHEN k.k = 3 THEN (u.ring_step <> 1)::BIGINT
    WHEN k.k = 4 THEN 1 + (u.ring_step <> 1)::BIGINT
    WHEN k.k = 5 AND u.is_first THEN 1 + (u.ring_step <> 1)::BIGINT + (u.ring_step > 0)::BIGINT
    ELSE 0
  END AS ordinal,
  CASE k.k
    WHEN 1 THEN u.from_code
    WHEN 4 THEN u.from_code + 5 + 2 * u.before_n
    WHEN 5 THEN u.from_code + 4 + 2 * u.n
    ELSE u.from_code + 2
  END AS from_code,
  CASE
    WHEN k.k = 1 THEN u.to_code
    WHEN k.k = 2 AND u.ring_step = 0 OR k.k = 3 AND u.ring_step > 0 OR k.k = 4
      THEN u.from_code + 4 + 2 * u.n
    WHEN k.k = 3 THEN u.from_code + 5 + 2 * u.n
    WHEN k.k = 2 THEN u.from_code + 5 + 2 * u.before_n
    ELSE u.to_code + 5 + 2 * u.n
  END AS to_code,
  CASE k.k WHEN 1 THEN u.kind WHEN 5 THEN 'peer' ELSE 'control' END AS kind,
  u.is_delayed
FROM numbered AS u
CROSS JOIN (SELECT unnest([1, 2, 3, 4, 5]) AS k) AS k
-- the receive of the first ring step has its edge from the copy already
WHERE CASE k.k
  WHEN 1 THEN u.kind IS NOT NULL
  WHEN 2 THEN u.kind IS NULL AND u.is_first AND u.ring_step <> 1
  WHEN 3 THEN u.kind IS NULL AND u.is_first
  WHEN 4 THEN u.kind IS NULL AND u.is_first AND u.ring_step > 0
  ELSE u.kind IS NULL
END
