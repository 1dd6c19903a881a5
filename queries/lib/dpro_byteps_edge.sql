/* ---
name = "dpro_byteps_edge"
version = 1
title = "Edges of dPRO's global graph that BytePS adds"
help = """
From the backward operators to the pushes of their worker, from the last pull to the updates of weights,
and between messages and operations of the servers. Which push an operation of a server waits for is
decided by their arrival; the recorded order stands for it (kind arrive), and dPRO's replay decides
again. owner, position and place order the edges as dPRO inserts them.
"""
grain = ["run_id", "from_name", "to_name"]
requires = { schema = ">=17", rows = ["rpc"], queries = ["dpro_local_edge@1", "dpro_message@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "owner", "position", "place", "from_name", "to_name", "kind"]

[column]
owner = { type = "VARCHAR", unit = "text", help = "Rank that inserts the edge; servers come after all ranks" }
position = { type = "BIGINT", unit = "count", help = "Place in the local graph, or among the tensors of a server" }
place = { type = "BIGINT[]", unit = "count", help = "Place among the edges of the position" }
from_name = { type = "VARCHAR", unit = "text", help = "Node that comes first" }
to_name = { type = "VARCHAR", unit = "text", help = "Node that depends on it" }
kind.help = "control, peer, or arrive: decided by the order of arrival"

[changes]
1 = "first version"
--- */
WITH message AS MATERIALIZED (FROM dpro_message()),
-- a part of a tensor, the server that sums it, and the place of the part among those of the server
served AS MATERIALIZED (
  SELECT
    run_id, tensors, part, node AS server, process AS thread,
    dense_rank() OVER (PARTITION BY run_id ORDER BY node) AS server_n,
    row_number() OVER (PARTITION BY run_id, node ORDER BY min(start_ns), tensors, part) AS position
  FROM message
  WHERE stage = 'COPY_FIRST'
  GROUP BY run_id, tensors, part, node, process
),
worker AS MATERIALIZED (
  SELECT run_id, worker, row_number() OVER (PARTITION BY run_id ORDER BY worker) - 1 AS n
  FROM (SELECT DISTINCT run_id, node AS worker FROM message WHERE stage = 'PUSH_REQ')
),
transfer AS MATERIALIZED (
  SELECT
    s.*, w.worker, w.n AS worker_n,
    w.worker || '::' || s.server AS up,
    s.server || '::' || w.worker AS down,
    s.part::VARCHAR AS suffix
  FROM served AS s
  JOIN worker AS w ON w.run_id = s.run_id
),
step AS MATERIALIZED (
  SELECT
    *,
    up || '->Comm.' || tensors || '.PUSH_REQ~>' || up || '::' || suffix AS push_request,
    down || '->Comm.' || tensors || '.PUSH_RES~>' || down || '::' || suffix AS push_response,
    up || '->Comm.' || tensors || '.PULL_REQ~>' || up || '::' || suffix AS pull_request,
    down || '->Comm.' || tensors || '.PULL_RES~>' || down || '::' || suffix AS pull_response
  FROM transfer
),
-- operations of a part in their order: the first copy, sums, and the copy of the result
operation AS MATERIALIZED (
  SELECT
    m.run_id, m.tensors, m.part, m.node AS server,
    m.process || '->' || m.name AS name,
    row_number() OVER (
      PARTITION BY m.run_id, m.node, m.tensors, m.part
      ORDER BY list_position(['COPY_FIRST', 'SUM', 'COPY_MERGED'], m.stage), m.ordinal
    ) - 1 AS n,
    m.stage = 'COPY_MERGED' AS is_last
  FROM (SELECT DISTINCT run_id, tensors, part, node, process, name, stage, ordinal FROM message WHERE peer IS NULL) AS m
),
arrival AS (
  SELECT
    m.run_id, m.tensors, m.part, m.peer AS server, m.process || '->' || m.name AS name,
    row_number() OVER (
      PARTITION BY m.run_id, m.peer, m.tensors, m.part ORDER BY avg(m.start_ns + m.dur_ns), m.node
    ) - 1 AS n
  FROM message AS m
  WHERE m.stage = 'PUSH_REQ'
  GROUP BY m.run_id, m.tensors, m.part, m.peer, m.process, m.name, m.node
),
rank AS (
  SELECT t.run_id, t.id AS trace_id, g.name AS process, 'worker_' || regexp_extract(g.name, '([0-9]+)\.rank', 1) AS worker
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
),
local_edge AS MATERIALIZED (
  SELECT
    r.run_id, r.process, r.worker, e.ordinal AS id, e.from_name, e.from_position, e.to_name, e.to_position
  FROM dpro_local_edge() AS e
  JOIN rank AS r ON r.trace_id = e.trace_id
  WHERE (e.from_phase = 'Comm') <> (e.to_phase = 'Comm')
),
of_rank AS (
  SELECT
    e.run_id, e.process AS owner, e.to_position AS position,
    [1, e.id - min(e.id) OVER (PARTITION BY e.process), s.server_n, s.part] AS place,
    e.process || '->' || e.from_name AS from_name, s.push_request AS to_name, 'control' AS kind
  FROM local_edge AS e
  JOIN step AS s
    ON s.run_id = e.run_id AND s.worker = e.worker AND 'Comm.' || s.tensors = e.to_name
  UNION ALL
  SELECT
    e.run_id, e.process, e.from_position,
    [2, s.server_n, s.part, e.id - min(e.id) OVER (PARTITION BY e.process)],
    s.pull_response, e.process || '->' || e.to_name, 'control'
  FROM local_edge AS e
  JOIN step AS s
    ON s.run_id = e.run_id AND s.worker = e.worker AND 'Comm.' || s.tensors = e.from_name
),
of_server AS (
  SELECT
    run_id, '~' || server AS owner, position, [1, worker_n, link_n] AS place,
    [push_request, push_response, pull_request][link_n] AS from_name,
    [push_response, pull_request, pull_response][link_n] AS to_name, 'peer' AS kind
  FROM step
  CROSS JOIN (SELECT unnest([1, 2, 3]) AS link_n) AS link
  UNION ALL
  SELECT s.run_id, '~' || s.server, s.position, [2, a.n], a.name, b.name, 'control'
  FROM served AS s
  JOIN operation AS a
    ON a.run_id = s.run_id AND a.server = s.server AND a.tensors = s.tensors AND a.part = s.part
  JOIN operation AS b
    ON b.run_id = a.run_id AND b.server = a.server AND b.tensors = a.tensors AND b.part = a.part
    AND b.n = a.n + 1
  UNION ALL
  SELECT s.run_id, '~' || s.server, s.position, [3, s.worker_n], o.name, s.pull_response, 'control'
  FROM step AS s
  JOIN operation AS o
    ON o.run_id = s.run_id AND o.server = s.server AND o.tensors = s.tensors AND o.part = s.part
  WHERE o.is_last
  UNION ALL
  SELECT s.run_id, '~' || s.server, s.position, [4, a.n], a.name, o.name, 'arrive'
  FROM served AS s
  JOIN arrival AS a
    ON a.run_id = s.run_id AND a.server = s.server AND a.tensors = s.tensors AND a.part = s.part
  JOIN operation AS o
    ON o.run_id = a.run_id AND o.server = a.server AND o.tensors = a.tensors AND o.part = a.part
    AND o.n = a.n AND NOT o.is_last
)
SELECT
  run_id,
  owner,
  position,
  place,
  from_name,
  to_name,
  kind
FROM (FROM of_rank UNION ALL FROM of_server)
ORDER BY run_id, owner, position, place
