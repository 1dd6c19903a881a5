-- What a linked graph adds to the nodes of the execution trace: one row per node, in order, with the
-- texts before and after the text of the original node. {graph_id}: the linked graph.
CREATE OR REPLACE TEMP TABLE "etplus node" AS
WITH node AS (
  SELECT * FROM graph_node WHERE graph_id = {graph_id}
),
waits AS (
  SELECT
    e.to_node_id AS id,
    max(f.node_id) FILTER (e.kind = 'inter_thread') AS inter_thread,
    string_agg(f.node_id, ', ' ORDER BY f.node_id) FILTER (e.kind = 'sync') AS sync,
    string_agg(f.node_id, ', ' ORDER BY f.node_id)
      FILTER (e.kind IN ('stream_order', 'group_order') AND list_contains({orders}, e.kind)) AS orders
  FROM graph_edge AS e
  JOIN node AS f ON f.id = e.from_node_id
  WHERE e.graph_id = {graph_id}
    AND e.kind <> 'control'
  GROUP BY e.to_node_id
),
-- Device work repeats the dependencies of its host node on other threads.
host_wait AS (
  SELECT n.node_id, w.inter_thread
  FROM node AS n
  JOIN waits AS w ON w.id = n.id
  WHERE n.device_kind = 'cpu' AND w.inter_thread IS NOT NULL
),
work AS (
  SELECT
    n.id,
    s.category,
    s.phase,
    json_extract(s.args_json, '$.stream') AS stream,
    CASE WHEN contains(s.name, 'ncclDevKernel')
      THEN json_extract(s.args_json, '$."Process Group Name"')
    END AS group_name
  FROM slice AS s
  JOIN node AS n ON n.slice_id = s.id
  WHERE n.device_kind = 'gpu'
    AND s.trace_id = (SELECT device_trace_id FROM graph WHERE id = {graph_id})
)
SELECT
  n.node_id,
  n.of_node_id AS text_id,
  concat(
    '{"id": ', n.node_id,
    ', "name": ', coalesce(to_json(n.name)::VARCHAR, 'null'),
    ', "ctrl_deps": ', coalesce(n.parent_node_id::VARCHAR, 'null')
  ) AS head,
  concat(
    CASE WHEN n.slice_id IS NOT NULL THEN concat(
      ', "inclusive_dur": ', etplus_us(n.dur_ns),
      ', "exclusive_dur": ', etplus_number(n.exclusive_us),
      ', "ts": ', etplus_us(n.start_ns),
      ', "inter_thread_dep": ',
      coalesce(w.inter_thread::VARCHAR, h.inter_thread::VARCHAR, 'null')
    ) END,
    CASE WHEN n.device_kind = 'gpu' THEN concat(
      ', "cat": ', coalesce(to_json(k.category)::VARCHAR, 'null'),
      ', "ph": ', coalesce(to_json(k.phase)::VARCHAR, 'null'),
      ', "stream": ', coalesce(k.stream::VARCHAR, 'null'),
      ', "pg_name": ' || k.group_name::VARCHAR
    ) END,
    ', "sync_dep": [' || w.sync || ']',
    ', "order_dep": [' || w.orders || ']',
    CASE WHEN {is_flagged} THEN ', "unlinked_reason": ' || to_json(n.unlinked_reason)::VARCHAR END,
    '}'
  ) AS tail
FROM node AS n
LEFT JOIN waits AS w ON w.id = n.id
LEFT JOIN host_wait AS h ON h.node_id = n.parent_node_id AND n.device_kind = 'gpu'
LEFT JOIN work AS k ON k.id = n.id
ORDER BY n.node_id
