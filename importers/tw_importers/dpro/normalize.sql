-- Detail rows and the local graph of a rank, inside the transaction of the import; runs after the
-- scripts of trace_event. Variables: trace_id, first_id (= trace_id << 32).

UPDATE process SET name = json_extract_string(source_pid, '$')
WHERE trace_id = getvariable('trace_id') AND source_pid IN ('"Horovod"', '"NCCL"', '"I/O"');

INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT
  id, trace_id, track_id, ts, dur, name,
  TRY_CAST(json_extract_string(args_json, '$.group_id') AS BIGINT)
FROM slice
WHERE trace_id = getvariable('trace_id') AND category = 'cpu_op'
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
INSERT INTO graph (id, trace_id, kind, name, format_version)
SELECT getvariable('first_id'), getvariable('trace_id'), 'dpro', worker || '.rank' || gpu, NULL
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
