-- Detail rows and the local graph of a rank, inside the transaction of the import; runs after the
-- scripts of trace_event. Variables: trace_id, first_id (= trace_id << 32).

UPDATE process SET name = json_extract_string(source_pid, '$')
WHERE trace_id = getvariable('trace_id') AND source_pid IN ('"Horovod"', '"NCCL"', '"I/O"');

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT
  s.id, s.trace_id, s.track_id, s.ts, s.dur, s.name,
  coalesce(TRY_CAST(json_extract_string(s.args_json, '$.group_id') AS BIGINT), t.step)
FROM slice AS s
LEFT JOIN (
  SELECT o.slice_n, t.step
  FROM scratch.operation_step AS t
  JOIN scratch.slice_order AS o ON o.seq = t.seq
) AS t ON s.id = getvariable('first_id') + t.slice_n
WHERE s.trace_id = getvariable('trace_id') AND s.category = 'cpu_op'
  AND NOT EXISTS (FROM scratch.platform WHERE name = 'mxnet')
ORDER BY s.id;

-- MXNet's profiler names neither steps nor what runs between the passes. Up to the next operator of
-- the graph, what follows the last forward operator is the output, and behind the last backward
-- operator dot and add_n before the first update belong to UPDATE_CAL. Of the first iteration these
-- two are the last before operators of the other kind.
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
WITH op AS (
  SELECT
    s.id, s.track_id, s.ts, s.dur, s.name,
    mxnet_node_of(s.name) AS node,
    n.name IS NOT NULL AS is_node,
    row_number() OVER (ORDER BY s.ts, s.id) AS position
  FROM slice AS s
  LEFT JOIN scratch.local_node AS n ON n.name = mxnet_node_of(s.name)
  WHERE s.trace_id = getvariable('trace_id') AND s.category = 'cpu_op'
    AND EXISTS (FROM scratch.platform WHERE name = 'mxnet')
),
first_backward AS (
  SELECT min(b.position) AS position
  FROM op AS b
  WHERE b.is_node AND starts_with(b.node, 'BW.')
    AND b.position > (SELECT min(position) FROM op WHERE is_node AND starts_with(node, 'FW.'))
),
next_forward AS (
  SELECT coalesce(min(position), (SELECT max(position) + 1 FROM op)) AS position
  FROM op
  WHERE is_node AND starts_with(node, 'FW.') AND position > (SELECT position FROM first_backward)
),
last AS (
  SELECT
    arg_max(node, position) FILTER (
      starts_with(node, 'FW.') AND position < (SELECT position FROM first_backward)
    ) AS forward,
    arg_max(node, position) FILTER (
      starts_with(node, 'BW.') AND position < (SELECT position FROM next_forward)
    ) AS backward
  FROM op
  WHERE is_node
),
behind AS (
  SELECT
    *,
    last_value(CASE WHEN is_node THEN node END IGNORE NULLS) OVER earlier AS node_before,
    count(CASE WHEN is_node THEN 1 END) OVER earlier AS block
  FROM op
  WINDOW earlier AS (ORDER BY position ROWS UNBOUNDED PRECEDING)
),
counted AS (
  SELECT
    *,
    NOT is_node AND node_before = (SELECT backward FROM last) AS is_update,
    count(CASE WHEN NOT is_node AND contains(lower(name), 'update') THEN 1 END)
      OVER (PARTITION BY block ORDER BY position ROWS UNBOUNDED PRECEDING) AS n_updates
  FROM behind
),
named AS (
  SELECT
    * EXCLUDE (name),
    CASE
      WHEN is_node THEN node
      WHEN is_update AND contains(lower(name), 'update') THEN 'UPDATE_' || (n_updates - 1)
      WHEN is_update AND n_updates = 0 AND name IN ('dot', 'add_n') THEN 'UPDATE_CAL'
      WHEN node_before = (SELECT forward FROM last) THEN 'OUTPUT0'
      ELSE name
    END AS name
  FROM counted
),
-- a forward operator behind an update begins the next step
turned AS (
  SELECT
    *,
    is_node AND starts_with(name, 'FW.') AND last_value(
      CASE WHEN is_node THEN 'node' WHEN starts_with(name, 'UPDATE_') THEN 'update' END IGNORE NULLS
    ) OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) = 'update' AS is_turn
  FROM named
)
SELECT
  id, getvariable('trace_id'), track_id, ts, dur, name,
  count(CASE WHEN is_turn THEN 1 END) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING)
