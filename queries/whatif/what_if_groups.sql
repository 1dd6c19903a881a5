/* ---
name = "what_if_groups"
version = 1
title = "What if: other groups of gradients"
help = """
Gradients that dPRO records (NCCL, ring) are reduced in the requested groups, which name every tensor once;
groups that were recorded stay as they are. New groups last as long as their sizes suggest (gradient_rate).
Groups take the communicator in the order in which they become ready.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=18", queries = ["gradient_plan@1", "replay_node@3"] }
scale = "run"
applies_to = "gradients of dPRO trials (NCCL)"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.groups]
type = "VARCHAR"
help = "Numbers of the tensors of each group, as 0+1,2"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of sends; 0: as fitted to the recorded groups"

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
WITH part_node AS (
  SELECT *, nullif(regexp_extract(name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors
  FROM replay_node()
),
plan AS (
  FROM gradient_plan(p_groups := $groups::VARCHAR, p_bytes_per_s := $bytes_per_s::DOUBLE)
),
dropped AS (
  SELECT DISTINCT n.run_id, n.tensors
  FROM part_node AS n
  WHERE n.tensors IS NOT NULL AND EXISTS (FROM plan AS p WHERE p.run_id = n.run_id)
    AND NOT EXISTS (FROM plan AS p WHERE p.run_id = n.run_id AND p.tensors = n.tensors)
),
last AS (
  SELECT run_id, max(node_id) + 1 AS node_id, max(order_key) + 1 AS order_key, coalesce(max(slot_id), -1) + 1 AS slot_id
  FROM part_node
  GROUP BY run_id
),
-- what the communication of each rank runs on
communicator AS (
  SELECT trace_id, any_value(split_part(name, '->', 1)) AS process, min(resource_id) AS resource_id, any_value(priority) AS priority
  FROM part_node
  WHERE kind = 'QUEUE'
  GROUP BY trace_id
),
channel AS (
  SELECT trace_id, split_part(regexp_extract(name, '~>([0-9_]+)$', 1), '_', 2)::BIGINT AS channel, min(resource_id) AS resource_id
  FROM part_node
  WHERE kind = 'SEND'
  GROUP BY ALL
),
new_group AS (
  SELECT p.*, c.process, c.resource_id, c.priority, c.process || '->Comm.' || p.tensors || '.' AS prefix
  FROM plan AS p
  JOIN communicator AS c ON c.trace_id = p.trace_id
  WHERE NOT p.is_recorded
),
added AS (
  SELECT g.*, s.kind, s.stage_place, s.kind AS suffix, g.resource_id AS used_id, s.dur_ns, s.kind <> 'Sync' AS is_in_slot,
    [0, 0, 0, 0]::BIGINT[] AS part
  FROM new_group AS g
  CROSS JOIN LATERAL (VALUES
    ('Sync', 0, 0), ('QUEUE', 1, g.queue_ns), ('MEMCPY_IN_FUSION_BUFFER', 2, g.copy_in_ns),
    ('MEMCPY_OUT_FUSION_BUFFER', 5, g.copy_out_ns)
  ) AS s(kind, stage_place, dur_ns)
  UNION ALL
  SELECT g.*, s.kind, s.stage_place, s.kind || '~>' || l.loop || '_' || c.channel || '_' || r.ring_step || '_' || p.slice,
    CASE WHEN s.kind = 'SEND' THEN h.resource_id END, s.dur_ns, false,
    [r.ring_step, l.loop, p.slice, c.channel]
  FROM new_group AS g
  CROSS JOIN LATERAL (VALUES ('SEND', 3, g.send_ns), ('RECV', 4, g.behind_ns)) AS s(kind, stage_place, dur_ns)
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_loops)) AS loop) AS l
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_channels)) AS channel) AS c
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_ring_steps)) AS ring_step) AS r
  CROSS JOIN LATERAL (SELECT unnest(range(g.n_slices)) AS slice) AS p
  JOIN channel AS h ON h.trace_id = g.trace_id AND h.channel = c.channel
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank,
  CASE WHEN d.tensors IS NULL THEN n.resource_id END AS resource_id,
  CASE WHEN d.tensors IS NULL THEN n.kind ELSE 'dropped' END AS kind,
  n.name,
  CASE WHEN d.tensors IS NULL THEN n.dur_ns ELSE 0 END AS dur_ns,
  CASE WHEN d.tensors IS NULL THEN n.gap_ns ELSE 0 END AS gap_ns,
  n.priority, n.order_key,
  CASE WHEN d.tensors IS NULL THEN n.slot_id END AS slot_id,
  n.bytes, n.release_ns, n.slice_id, n.track_id, n.measured_start_ns, n.measured_end_ns
FROM part_node AS n
LEFT JOIN dropped AS d ON d.run_id = n.run_id AND d.tensors = n.tensors
UNION ALL
SELECT
  l.node_id + row_number() OVER (PARTITION BY a.run_id ORDER BY a.place, a.trace_id, a.stage_place, a.part) - 1,
  a.run_id, a.trace_id, a.rank,
  CASE WHEN a.kind <> 'Sync' THEN a.used_id END,
  a.kind, a.prefix || a.suffix, a.dur_ns, 0, a.priority,
  l.order_key + 6 * a.place + a.stage_place,
  CASE WHEN a.is_in_slot THEN l.slot_id + a.place END,
  NULL, 0, NULL, NULL, NULL, NULL
FROM added AS a
JOIN last AS l ON l.run_id = a.run_id
ORDER BY run_id, node_id
