/* ---
name = "linked_node"
version = 1
title = "Nodes of an execution trace linked with a timeline, and the device work below them"
help = """
Host nodes are linked with the operators that have their record function id and name, in order of
occurrence; if no node can be linked that way, by the order of names (operator_by_order). All device
work is included: under the node of the innermost operator of the execution trace that contains its
call on the same thread, or of the operator named by the External id of that call. Other work is
placed under the operator named by its own External id, else under the node of its thread, else
under the root, with a reason. Waits are not nodes. Nodes are numbered in the order of the execution
trace, device work after its host node in order of start.
"""
grain = ["node_id"]
requires = { schema = ">=8", queries = ["operator_by_order@1", "timeline_operator@1"] }
scale = "run"
columns = [
  "node_id", "parent_node_id", "of_node_id", "slice_id", "name", "device_kind", "start_ns",
  "dur_ns", "exclusive_us", "link_rule", "unlinked_reason",
]

[param.graph_id]
type = "BIGINT"
help = "Execution trace: a graph"

[param.device_trace_id]
type = "BIGINT"
help = "Timeline to link it with"

[column]
node_id = { type = "BIGINT", unit = "source id", check = ">= 0", help = "Node number in the linked graph, from 0" }
slice_id = { nullable = true, help = "Slice on the timeline; NULL: not linked" }
name.help = "Name of the node; for device work, of its slice"
device_kind = { nullable = false, help = "cpu or gpu" }
start_ns = { nullable = true, help = "Start as recorded in the timeline" }
dur_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Recorded duration; 0 if not recorded" }
exclusive_us.help = "dur_ns minus directly nested operators; for device work dur_ns"

[column.link_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "For host nodes: record_function_id, order, none; for device work: containment, external_id, none"

[column.unlinked_reason]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Reason a host node has no slice, or device work has no operator around its call; NULL otherwise"

[changes]
1 = "first version"
--- */
WITH RECURSIVE op AS MATERIALIZED (
  SELECT slice_id, track_id, parent_id, start_ns, dur_ns, name, external_id, n,
    nullif(record_function_id, 0) AS record_function_id
  FROM timeline_operator(p_trace_id := $device_trace_id::BIGINT)
),
node AS MATERIALIZED (
  SELECT id, node_id, parent_node_id, name, thread_id,
    nullif(record_function_id, 0) AS record_function_id
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
),
-- Ids that occur several times are paired in order of occurrence; names must agree, because ids
-- count from 1 in every process.
by_id AS MATERIALIZED (
  SELECT n.id, o.slice_id
  FROM (
    SELECT *, row_number() OVER (PARTITION BY record_function_id, name ORDER BY node_id) AS place
    FROM node
    WHERE record_function_id IS NOT NULL
  ) AS n
  JOIN (
    SELECT *, row_number() OVER (PARTITION BY record_function_id, name ORDER BY n) AS place
    FROM op
    WHERE record_function_id IS NOT NULL
  ) AS o
    ON o.record_function_id = n.record_function_id
    AND o.name = n.name
    AND o.place = n.place
),
matched AS MATERIALIZED (
  SELECT id, slice_id, 'record_function_id' AS link_rule FROM by_id
  UNION ALL
  SELECT graph_node_id, slice_id, 'order'
  FROM operator_by_order(
    p_graph_id := CASE WHEN (SELECT count(*) FROM by_id) = 0 THEN $graph_id::BIGINT END,
    p_trace_id := CASE WHEN (SELECT count(*) FROM by_id) = 0 THEN $device_trace_id::BIGINT END
  )
),
-- The self time of an operator excludes directly nested operators. Slices of other kinds, such as
-- Python frames, may lie in between and are climbed.
around AS (
  SELECT slice_id, dur_ns, parent_id AS above_id FROM op WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT a.slice_id, a.dur_ns, s.parent_id
  FROM slice AS s
  JOIN around AS a ON a.above_id = s.id
  ANTI JOIN op AS o ON o.slice_id = a.above_id
  WHERE s.trace_id = $device_trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
inside AS (
  SELECT a.above_id AS slice_id, sum(a.dur_ns) AS dur_ns
  FROM around AS a
  SEMI JOIN op AS o ON o.slice_id = a.above_id
  GROUP BY a.above_id
),
work AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.ts,
    g.dur,
    g.name,
    g.correlation_id,
    CASE WHEN g.external_id > 0 AND g.external_id IS DISTINCT FROM g.correlation_id
      THEN g.external_id
    END AS external_id,
    l.from_id AS call_id
  FROM gpu_op AS g
  LEFT JOIN link AS l
    ON l.to_id = g.slice_id
    AND l.trace_id = $device_trace_id::BIGINT
    AND l.kind = 'launch'
    AND l.link_set = 'default'
  WHERE g.trace_id = $device_trace_id::BIGINT
    AND g.kind <> 'sync'
),
-- From a call up to the innermost operator that is a node.
call AS (
  SELECT DISTINCT w.call_id, s.track_id, s.parent_id
  FROM slice AS s
  JOIN work AS w ON w.call_id = s.id
  WHERE s.trace_id = $device_trace_id::BIGINT
),
ancestor AS (
  SELECT call_id, parent_id AS above_id FROM call WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT c.call_id, s.parent_id
  FROM slice AS s
  JOIN ancestor AS c ON c.above_id = s.id
  ANTI JOIN matched AS m ON m.slice_id = c.above_id
  WHERE s.trace_id = $device_trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
innermost AS (
  SELECT c.call_id, m.id
  FROM ancestor AS c
  JOIN matched AS m ON m.slice_id = c.above_id
),
-- Whether the call lies in any operator, node or not.
in_operator AS (
  SELECT DISTINCT c.call_id
  FROM ancestor AS c
  SEMI JOIN op AS o ON o.slice_id = c.above_id
),
-- A call of another thread belongs to the operator named by its External id.
by_call AS (
  SELECT l.to_id AS call_id, m.id
  FROM link AS l
  JOIN matched AS m ON m.slice_id = l.from_id
  WHERE l.trace_id = $device_trace_id::BIGINT
    AND l.kind = 'op_launch'
    AND l.rule = 'external_id'
    AND l.link_set = 'default'
),
-- Work without a recorded call may still name its operator: the last one with its External id that
-- began before it.
by_name AS (
  SELECT w.slice_id, arg_max(m.id, o.n) AS id
  FROM op AS o
  JOIN matched AS m ON m.slice_id = o.slice_id
  JOIN (
    SELECT w.slice_id, w.external_id, t.base_ns - t.source_base_ns + w.ts AS start_ns
    FROM work AS w
    CROSS JOIN (SELECT * FROM trace WHERE id = $device_trace_id::BIGINT) AS t
    WHERE w.call_id IS NULL
      AND w.external_id IS NOT NULL
  ) AS w ON w.external_id = o.external_id AND o.start_ns <= w.start_ns
  GROUP BY w.slice_id
),
-- Remaining work is placed under its thread, or under the root.
thread_node AS (
  SELECT k.track_id, min(t.id) AS id
  FROM (
    SELECT o.track_id, mode(n.thread_id) AS thread_id
    FROM op AS o
    JOIN matched AS m ON m.slice_id = o.slice_id
    JOIN node AS n ON n.id = m.id
    GROUP BY o.track_id
  ) AS k
  JOIN (SELECT thread_id, id FROM node WHERE name LIKE '[pytorch|profiler|%|thread]') AS t
    ON t.thread_id = k.thread_id
  GROUP BY k.track_id
),
root AS (
  SELECT arg_min(id, (parent_node_id IS NOT NULL AND parent_node_id <> node_id, node_id)) AS id
  FROM node
),
attached AS (
  SELECT
    w.slice_id,
    w.name,
    w.ts,
    w.dur,
    w.correlation_id,
    coalesce(i.id, b.id, e.id, t.id, r.id) AS of_node_id,
    CASE
      WHEN i.id IS NOT NULL THEN 'containment'
      WHEN b.id IS NOT NULL OR e.id IS NOT NULL THEN 'external_id'
      ELSE 'none'
    END AS link_rule,
    CASE
      WHEN i.id IS NOT NULL OR b.id IS NOT NULL THEN NULL
      WHEN w.call_id IS NULL THEN 'the call that launched it is not on the timeline'
      WHEN p.call_id IS NOT NULL THEN 'the operators around its call are not in the execution trace'
      ELSE 'no operator is around its call'
    END AS unlinked_reason
  FROM work AS w
  LEFT JOIN call AS c ON c.call_id = w.call_id
  LEFT JOIN innermost AS i ON i.call_id = w.call_id
  LEFT JOIN by_call AS b ON b.call_id = w.call_id
  LEFT JOIN by_name AS e ON e.slice_id = w.slice_id
  LEFT JOIN in_operator AS p ON p.call_id = w.call_id
  LEFT JOIN thread_node AS t ON t.track_id = c.track_id
  CROSS JOIN root AS r
),
numbered AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY host_node_id, device_kind, start_ns, correlation_id, slice_id
    ) - 1 AS node_id
  FROM (
    SELECT
      n.id AS of_node_id,
      n.node_id AS host_node_id,
      n.parent_node_id AS above_node_id,
      o.slice_id,
      n.name,
      'cpu' AS device_kind,
      o.start_ns,
      o.dur_ns,
      CASE WHEN m.id IS NOT NULL
        THEN greatest(o.dur_ns - coalesce(i.dur_ns, 0), 0)::DOUBLE / 1000
      END AS exclusive_us,
      NULL AS correlation_id,
      coalesce(m.link_rule, 'none') AS link_rule,
      CASE
        WHEN m.id IS NOT NULL THEN NULL
        WHEN n.name LIKE '[pytorch|profiler|%]' THEN 'it stands for a process or a thread'
        WHEN (SELECT count(*) FROM by_id) = 0 THEN 'the order of names has no operator for it'
        WHEN n.record_function_id IS NULL THEN 'it has no record function id'
        ELSE 'no operator of its name has its record function id'
      END AS unlinked_reason
    FROM node AS n
    LEFT JOIN matched AS m ON m.id = n.id
    LEFT JOIN op AS o ON o.slice_id = m.slice_id
    LEFT JOIN inside AS i ON i.slice_id = m.slice_id
    UNION ALL
    SELECT
      a.of_node_id,
      n.node_id,
      n.node_id,
      a.slice_id,
      a.name,
      'gpu',
      t.base_ns - t.source_base_ns + a.ts,
      greatest(a.dur, 0),
      greatest(a.dur, 0)::DOUBLE / 1000,
      a.correlation_id,
      a.link_rule,
      a.unlinked_reason
    FROM attached AS a
    LEFT JOIN node AS n ON n.id = a.of_node_id
    CROSS JOIN (SELECT * FROM trace WHERE id = $device_trace_id::BIGINT) AS t
  )
)
SELECT
  n.node_id,
  p.node_id AS parent_node_id,
  n.of_node_id,
  n.slice_id,
  n.name,
  n.device_kind,
  n.start_ns,
  n.dur_ns,
  n.exclusive_us,
  n.link_rule,
  n.unlinked_reason
FROM numbered AS n
LEFT JOIN (SELECT host_node_id, node_id FROM numbered WHERE device_kind = 'cpu') AS p
  ON p.host_node_id = n.above_node_id
ORDER BY n.node_id
