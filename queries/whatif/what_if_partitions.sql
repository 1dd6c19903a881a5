/* ---
name = "what_if_partitions"
version = 1
title = "What if: gradients cut into other parts"
help = """
Gradients that servers reduce (dPRO, BytePS) are cut into the fewest parts that are no larger than requested, equal in
size; tensors without a size stay as they are. New messages and operations last as long as their size suggests
(gradient_part_rate). Parts are on the servers in turn if they were recorded so, otherwise the first parts of a
tensor stay where they were, and more follow in turn.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["gradient_part_node@1", "gradient_part_rate@1", "replay_node@3"] }
scale = "run"
applies_to = "gradients of dPRO trials (BytePS)"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.sizes]
type = "VARCHAR"
help = "Bytes of a part: of all tensors, or of each as 3=65536,4+5=32768"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of messages; 0: as fitted to the recorded ones"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; dropped: takes no part"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
1 = "first version"
--- */
WITH part_node AS MATERIALIZED (FROM gradient_part_node()),
requested AS (
  SELECT
    CASE WHEN contains(text, '=') THEN trim(split_part(text, '=', 1)) END AS tensors,
    TRY_CAST(CASE WHEN contains(text, '=') THEN split_part(text, '=', 2) ELSE text END AS BIGINT) AS part_bytes
  FROM (SELECT trim(unnest(string_split($sizes::VARCHAR, ','))) AS text)
),
tensor_plan AS (
  SELECT
    p.run_id, p.tensors, p.n_recorded, p.tensor_bytes,
    split_part(p.tensors, '+', 1)::BIGINT AS first_id,
    coalesce(greatest(ceil(p.tensor_bytes / coalesce(r.part_bytes, a.part_bytes)), 1)::BIGINT, p.n_recorded) AS n_parts
  FROM (
    SELECT run_id, tensors, any_value(n_parts) AS n_recorded, any_value(tensor_bytes) AS tensor_bytes
    FROM part_node
    GROUP BY run_id, tensors
  ) AS p
  LEFT JOIN requested AS r ON r.tensors = p.tensors
  LEFT JOIN (SELECT min(part_bytes) AS part_bytes FROM requested WHERE tensors IS NULL) AS a ON true
),
server AS (
  SELECT run_id, server, row_number() OVER (PARTITION BY run_id ORDER BY len(server), server) - 1 AS server_n,
    count(*) OVER (PARTITION BY run_id) AS n_servers
  FROM (SELECT DISTINCT run_id, server FROM part_node)
),
recorded AS (
  SELECT
    p.run_id, p.tensors, p.part, s.server_n, s.n_servers,
    row_number() OVER (PARTITION BY p.run_id ORDER BY t.first_id, p.tensors, p.part) - 1 AS place
  FROM (SELECT DISTINCT run_id, tensors, part, server FROM part_node WHERE kind = 'COPY_FIRST') AS p
  JOIN tensor_plan AS t ON t.run_id = p.run_id AND t.tensors = p.tensors
  JOIN server AS s ON s.run_id = p.run_id AND s.server = p.server
),
turn AS (
  SELECT run_id, any_value(n_servers) AS n_servers, bool_and(place % n_servers = server_n) AS is_in_turn
  FROM recorded
  GROUP BY run_id
),
wanted AS (
  SELECT t.*, u.part, row_number() OVER (PARTITION BY t.run_id ORDER BY t.first_id, t.tensors, u.part) - 1 AS place
  FROM tensor_plan AS t
  CROSS JOIN LATERAL (SELECT unnest(range(t.n_parts)) AS part) AS u
),
placed AS MATERIALIZED (
  SELECT
    w.run_id, w.tensors, w.part, w.n_parts, w.n_recorded, w.tensor_bytes / w.n_parts AS bytes, r.server_n AS recorded_n,
    CASE
      WHEN u.is_in_turn THEN w.place % u.n_servers
      ELSE coalesce(r.server_n, (l.server_n + w.part - w.n_recorded + 1) % u.n_servers)
    END AS server_n
  FROM wanted AS w
  JOIN turn AS u ON u.run_id = w.run_id
  LEFT JOIN recorded AS r ON r.run_id = w.run_id AND r.tensors = w.tensors AND r.part = w.part
  LEFT JOIN recorded AS l ON l.run_id = w.run_id AND l.tensors = w.tensors AND l.part = w.n_recorded - 1
),
kept AS (
  SELECT run_id, tensors, part FROM placed WHERE n_parts = n_recorded AND server_n = recorded_n
),
dropped AS (
  SELECT p.run_id, p.node_id
  FROM part_node AS p
  ANTI JOIN kept AS k ON k.run_id = p.run_id AND k.tensors = p.tensors AND k.part = p.part
),
new_part AS (
  SELECT p.*, s.server
  FROM placed AS p
  JOIN server AS s ON s.run_id = p.run_id AND s.server_n = p.server_n
  ANTI JOIN kept AS k ON k.run_id = p.run_id AND k.tensors = p.tensors AND k.part = p.part
),
-- what a part of each tensor consists of: the messages of each worker, and the operations of a server
template AS (
  SELECT
    run_id, tensors, kind, worker, ordinal, min(order_key) AS order_key, any_value(priority) AS priority
  FROM part_node
  GROUP BY run_id, tensors, kind, worker, ordinal
),
thread AS (
  SELECT run_id, server, list_sort(list(DISTINCT process)) AS processes
  FROM part_node
  WHERE worker IS NULL
  GROUP BY run_id, server
),
resource AS (
  SELECT run_id, process, any_value(resource_id) AS resource_id, any_value(trace_id) AS trace_id
  FROM part_node
  GROUP BY run_id, process
),
added AS (
  SELECT
    n.run_id, n.tensors, n.part, n.bytes, t.kind, t.worker, t.ordinal, t.order_key, t.priority,
    CASE
      WHEN t.kind IN ('PUSH_REQ', 'PULL_REQ') THEN t.worker || '::' || n.server
      WHEN t.worker IS NOT NULL THEN n.server || '::' || t.worker
      ELSE h.processes[1 + n.part % len(h.processes)]
    END AS process
  FROM new_part AS n
  JOIN template AS t ON t.run_id = n.run_id AND t.tensors = n.tensors
  JOIN thread AS h ON h.run_id = n.run_id AND h.server = n.server
),
last AS (SELECT run_id, max(node_id) + 1 AS node_id FROM replay_node() GROUP BY run_id)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank,
  CASE WHEN d.node_id IS NULL THEN n.resource_id END AS resource_id,
  CASE WHEN d.node_id IS NULL THEN n.kind ELSE 'dropped' END AS kind,
  n.name,
  CASE WHEN d.node_id IS NULL THEN n.dur_ns ELSE 0 END AS dur_ns,
  CASE WHEN d.node_id IS NULL THEN n.gap_ns ELSE 0 END AS gap_ns,
  n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id, n.measured_start_ns, n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN dropped AS d ON d.run_id = n.run_id AND d.node_id = n.node_id
