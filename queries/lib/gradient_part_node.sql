/* ---
name = "gradient_part_node"
version = 1
title = "Nodes of a replay in which servers reduce gradients: messages and operations, by parts of tensors"
help = """
Of dPRO trials with BytePS: pushes and pulls between workers and servers, and the operations of servers, as
in replay_node. Sizes of tensors are those of metadata.json; parts of a tensor count as equal in size.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["dpro_tensor_size@1", "replay_node@3"] }
scale = "run"
computed_once = true
columns = [
  "node_id", "run_id", "trace_id", "kind", "process", "worker", "server", "tensors", "part", "n_parts", "ordinal",
  "tensor_bytes", "bytes", "dur_ns", "resource_id", "priority", "order_key",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of replay_node" }
kind.help = "PUSH_REQ, PUSH_RES, PULL_REQ, PULL_RES, COPY_FIRST, SUM or COPY_MERGED"
process = { type = "VARCHAR", unit = "text", help = "Link or thread: worker_0::server_1, server_1_t0" }
worker = { type = "VARCHAR", unit = "text", nullable = true, help = "Worker at one end of the link; NULL: operation of a server" }
server = { type = "VARCHAR", unit = "text", help = "Server that reduces the part" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors, ascending, as in 3+4" }
part = { type = "BIGINT", unit = "count", help = "Part of the tensors, from 0" }
n_parts = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of parts" }
ordinal = { type = "BIGINT", unit = "count", help = "Place among the operations of a server on a part, from 0; of messages 0" }
tensor_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of the tensors; NULL: not recorded" }
bytes = { type = "DOUBLE", unit = "byte", nullable = true, check = ">= 0", help = "Size of the part" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration, without waiting" }
order_key.help = "Order of nodes that are ready at one time"

[changes]
1 = "first version"
--- */
WITH part_node AS MATERIALIZED (
  SELECT
    node_id, run_id, trace_id, kind, dur_ns, resource_id, priority, order_key,
    split_part(name, '->', 1) AS process,
    regexp_extract(name, '->Comm\.([0-9+]+)\.', 1) AS tensors,
    regexp_extract(name, '([0-9]+)$', 1)::BIGINT AS part,
    TRY_CAST(nullif(regexp_extract(name, '::([0-9]+)::~PART', 1), '') AS BIGINT) AS sum_n
  FROM replay_node()
  WHERE kind IN ('PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES', 'COPY_FIRST', 'SUM', 'COPY_MERGED')
    AND regexp_matches(name, '->Comm\.[0-9+]+\..*[0-9]$')
),
size AS (
  SELECT
    m.run_id, m.tensors, any_value(m.n_parts) AS n_parts,
    CASE WHEN count(*) = count(r.bytes) THEN sum(r.bytes)::BIGINT END AS tensor_bytes
  FROM (
    SELECT run_id, tensors, count(DISTINCT part) AS n_parts, unnest(string_split(tensors, '+'))::BIGINT AS tensor_id
    FROM part_node
    GROUP BY run_id, tensors
  ) AS m
  LEFT JOIN dpro_tensor_size() AS r ON r.run_id = m.run_id AND r.tensor_id = m.tensor_id
  GROUP BY m.run_id, m.tensors
)
SELECT
  p.node_id,
  p.run_id,
  p.trace_id,
  p.kind,
  p.process,
  CASE
    WHEN p.kind IN ('PUSH_REQ', 'PULL_REQ') THEN split_part(p.process, '::', 1)
    WHEN p.kind IN ('PUSH_RES', 'PULL_RES') THEN split_part(p.process, '::', 2)
  END AS worker,
  CASE
    WHEN p.kind IN ('PUSH_REQ', 'PULL_REQ') THEN split_part(p.process, '::', 2)
    WHEN p.kind IN ('PUSH_RES', 'PULL_RES') THEN split_part(p.process, '::', 1)
    ELSE regexp_extract(p.process, '^(.*)_t[0-9]+$', 1)
  END AS server,
  p.tensors,
  p.part,
  s.n_parts,
  CASE p.kind
    WHEN 'SUM' THEN 1 + coalesce(p.sum_n, 0)
    WHEN 'COPY_MERGED' THEN 1 + count(CASE WHEN p.kind = 'SUM' THEN 1 END) OVER (PARTITION BY p.run_id, p.tensors, p.part)
    ELSE 0
  END AS ordinal,
  s.tensor_bytes,
  s.tensor_bytes / s.n_parts AS bytes,
  p.dur_ns,
  p.resource_id,
  p.priority,
  p.order_key
FROM part_node AS p
JOIN size AS s ON s.run_id = p.run_id AND s.tensors = p.tensors
ORDER BY p.run_id, p.node_id
