/* ---
name = "replay_graph_node"
version = 1
title = "Nodes of a replay of graphs: calls of host threads, and work of devices"
help = """
A call lasts as long as its self time, without waiting for device work (edges of kind sync); device
work as long as recorded. A collective that devices of several ranks recorded is three nodes:
its arrival on each rank, a barrier of all ranks, and the transfer, which lasts as long as on the
rank that waited least. Collectives of a group are matched by their order. Another node ends each trace.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", rows = ["graph_node"], queries = ["replay_graph@1"] }
scale = "run"
computed_once = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "role", "kind", "name", "graph_node_id", "resource",
  "slice_id", "dur_ns", "start_ns", "end_ns", "is_released", "bytes", "instance_id",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
role = { type = "VARCHAR", unit = "text", help = "work, arrival, barrier, transfer or end" }
kind.help = "host, kernel, memcpy, memset, arrival, barrier, collective or end"
name = { type = "VARCHAR", unit = "text", help = "Name" }
graph_node_id = { type = "BIGINT", unit = "ref graph_node.id", nullable = true, help = "Node of the graph" }
resource = { type = "VARCHAR", unit = "text", nullable = true, help = "Thread or stream of its rank; NULL: needs nothing" }
slice_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Slice on the timeline" }
dur_ns.help = "Duration without waiting"
start_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Recorded start, from the first of the graph on; NULL: not recorded" }
end_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Recorded end" }
is_released = { type = "BOOLEAN", unit = "bool", help = "Whether nothing in the graph comes before it" }
bytes.help = "Bytes of the message"
instance_id = { type = "BIGINT", unit = "count", nullable = true, help = "Collective of several ranks; counts from 1 in a run" }

[changes]
1 = "first version"
--- */
WITH chosen AS MATERIALIZED (
  SELECT
    g.run_id, g.trace_id, g.rank, g.graph_id, g.graph_kind, g.base_ns, n.id AS graph_node_id, n.node_id,
    n.name, n.type, n.thread_id, n.slice_id, n.dur_ns, n.exclusive_us,
    CASE WHEN g.base_ns IS NOT NULL THEN n.start_ns END AS start_ns,
    coalesce(n.device_kind, 'cpu') <> 'cpu' AS is_device,
    CASE WHEN coalesce(n.device_kind, 'cpu') <> 'cpu'
      THEN TRY(from_json(n.attributes_json, '[{"name": "VARCHAR", "value": "VARCHAR"}]')) END AS attributes,
    CASE WHEN coalesce(n.device_kind, 'cpu') <> 'cpu' THEN n.extra_json END AS extra_json
  FROM replay_graph() AS g
  JOIN graph_node AS n ON n.graph_id = g.graph_id
),
edge AS MATERIALIZED (
  SELECT e.from_node_id, e.to_node_id, e.kind, e.ordinal, e.id
  FROM replay_graph() AS g
  JOIN graph_edge AS e ON e.graph_id = g.graph_id
  WHERE e.from_node_id <> e.to_node_id
),
inside AS (
  SELECT p.parent_id, sum(c.dur_ns) AS dur_ns
  FROM (
    SELECT to_node_id AS id, min_by(from_node_id, (ordinal, id)) AS parent_id
    FROM edge
    WHERE kind = 'control'
    GROUP BY to_node_id
  ) AS p
  JOIN chosen AS c ON c.graph_node_id = p.id
  WHERE c.exclusive_us IS NULL AND c.dur_ns > 0 AND NOT c.is_device AND NOT starts_with(coalesce(c.name, ''), 'gloo:')
  GROUP BY p.parent_id
),
waited AS (
  SELECT e.to_node_id AS graph_node_id, max(g.start_ns + g.dur_ns - h.start_ns) AS wait_ns
  FROM edge AS e
  JOIN chosen AS g ON g.graph_node_id = e.from_node_id
  JOIN chosen AS h ON h.graph_node_id = e.to_node_id
  WHERE e.kind = 'sync'
  GROUP BY e.to_node_id
),
weighed AS (
  SELECT
    c.*,
    CASE
      WHEN c.is_device OR c.graph_kind = 'chakra' THEN greatest(coalesce(c.dur_ns, 0), 0)
      WHEN c.dur_ns IS NULL THEN 0
      WHEN c.exclusive_us IS NOT NULL THEN greatest(round(c.exclusive_us * 1000), 0)::BIGINT
      ELSE greatest(c.dur_ns - coalesce(i.dur_ns, 0), 0)::BIGINT
    END AS self_ns,
    coalesce(w.wait_ns, 0) AS wait_ns,
    c.is_device AND (c.type LIKE 'COMM%' OR contains(c.name, 'nccl')) AS is_communication,
    coalesce(
      list_filter(c.attributes, lambda a: a.name = 'pg_name')[1].value,
      TRY(json_extract_string(c.extra_json, '$.pg_name')), ''
    ) AS group_name,
    coalesce(
      list_filter(c.attributes, lambda a: a.name = 'stream')[1].value,
      TRY(json_extract_string(c.extra_json, '$.stream'))
    ) AS stream
  FROM chosen AS c
  LEFT JOIN inside AS i ON i.parent_id = c.graph_node_id
  LEFT JOIN waited AS w ON w.graph_node_id = c.graph_node_id
),
-- Sends and receives are of two ranks, not of the group.
ordered AS (
  SELECT *, row_number() OVER (PARTITION BY trace_id, group_name ORDER BY start_ns, node_id, graph_node_id) AS place
  FROM weighed
  WHERE is_communication AND coalesce(type NOT IN ('COMM_SEND_NODE', 'COMM_RECV_NODE'), true)
    AND NOT contains(name, 'SendRecv')
),
member AS (
  SELECT
    graph_node_id,
    dense_rank() OVER (PARTITION BY run_id ORDER BY group_name, place) AS instance_id,
    min(self_ns) OVER instance AS transfer_ns,
    count(*) OVER instance AS n_members
  FROM ordered
  WINDOW instance AS (PARTITION BY run_id, group_name, place)
),
work AS (
  SELECT
    w.run_id, w.trace_id, w.rank, w.graph_node_id, w.node_id,
    CASE
      WHEN NOT w.is_device THEN 'host'
      WHEN w.is_communication THEN 'collective'
      WHEN starts_with(w.name, 'Memcpy') THEN 'memcpy'
      WHEN starts_with(w.name, 'Memset') THEN 'memset'
      ELSE 'kernel'
    END AS kind,
    coalesce(w.name, 'unknown') AS name,
    CASE
      WHEN NOT w.is_device AND w.graph_kind <> 'chakra' AND starts_with(w.name, 'gloo:') THEN NULL
      WHEN NOT w.is_device THEN 'thread ' || w.thread_id
      ELSE 'stream ' || w.stream
    END AS resource,
    w.slice_id,
    nullif(w.group_name, '') AS group_name,
    greatest(w.self_ns - CASE WHEN w.is_device THEN 0 ELSE greatest(least(w.wait_ns, w.self_ns), 0) END, 0) AS dur_ns,
    w.start_ns - w.base_ns AS start_ns,
    w.start_ns - w.base_ns + greatest(coalesce(w.dur_ns, 0), 0) AS end_ns,
    e.to_node_id IS NULL AS is_released,
    TRY_CAST(list_filter(w.attributes, lambda a: a.name = 'comm_size')[1].value AS BIGINT) AS bytes,
    CASE WHEN m.n_members > 1 THEN m.instance_id END AS instance_id,
    m.transfer_ns
  FROM weighed AS w
  LEFT JOIN member AS m ON m.graph_node_id = w.graph_node_id
  LEFT JOIN (SELECT DISTINCT to_node_id FROM edge) AS e ON e.to_node_id = w.graph_node_id
),
node AS (
  SELECT
    run_id, trace_id, rank, CASE WHEN instance_id IS NULL THEN 'work' ELSE 'transfer' END AS role, kind, name,
    graph_node_id, node_id AS source_id, resource, slice_id,
    CASE WHEN instance_id IS NULL THEN dur_ns ELSE transfer_ns END AS dur_ns, start_ns, end_ns, is_released,
    bytes, instance_id
  FROM work
  UNION ALL
  SELECT
    run_id, trace_id, rank, 'arrival', 'arrival', name, graph_node_id, node_id, resource, slice_id, 0, start_ns,
    start_ns, is_released, NULL, instance_id
  FROM work
  WHERE instance_id IS NOT NULL
  UNION ALL
  SELECT
    run_id, min(trace_id), NULL, 'barrier', 'barrier', min(name) || coalesce(' of group ' || min(group_name), ''), NULL, NULL, NULL, NULL, 0, max(start_ns),
    max(start_ns), false, NULL, instance_id
  FROM work
  WHERE instance_id IS NOT NULL
  GROUP BY run_id, instance_id
  UNION ALL
  SELECT
    run_id, trace_id, any_value(rank), 'end', 'end', 'end', NULL, NULL, NULL, NULL, 0, max(end_ns), max(end_ns),
    false, NULL, NULL
  FROM work
  GROUP BY run_id, trace_id
)
SELECT
  row_number() OVER (
    PARTITION BY run_id
    ORDER BY role = 'end', start_ns NULLS FIRST, rank NULLS LAST, trace_id, source_id, role, graph_node_id, instance_id
  ) - 1 AS node_id,
  run_id, trace_id, rank, role, kind, name, graph_node_id, resource, slice_id, dur_ns, start_ns, end_ns,
  is_released, bytes, instance_id
FROM node
ORDER BY run_id, node_id
