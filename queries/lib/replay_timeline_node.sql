/* ---
name = "replay_timeline_node"
version = 1
title = "Nodes of a replay of timelines: pieces of host threads, and the work that they queue"
help = """
Work on threads of a communication library contains the time that passes before it begins, although it
could. A collective that several ranks recorded is three nodes: its arrival on each rank, a barrier of all ranks, and the
transfer on each rank, which lasts from the last arrival to the end there. Another node ends each trace.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["collective_member@1", "replay_piece@1", "replay_trace@1", "replay_work@1"] }
scale = "run"
computed_once = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "role", "kind", "name", "track_id", "device_id", "slice_id",
  "dur_ns", "start_ns", "end_ns", "is_released", "bytes", "instance_id",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
role = { type = "VARCHAR", unit = "text", help = "piece, work, arrival, barrier, transfer or end" }
kind.help = "host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective or end"
name = { type = "VARCHAR", unit = "text", help = "Name" }
track_id = { nullable = true, help = "Thread or stream" }
device_id.help = "Device"
slice_id = { nullable = true, help = "Call that begins with the piece, or slice of the work" }
dur_ns.help = "Duration without waiting"
start_ns.help = "Measured start, after waiting, in the time that the traces share"
end_ns.help = "Measured end"
is_released = { type = "BOOLEAN", unit = "bool", help = "Whether nothing that was recorded comes before it" }
bytes.help = "Bytes moved"
instance_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Collective (collective_member)" }

[changes]
1 = "first version"
--- */
WITH member AS MATERIALIZED (
  SELECT
    m.instance_id,
    m.slice_id,
    w.start_ns + t.shift_ns + round(t.drift * w.start_ns)::BIGINT AS start_ns,
    max(w.start_ns + t.shift_ns + round(t.drift * w.start_ns)::BIGINT) OVER instance AS barrier_ns,
    t.run_id,
    w.name,
    count(*) OVER instance AS n_members
  FROM collective_member() AS m
  JOIN replay_work() AS w ON w.slice_id = m.slice_id
  JOIN replay_trace() AS t ON t.trace_id = w.trace_id
  WHERE m.confidence > 0.5 AND t.is_aligned AND m.is_synchronizing
  WINDOW instance AS (PARTITION BY m.instance_id)
),
work AS (
  SELECT
    w.run_id, w.trace_id, t.rank, w.track_id, w.device_id, w.kind, coalesce(w.name, w.kind) AS name,
    w.slice_id, w.bytes,
    w.start_ns + t.shift_ns + round(t.drift * w.start_ns)::BIGINT AS start_ns,
    w.end_ns + t.shift_ns + round(t.drift * w.end_ns)::BIGINT AS end_ns,
    w.call_ns IS NULL AS is_released,
    -- A library's thread is a host thread: what passes before it begins is its own time.
    CASE WHEN w.device_id IS NULL
      THEN greatest(w.start_ns - greatest(w.call_ns, coalesce(w.before_end_ns, w.call_ns)), 0) ELSE 0
    END AS lag_ns,
    m.instance_id,
    m.barrier_ns
  FROM replay_work() AS w
  JOIN replay_trace() AS t ON t.trace_id = w.trace_id
  LEFT JOIN member AS m ON m.slice_id = w.slice_id AND m.n_members > 1
),
piece AS (
  SELECT
    p.run_id, p.trace_id, t.rank, p.track_id, p.name, p.call_id, p.role AS kind, p.bytes, p.dur_ns, p.is_released,
    p.end_ns - p.dur_ns + t.shift_ns + round(t.drift * p.end_ns)::BIGINT AS start_ns,
    p.end_ns + t.shift_ns + round(t.drift * p.end_ns)::BIGINT AS end_ns
  FROM replay_piece() AS p
  JOIN replay_trace() AS t ON t.trace_id = p.trace_id
),
node AS (
  SELECT
    run_id, trace_id, rank, 'piece' AS role, kind,
    coalesce(name, 'host') AS name, track_id, NULL::BIGINT AS device_id, call_id AS slice_id, dur_ns,
    start_ns, end_ns, is_released, bytes, NULL::BIGINT AS instance_id
  FROM piece
  UNION ALL
  SELECT
    run_id, trace_id, rank, CASE WHEN instance_id IS NULL THEN 'work' ELSE 'transfer' END,
    CASE WHEN instance_id IS NULL THEN kind ELSE 'collective' END, name, track_id, device_id, slice_id,
    CASE WHEN instance_id IS NULL THEN end_ns - start_ns + lag_ns ELSE greatest(end_ns - barrier_ns, 0) END,
    CASE WHEN instance_id IS NULL THEN start_ns - lag_ns ELSE least(barrier_ns, end_ns) END, end_ns, is_released AND instance_id IS NULL, bytes,
    instance_id
  FROM work
  UNION ALL
  SELECT
    run_id, trace_id, rank, 'arrival', 'arrival', name, track_id, device_id, slice_id, lag_ns,
    start_ns - lag_ns, start_ns, is_released, NULL, instance_id
  FROM work
  WHERE instance_id IS NOT NULL
  UNION ALL
  SELECT
    any_value(m.run_id), m.instance_id >> 32, NULL, 'barrier', 'barrier', min(m.name), NULL, NULL, NULL, 0,
    any_value(m.barrier_ns), any_value(m.barrier_ns), false, NULL, m.instance_id
  FROM member AS m
  WHERE m.n_members > 1
  GROUP BY m.instance_id
  UNION ALL
  SELECT
    run_id, trace_id, any_value(rank), 'end', 'end', 'end', NULL, NULL, NULL, 0, max(end_ns), max(end_ns),
    false, NULL, NULL
  FROM (
    SELECT run_id, trace_id, rank, end_ns FROM work
    UNION ALL
    SELECT run_id, trace_id, rank, end_ns FROM piece
  )
  GROUP BY run_id, trace_id
)
SELECT
  row_number() OVER (
    PARTITION BY run_id
    ORDER BY start_ns, rank NULLS LAST, trace_id, track_id NULLS LAST, end_ns, role, slice_id, instance_id
  ) - 1 AS node_id,
  run_id, trace_id, rank, role, kind, name, track_id, device_id, slice_id, dur_ns, start_ns, end_ns,
  is_released, bytes, instance_id
FROM node
ORDER BY run_id, node_id
