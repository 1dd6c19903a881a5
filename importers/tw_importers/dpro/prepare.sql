-- Devices, communication and the local graph of a rank, without any lock.
-- In: tables of trace_event/prepare.sql, documents.sql and read.py. Out: `communication`,
-- `communication_tensor`, `local_node`, `local_edge`, `local_tensor`, and rows of `stream_number`,
-- `device_number`, `derived`, `problem`.

INSERT INTO device_number (device_n, kind, ordinal, name)
SELECT row_number() OVER (ORDER BY ordinal) - 1, 'gpu', ordinal, 'GPU ' || ordinal
FROM (SELECT DISTINCT ordinal FROM operation_thread WHERE ordinal IS NOT NULL);

INSERT INTO stream_number (track_n, device_n, stream)
SELECT p.track_n, d.device_n, t.stream
FROM operation_thread AS t
JOIN track_number AS p ON p.pid = t.pid AND p.tid = t.tid
JOIN device_number AS d ON d.ordinal = t.ordinal
WHERE t.stream IS NOT NULL AND p.has_slices;

-- One row for each recorded stage of a collective. Horovod's tensors are its processes, as in
-- horovod_allreduce.12_0; on its process Sync the tensor is the name of the event. NCCL's names are
-- Comm.12+13.SEND.
CREATE TABLE communication AS
WITH named AS (
  SELECT e.seq, r.document, e.args, e.name, m.display_name
  FROM event_row AS e
  JOIN event_kind AS k ON k.kind = e.kind
  JOIN document_range AS r ON e.seq BETWEEN r.first_seq AND r.first_seq + r.n - 1
  LEFT JOIN thread_metadata AS m
    ON m.name = 'thread_name' AND m.pid = k.pid AND m.tid = k.tid AND r.document = 'horovod'
  WHERE r.document IN ('horovod', 'nccl') AND k.ph IN ('X', 'B')
)
SELECT
  seq,
  'host' AS side,
  lower(nullif(regexp_extract(display_name, '(?i)horovod_?([a-z_]*)\.', 1), '')) AS kind,
  CASE WHEN contains(display_name, 'Sync') THEN 'Sync' ELSE name END AS stage,
  CASE
    WHEN contains(display_name, 'Sync') THEN name
    ELSE split_part(split_part(display_name, '.', 2), '_', 1)
  END AS tensors,
  coalesce(nullif(regexp_extract(display_name, '^[^.]*\.(.*)$', 1), ''), name) AS tensor_text,
  NULL::BIGINT AS loop,
  NULL::BIGINT AS channel,
  NULL::BIGINT AS ring_step,
  NULL::BIGINT AS part
FROM named
WHERE document = 'horovod'
UNION ALL
SELECT
  seq,
  'host',
  lower(stage),
  stage,
  tensors,
  tensors,
  TRY_CAST(json_extract_string(args, '$.loopId') AS BIGINT),
  TRY_CAST(json_extract_string(args, '$.channelId') AS BIGINT),
  TRY_CAST(json_extract_string(args, '$.chunkId') AS BIGINT),
  TRY_CAST(json_extract_string(args, '$.sliceId') AS BIGINT)
FROM (
  SELECT
    seq,
    args,
    nullif(regexp_extract(plain, '\.(SEND|RECV)$', 1), '') AS stage,
    nullif(regexp_extract(plain, '([^.]*)\.(?:SEND|RECV)$', 1), '') AS tensors
  FROM (
    SELECT seq, args, regexp_replace(name, '<<.*?>>', '', 'g') AS plain
    FROM named
    WHERE document = 'nccl'
  )
);

-- The tensors of each, in the order of their numbers.
CREATE TABLE communication_tensor AS
SELECT seq, row_number() OVER (PARTITION BY seq ORDER BY tensor_id, text) - 1 AS ordinal, tensor_id, text
FROM (
  SELECT seq, TRY_CAST(text AS BIGINT) AS tensor_id,
    CASE WHEN TRY_CAST(text AS BIGINT) IS NULL THEN tensor_text ELSE text END AS text
  FROM (SELECT seq, tensor_text, unnest(string_split(tensors, '+')) AS text FROM communication)
);

