/* ---
name = "replay_tpu_node"
version = 1
title = "Nodes of a replay of TPU commands"
help = """
Each command lasts as long as recorded: a command that waits for a message of another core, too. The
first command of an engine starts when recorded, if it waits for none (replay_tpu_edge). Another node ends each trace. Times are those that the
run's traces share.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", rows = ["tpu_command"], queries = ["replay_timeline_node@1", "replay_trace@1", "tpu_work@1"] }
scale = "run"
computed_once = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "role", "kind", "name", "track_id", "slice_id", "dur_ns",
  "start_ns", "end_ns", "is_released", "bytes",
]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts on from the nodes of timelines in the run" }
role = { type = "VARCHAR", unit = "text", help = "work or end" }
kind.help = "compute, transfer, sync or end"
name = { type = "VARCHAR", unit = "text", help = "Name" }
track_id = { nullable = true, help = "Row of the engine" }
slice_id = { nullable = true, help = "Command" }
dur_ns.help = "Duration"
start_ns.help = "Measured start, in the time that the traces share"
end_ns.help = "Measured end"
is_released = { type = "BOOLEAN", unit = "bool", help = "Whether nothing that was recorded comes before it" }
bytes.help = "Bytes moved"

[changes]
1 = "first version"
--- */
WITH command AS (
  SELECT
    c.slice_id, c.trace_id, c.track_id, c.name, c.bytes, coalesce(c.core, c.submit_core) AS core,
    TRY_CAST(json_extract_string(c.registers_json, '$.cmd_id_dep') AS BIGINT) AS needed_id
  FROM tpu_command AS c
),
work AS (
  SELECT
    t.run_id, w.trace_id, t.rank, w.kind, coalesce(c.name, w.engine) AS name, c.track_id, w.slice_id,
    w.end_ns - w.start_ns AS dur_ns,
    w.start_ns + t.shift_ns + round(t.drift * w.start_ns)::BIGINT AS start_ns,
    w.end_ns + t.shift_ns + round(t.drift * w.end_ns)::BIGINT AS end_ns,
    row_number() OVER (PARTITION BY c.track_id ORDER BY w.start_ns, w.end_ns, w.slice_id) = 1
      AND CASE
        WHEN coalesce(max(c.needed_id) OVER (PARTITION BY c.trace_id), 0) > 0 THEN coalesce(c.needed_id, 0) = 0
        ELSE c.core IS NULL OR min(w.end_ns) OVER (PARTITION BY c.trace_id, c.core) > w.start_ns
      END AS is_released,
    c.bytes
  FROM tpu_work() AS w
  JOIN command AS c ON c.slice_id = w.slice_id
  JOIN replay_trace() AS t ON t.trace_id = w.trace_id
),
node AS (
  SELECT
    run_id, trace_id, rank, 'work' AS role, kind, name, track_id, slice_id, dur_ns, start_ns, end_ns,
    is_released, bytes
  FROM work
  UNION ALL
  SELECT
    run_id, trace_id, any_value(rank), 'end', 'end', 'end', NULL, NULL, 0, max(end_ns), max(end_ns), false, NULL
  FROM work
  GROUP BY run_id, trace_id
),
before AS (
  SELECT run_id, max(node_id) + 1 AS n FROM replay_timeline_node() GROUP BY run_id
)
SELECT
  row_number() OVER (
    PARTITION BY n.run_id ORDER BY n.start_ns, n.rank NULLS LAST, n.trace_id, n.track_id NULLS LAST, n.end_ns, n.slice_id
  ) - 1 + coalesce(b.n, 0) AS node_id,
  n.run_id, trace_id, rank, role, kind, name, track_id, slice_id, dur_ns, start_ns, end_ns, is_released, bytes
FROM node AS n
LEFT JOIN before AS b ON b.run_id = n.run_id
ORDER BY n.run_id, node_id
