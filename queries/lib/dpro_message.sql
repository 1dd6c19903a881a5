/* ---
name = "dpro_message"
version = 1
title = "BytePS messages and server operations of a dPRO trial, in one time"
help = """
The messages between workers and servers and the operations of the servers, in the steps that count.
Clocks of the nodes are aligned as dPRO does: the smallest shifts (sum of squares) with which no
answer begins before its question ended; the first node by name keeps its clock. Over ZMQ a message
has the clock of the node that receives it, and only links that were idle before tell a delay; over RDMA
its start has the clock of the sender, its end that of the receiver. Operations of servers stay
unshifted, as in dPRO. Delays that contradict each other shift nothing.
"""
grain = ["slice_id"]
requires = { schema = ">=17", rows = ["rpc"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "slice_id", "process", "node", "peer", "name", "stage", "tensors", "part",
  "ordinal", "step", "start_ns", "dur_ns",
]

[column]
slice_id.help = "Slice of the message or operation"
process = { type = "VARCHAR", unit = "text", help = "Name of the link or thread in dPRO: worker_0::server_1, server_1_t0" }
node = { type = "VARCHAR", unit = "text", help = "Node that sends, or server" }
peer = { type = "VARCHAR", unit = "text", nullable = true, help = "Node that receives; NULL: operation of a server" }
name = { type = "VARCHAR", unit = "text", help = "Name in dPRO, without the link" }
stage = { type = "VARCHAR", unit = "text", help = "PUSH_REQ, PUSH_RES, PULL_REQ, PULL_RES, COPY_FIRST, SUM or COPY_MERGED" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors, as in 3+4" }
part = { type = "BIGINT", unit = "count", help = "Partition of the tensor, from 0" }
step = { type = "BIGINT", unit = "count", help = "Step, from the first that counts" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Start on the clock of the first node" }
dur_ns = { type = "DOUBLE", unit = "ns", help = "Duration" }

[column.ordinal]
type = "BIGINT"
unit = "count"
nullable = true
help = "Of several operations SUM of a step the number, from 0"

[changes]
1 = "first version"
--- */
WITH RECURSIVE message AS MATERIALIZED (
  SELECT
    t.run_id, t.id AS trace_id, c.slice_id, c.name AS stage, p.name AS node, c.peer,
    TRY_CAST(nullif(regexp_extract(k.name, '^thread ([0-9]+)$', 1), '') AS BIGINT) AS thread,
    coalesce(
      nullif(replace(regexp_extract(c.rpc_key, 'BytePSPushPull[._]([0-9_]+)$', 1), '_', '+'), ''),
      c.rpc_key
    ) AS tensors,
    c.part, c.step_number AS step, c.occurrence,
    t.base_ns + c.ts AS start_ns,
    t.base_ns + c.ts + CASE WHEN c.dur = -1 THEN 0 ELSE c.dur END AS end_ns,
    coalesce(json_extract_string(t.metadata_json, '$.van') = 'rdma', false) AS is_rdma
  FROM rpc AS c
  JOIN trace AS t ON t.id = c.trace_id
  JOIN track AS k ON k.id = c.track_id
  JOIN process AS p ON p.id = k.process_id
  WHERE t.format = 'dpro' AND c.step_number IS NOT NULL
),
-- ends and answers: PUSH_REQ, PUSH_RES, PULL_REQ follow each other between two nodes
delay AS (
  SELECT
    a.run_id, b.node AS from_node, b.peer AS to_node, min(b.start_ns - a.end_ns) AS delay_ns
  FROM message AS a
  JOIN message AS b
    ON b.run_id = a.run_id AND b.node = a.peer AND b.peer = a.node AND b.tensors = a.tensors
    AND b.part = a.part AND b.step = a.step
    AND (a.stage, b.stage) IN (('PUSH_REQ', 'PUSH_RES'), ('PUSH_RES', 'PULL_REQ'))
  WHERE NOT b.is_rdma AND NOT EXISTS (
    FROM message AS o
    WHERE o.run_id = b.run_id AND o.node = b.node AND o.peer = b.peer AND o.end_ns > o.start_ns
      AND o.start_ns < b.start_ns - 1000 AND o.end_ns > b.start_ns - 500000
  )
  GROUP BY a.run_id, b.node, b.peer
  UNION ALL
  SELECT run_id, node, peer, min(end_ns - start_ns)
  FROM message
  WHERE is_rdma AND peer IS NOT NULL
  GROUP BY run_id, node, peer
),
node AS (
  SELECT run_id, node, row_number() OVER (PARTITION BY run_id ORDER BY node) AS n
  FROM (SELECT run_id, node FROM message UNION SELECT run_id, peer FROM message WHERE peer IS NOT NULL)
),
-- the delays of a run with their places in its list of nodes, in one row
problem AS (
  SELECT
    d.run_id,
    list(a.n ORDER BY a.n, b.n) AS from_n,
    list(b.n ORDER BY a.n, b.n) AS to_n,
    list(d.delay_ns::DOUBLE ORDER BY a.n, b.n) AS delay_ns,
    any_value(k.n_nodes) AS n_nodes,
    min(d.delay_ns) >= 0 AS is_aligned
  FROM delay AS d
  JOIN node AS a ON a.run_id = d.run_id AND a.node = d.from_node
  JOIN node AS b ON b.run_id = d.run_id AND b.node = d.to_node
  JOIN (SELECT run_id, max(n) AS n_nodes FROM node GROUP BY run_id) AS k ON k.run_id = d.run_id
  GROUP BY d.run_id
),
-- Hildreth's method: each constraint in turn changes the shifts of its two nodes as far as it must; it
-- takes back what it changed when others have made that unnecessary
solution AS (
  SELECT
    run_id, 0 AS turn,
    list_resize([]::DOUBLE[], n_nodes, 0::DOUBLE) AS shifts,
    list_resize([]::DOUBLE[], len(from_n), 0::DOUBLE) AS forces,
    CASE WHEN is_aligned THEN 0 ELSE 1 END::DOUBLE AS moved
  FROM problem
  UNION ALL
  SELECT
    run_id, turn + 1,
    list_transform(range(1, len(shifts) + 1), lambda n: shifts[n]
      - CASE WHEN n = a AND n > 1 THEN push ELSE 0 END
      + CASE WHEN n = b AND n > 1 THEN push ELSE 0 END),
    list_transform(range(1, len(forces) + 1), lambda n: forces[n] + CASE WHEN n = i THEN push ELSE 0 END),
    CASE WHEN i = 1 THEN 0 ELSE moved END + abs(push)
  FROM (
    SELECT
      *,
      greatest(
        -forces[i],
        (shifts[a] - shifts[b] - bound) / greatest((a > 1)::INTEGER + (b > 1)::INTEGER, 1)
      ) AS push
    FROM (
      SELECT
        s.*, s.turn % len(p.from_n) + 1 AS i,
        p.from_n[s.turn % len(p.from_n) + 1] AS a,
        p.to_n[s.turn % len(p.from_n) + 1] AS b,
        p.delay_ns[s.turn % len(p.from_n) + 1] AS bound
      FROM solution AS s
      JOIN problem AS p ON p.run_id = s.run_id
      WHERE s.turn < 20000
        AND NOT (s.turn % len(p.from_n) = 0 AND s.moved < 1e-3)
    )
  )
),
shift AS (
  SELECT n.run_id, n.node, coalesce(s.shifts[n.n], 0) AS shift_ns
  FROM node AS n
  LEFT JOIN (
    SELECT run_id, arg_max(shifts, turn) AS shifts
    FROM solution
    GROUP BY run_id
    HAVING max(turn) < 20000
  ) AS s ON s.run_id = n.run_id
),
shifted AS (
  SELECT
    m.*,
    m.start_ns + CASE
      WHEN m.peer IS NULL THEN 0
      WHEN m.is_rdma THEN a.shift_ns
      ELSE b.shift_ns
    END AS at_ns,
    m.end_ns + coalesce(b.shift_ns, 0) AS until_ns
  FROM message AS m
  JOIN shift AS a ON a.run_id = m.run_id AND a.node = m.node
  LEFT JOIN shift AS b ON b.run_id = m.run_id AND b.node = m.peer
),
clipped AS (
  SELECT
    *,
    CASE WHEN is_rdma AND peer IS NOT NULL
      THEN greatest(at_ns, coalesce(lag(until_ns) OVER (PARTITION BY run_id, node, peer ORDER BY until_ns, slice_id), at_ns))
      ELSE at_ns
    END AS begin_ns,
    CASE WHEN stage = 'SUM' THEN row_number() OVER (
      PARTITION BY run_id, node, thread, tensors, part, step, stage ORDER BY occurrence
    ) - 1 END AS ordinal,
    CASE WHEN peer IS NULL THEN node || '_t' || thread ELSE node || '::' || peer END AS process
  FROM shifted
)
SELECT
  run_id,
  trace_id,
  slice_id,
  process,
  node,
  peer,
  'Comm.' || tensors || '.' || stage || '~>' || process || '::' || CASE
    WHEN peer IS NOT NULL THEN part::VARCHAR
    ELSE coalesce(ordinal || '::', '') || '~PART' || part
  END AS name,
  stage,
  tensors,
  part,
  ordinal,
  step,
  begin_ns::DOUBLE AS start_ns,
  (until_ns - begin_ns)::DOUBLE AS dur_ns
FROM clipped
ORDER BY run_id, process, begin_ns, slice_id