UNION ALL
SELECT
  l.node_id + row_number() OVER (
    PARTITION BY a.run_id ORDER BY a.order_key, a.tensors, a.part, a.kind, a.worker, a.ordinal
  ) - 1,
  a.run_id, r.trace_id, NULL, r.resource_id, a.kind,
  a.process || '->Comm.' || a.tensors || '.' || a.kind || '~>' || a.process || '::' || CASE
    WHEN a.worker IS NOT NULL THEN ''
    WHEN a.kind = 'SUM' THEN (a.ordinal - 1) || '::~PART'
    ELSE '~PART'
  END || a.part,
  round(f.fixed_ns + f.slope_ns * a.bytes, 3), 0, a.priority, a.order_key, NULL,
  CASE WHEN a.kind IN ('PUSH_REQ', 'PULL_RES') THEN round(a.bytes)::BIGINT END, 0, NULL, NULL, NULL, NULL
FROM added AS a
JOIN last AS l ON l.run_id = a.run_id
JOIN resource AS r ON r.run_id = a.run_id AND r.process = a.process
JOIN gradient_part_rate(p_bytes_per_s := $bytes_per_s::DOUBLE) AS f
  ON f.run_id = a.run_id AND f.process = a.process AND f.kind = a.kind
ORDER BY run_id, node_id