-- The local graph: that of the trial, else tensors that one operator writes and another reads.
CREATE TABLE local_node AS
WITH label AS (
  SELECT row_number() OVER () - 1 AS n, label AS name FROM graph_label
),
node AS (
  SELECT n, name FROM label
  UNION ALL
  SELECT row_number() OVER () - 1, name FROM operator WHERE NOT EXISTS (FROM label)
)
SELECT n.n, n.name, o.type, o.inputs_json, o.outputs_json
FROM node AS n
LEFT JOIN operator AS o ON o.name = n.name
ORDER BY n.n;

CREATE TABLE operator_tensor AS
SELECT n, name, is_output, t.name AS tensor, t.shape, t.dtype, ordinal
FROM (
  SELECT
    row_number() OVER () - 1 AS n,
    name,
    unnest([false, true]) AS is_output,
    unnest([TRY(inputs_json), TRY(outputs_json)]) AS text
  FROM operator
)
CROSS JOIN LATERAL (
  SELECT unnest(x) AS t, generate_subscripts(x, 1) AS ordinal
  FROM (SELECT TRY(from_json(text, '[{"name": "VARCHAR", "shape": ["BIGINT"], "dtype": "VARCHAR"}]')) AS x)
);

CREATE TABLE local_edge AS
SELECT
  row_number() OVER () - 1 AS n,
  from_n,
  to_n,
  row_number() OVER (PARTITION BY to_n ORDER BY position) - 1 AS ordinal
FROM (
  SELECT row_number() OVER () AS position, from_n, to_n FROM graph_pair
  UNION ALL
  SELECT row_number() OVER (ORDER BY i.n, i.ordinal, o.n), o.n, i.n
  FROM operator_tensor AS o
  JOIN operator_tensor AS i ON i.tensor = o.tensor AND NOT i.is_output AND i.n <> o.n
  WHERE o.is_output AND NOT EXISTS (FROM graph_label)
)
ORDER BY position;

-- Gradients with their sizes, which operators state where they write them.
CREATE TABLE local_tensor AS
SELECT
  t.tensor_id,
  t.name,
  any_value(o.dtype) AS data_type,
  any_value(to_json(o.shape)::VARCHAR) AS shape_json,
  any_value(CASE WHEN len(list_filter(o.shape, lambda s: s < 0)) = 0
    THEN TRY_CAST(list_product(o.shape) AS BIGINT) END) AS n_elements
FROM tensor_name AS t
LEFT JOIN operator_tensor AS o ON o.tensor = t.name
GROUP BY t.tensor_id, t.name
ORDER BY t.tensor_id;

INSERT INTO derived BY NAME
SELECT 0 AS trace_n, 'graph_node' AS table_name, count(*) AS n FROM local_node;

INSERT INTO problem BY NAME
SELECT 0 AS trace_n, 'unnamed_tensor' AS kind, 'warning' AS severity,
  count(DISTINCT tensor_id) AS count,
  'numbers of tensors that the list of gradients does not have' AS meaning
FROM communication_tensor
ANTI JOIN tensor_name USING (tensor_id)
WHERE EXISTS (FROM tensor_name) AND tensor_id IS NOT NULL
UNION ALL
SELECT 0, 'unknown_communication', 'note', count(*),
  'communication events whose name does not tell tensor and stage'
FROM communication
WHERE stage IS NULL OR tensors IS NULL
UNION ALL
SELECT 0, 'ring_without_next', 'warning', count(*),
  'rings in which the topology names no rank that this one sends to, or none that it receives from'
FROM (
  SELECT channel
  FROM topology AS t
  CROSS JOIN (SELECT mode(rank) AS rank FROM (SELECT from_rank AS rank FROM topology UNION ALL SELECT to_rank FROM topology)) AS r
  WHERE algorithm = 'ring'
  GROUP BY channel
  HAVING NOT bool_or(t.from_rank = r.rank) OR NOT bool_or(t.to_rank = r.rank)
)
UNION ALL
SELECT 0, 'missing_step', 'warning', coalesce(max(step) - min(step) + 1 - count(DISTINCT step), 0),
  'numbers of steps between the first and the last that no operator has'
FROM (
  SELECT TRY_CAST(json_extract_string(args, '$.group_id') AS BIGINT) AS step
  FROM event
  WHERE ph = 'X' AND cat = 'cpu_op'
)
UNION ALL
SELECT 0, 'missing_operator', 'warning', count(*),
  'operators of the graph, of which the recording has none on a GPU: a replay has nothing to simulate'
FROM local_node
WHERE NOT EXISTS (FROM event WHERE cat = 'cpu_op');
