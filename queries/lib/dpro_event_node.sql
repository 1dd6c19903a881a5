/* ---
name = "dpro_event_node"
version = 1
title = "Which node of dPRO's global graph each event of a trial belongs to"
help = """
Operators and stages of communication in the graph. Horovod records stages of single tensors as well:
they belong to the stage of their group, but are not its own (is_own).
"""
grain = ["slice_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_code@1", "dpro_recorded_event@1", "dpro_graph_place@1", "dpro_group@1"] }
computed_once = true
columns = ["run_id", "code", "place", "slice_id", "step", "stage", "is_own", "start_ns", "dur_ns"]

[column]
code = { type = "BIGINT", unit = "count", help = "Number of the node (dpro_code)" }
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }
slice_id.help = "Slice; of several Sync events the first"
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
is_own = { type = "BOOLEAN", unit = "bool", help = "Whether the node has the name of the event" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Start on the clock of the first host" }
dur_ns = { type = "BIGINT", unit = "ns", help = "Duration" }

[changes]
1 = "first version"
--- */
WITH code AS MATERIALIZED (FROM dpro_code()),
named AS (
  SELECT trace_id, tensors AS event_tensors, true AS is_own, * EXCLUDE (trace_id)
  FROM code
  WHERE tensors IS NOT NULL
  UNION ALL
  SELECT c.trace_id, g.tensor_id::VARCHAR, false, c.* EXCLUDE (trace_id)
  FROM dpro_group() AS g
  JOIN code AS c ON c.run_id = g.run_id AND c.tensors = g.tensors
  WHERE g.tensors <> g.tensor_id::VARCHAR
),
coded AS (
  SELECT
    e.run_id, n.is_own, e.slice_id, e.step, e.stage, e.start_ns, e.dur_ns,
    n.first_code + CASE e.stage
      WHEN 'Sync' THEN 0
      WHEN 'QUEUE' THEN 1
      WHEN 'MEMCPY_IN_FUSION_BUFFER' THEN 2
      WHEN 'MEMCPY_OUT_FUSION_BUFFER' THEN 3
      ELSE 4 + 2 * (
        ((e.loop * n.n_ring_steps + e.ring_step) * n.n_parts + e.part) * n.n_channels + e.channel
      ) + (e.stage = 'RECV')::BIGINT
    END AS code
  FROM dpro_recorded_event() AS e
  JOIN named AS n ON n.trace_id = e.trace_id AND n.event_tensors = e.tensors
  WHERE CASE
    WHEN e.stage IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER') THEN true
    WHEN e.stage = 'Sync' THEN n.is_own
    ELSE e.stage IN ('SEND', 'RECV') AND n.is_own
      AND e.loop < n.n_loops AND e.ring_step < n.n_ring_steps AND e.part < n.n_parts
      AND e.channel < n.n_channels
  END
  UNION ALL
  SELECT e.run_id, true, e.slice_id, e.step, NULL, e.start_ns, e.dur_ns, c.first_code
  FROM dpro_recorded_event() AS e
  JOIN code AS c ON c.trace_id = e.trace_id AND c.name = e.operator AND c.tensors IS NULL
  WHERE e.phase <> 'Comm'
)
SELECT
  c.run_id,
  c.code,
  p.place,
  c.slice_id,
  c.step,
  c.stage,
  c.is_own,
  c.start_ns,
  c.dur_ns
FROM coded AS c
JOIN dpro_graph_place() AS p ON p.code = c.code