FROM turned
ORDER BY id;

INSERT INTO gpu_op (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
SELECT
  s.id, s.trace_id, s.track_id, t.device_id, s.ts, s.dur, s.name,
  CASE WHEN s.category = 'kernel' THEN 'kernel' ELSE 'memcpy' END,
  CASE
    WHEN s.category <> 'kernel' THEN 'memory'
    WHEN s.name ILIKE '%nccl%' THEN 'communication'
    ELSE 'compute'
  END,
  t.stream
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE s.trace_id = getvariable('trace_id') AND s.category IN ('kernel', 'gpu_memcpy')
ORDER BY s.id;

INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name, input_bytes, algorithm,
  channel, stage, loop, ring_step, part
)
SELECT
  s.id, s.trace_id, s.track_id, s.ts, s.dur, s.name, c.side, c.kind, c.tensors, b.bytes,
  CASE WHEN c.ring_step IS NOT NULL THEN a.algorithm END,
  c.channel, c.stage, c.loop, c.ring_step, c.part
FROM scratch.communication AS c
JOIN scratch.slice_order AS o ON o.seq = c.seq
JOIN slice AS s ON s.id = getvariable('first_id') + o.slice_n
LEFT JOIN (
  SELECT c.seq, sum(t.n_elements * bytes_of(t.data_type))::BIGINT AS bytes
  FROM scratch.communication_tensor AS c
  JOIN scratch.local_tensor AS t ON t.tensor_id = c.tensor_id
  GROUP BY c.seq
) AS b ON b.seq = c.seq
CROSS JOIN (SELECT min(algorithm) AS algorithm FROM scratch.topology) AS a
ORDER BY s.id;

INSERT INTO collective_tensor BY NAME
SELECT
  getvariable('first_id') + o.slice_n AS slice_id,
  getvariable('trace_id') AS trace_id,
  c.ordinal,
  c.tensor_id,
  coalesce(t.name, c.text) AS name,
  t.n_elements * bytes_of(t.data_type) AS bytes
FROM scratch.communication_tensor AS c
JOIN scratch.slice_order AS o ON o.seq = c.seq
LEFT JOIN scratch.local_tensor AS t ON t.tensor_id = c.tensor_id
ORDER BY slice_id, c.ordinal;

INSERT INTO communication_edge
SELECT getvariable('trace_id'), algorithm, channel, from_rank, to_rank
FROM scratch.topology
ORDER BY ALL;

-- Processes of dPRO are called host0.rank1: the name of the local graph.
INSERT INTO graph (id, trace_id, kind, name, format_version, attributes_json)
SELECT
  getvariable('first_id'), getvariable('trace_id'), 'dpro', worker || '.rank' || gpu, NULL,
  CASE
    WHEN EXISTS (FROM scratch.platform WHERE name = 'mxnet') THEN '{"platform": "mxnet"}'
    WHEN EXISTS (FROM scratch.operation_step) THEN '{"platform": "tensorflow1"}'
    ELSE (SELECT to_json({'model_name': name})::VARCHAR FROM scratch.model WHERE name IS NOT NULL)
  END
FROM scratch.member;

INSERT INTO graph_node (id, trace_id, graph_id, node_id, name, type, inputs_json, outputs_json)
SELECT
  getvariable('first_id') + n, getvariable('trace_id'), getvariable('first_id'), n, name, type,
  inputs_json, outputs_json
FROM scratch.local_node
ORDER BY n;

INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT
  getvariable('first_id') + n, getvariable('trace_id'), getvariable('first_id'),
  getvariable('first_id') + from_n, getvariable('first_id') + to_n, 'data', ordinal
FROM scratch.local_edge
ORDER BY n;

INSERT INTO tensor (
  id, trace_id, graph_id, tensor_id, n_elements, element_bytes, data_type, shape_json, name
)
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY tensor_id) - 1, getvariable('trace_id'),
  getvariable('first_id'), tensor_id, n_elements, bytes_of(data_type), data_type, shape_json, name
FROM scratch.local_tensor
ORDER BY tensor_id;
