-- From executions of operations to activities.
-- In: the tables of read.py. Out: gpu_activity/tables.sql; `received`, `taken`: by seq.

-- Operations by the devices they ran on. Every record of a stream of a GPU is repeated in `stream:all`.
CREATE TABLE placed AS
SELECT
  n.seq,
  regexp_replace(n.device, '/(stream:.*|memcpy)$', '') AS device,
  nullif(regexp_extract(n.device, '/(stream:.*|memcpy)$', 1), '') AS track_name,
  n.name,
  n.label,
  coalesce(nullif(n.thread_id, 0), n.lane_n) AS thread,
  n.start_ns,
  n.start_ns + coalesce(n.end_ns, 0) AS end_ns,
  n.op_start_ns,
  n.op_end_ns,
  n.scheduled_ns,
  -- "fc/MatMul = MatMul(x, fc/weights)"
  regexp_extract(
    n.label, '^(.*?) = (\w+)\((.*?)\)(?: @.*)?$', ['node', 'operation', 'inputs']
  ) AS parsed
FROM node AS n
WHERE n.device NOT LIKE '%/stream:all';

CREATE TABLE shown AS
SELECT
  p.*,
  coalesce(nullif(parsed.operation, ''), name) AS operation,
  starts_with(label, '[') AND name = 'RecvTensor' AS is_receive,
  CASE
    WHEN track_name IS NULL THEN 'operator'
    WHEN track_name = 'memcpy' OR name ILIKE '%memcpy%' OR label ILIKE 'memcpy%' THEN 'memcpy'
    WHEN name ILIKE '%memset%' OR label ILIKE 'memset%' THEN 'memset'
    ELSE 'kernel'
  END AS kind
FROM placed AS p;

INSERT INTO process_info
SELECT device, NULL, device, NULL FROM shown GROUP BY device;

INSERT INTO thread_info
SELECT regexp_replace(device, '/(stream:.*|memcpy)$', ''), thread_id, any_value(name)
FROM thread_name
WHERE name <> ''
GROUP BY ALL;

INSERT INTO device_info BY NAME
SELECT
  device,
  lower(coalesce(nullif(regexp_extract(device, '([A-Za-z]+):\d+$', 1), ''), 'gpu')) AS kind,
  whole(regexp_extract(device, ':(\d+)$', 1)) AS ordinal,
  device AS name
FROM shown
WHERE track_name IS NOT NULL
GROUP BY device;

-- Tensors that an operation wrote, and its waits.
CREATE TABLE written AS
SELECT
  seq,
  to_json(list({
    'slot': slot, 'type': type, 'shape': shape, 'bytes': bytes, 'allocator': allocator
  } ORDER BY slot))::VARCHAR AS outputs,
  sum(bytes)::BIGINT AS bytes
FROM output
GROUP BY seq;

INSERT INTO activity BY NAME
SELECT
  s.seq,
  s.kind,
  CASE s.kind
    WHEN 'operator' THEN 'cpu_op' WHEN 'memcpy' THEN 'gpu_memcpy' WHEN 'memset' THEN 'gpu_memset'
    ELSE 'kernel'
  END AS category,
  CASE WHEN s.kind = 'kernel' THEN s.name ELSE s.operation END AS name,
  s.start_ns,
  greatest(s.end_ns, s.start_ns) AS end_ns,
  s.device AS process,
  CASE WHEN s.track_name IS NULL THEN s.thread END AS thread,
  CASE WHEN s.track_name IS NOT NULL THEN s.device END AS device,
  s.track_name,
  whole(regexp_extract(s.track_name, '^stream:(\d+)$', 1)) AS stream,
  CASE WHEN s.kind = 'memcpy' THEN w.bytes END AS bytes,
  CASE WHEN s.kind = 'memcpy' THEN nullif(
    concat_ws('to', nullif(regexp_extract(s.name || s.label, '(?i)memcpy *([HDP])to([HDP])', 1), ''),
      nullif(regexp_extract(s.name || s.label, '(?i)memcpy *([HDP])to([HDP])', 2), '')), ''
  ) END AS direction,
  json_of(concat_ws(',',
    '"node":' || quoted(s.name),
    CASE WHEN s.parsed.node = '' THEN '"label":' || quoted(nullif(s.label, '')) END,
    '"inputs":' || quoted(nullif(s.parsed.inputs, '')),
    '"scheduled_ns":' || (s.start_ns - s.scheduled_ns),
    '"op_start_ns":' || s.op_start_ns,
    '"op_end_ns":' || s.op_end_ns,
    '"outputs":' || w.outputs
  )) AS args_json
FROM shown AS s
LEFT JOIN written AS w USING (seq)
ORDER BY s.seq;

-- "[0.2MB] [4.9Gb/s] edge_12_h from /job:worker/task:1/... to /job:worker/task:0/..."
CREATE TABLE received AS
SELECT
  s.seq,
  m.key AS rpc_key,
  row_number() OVER (PARTITION BY m.key ORDER BY s.start_ns, s.seq) - 1 AS occurrence,
  m.peer,
  w.bytes
FROM (
  SELECT
    seq,
    start_ns,
    regexp_extract(label, '(\S+) from (\S+) to (\S+)$', ['key', 'peer', 'place']) AS m
  FROM shown
  WHERE is_receive
) AS s
LEFT JOIN written AS w USING (seq);

-- Tensors that operations took from others of the same file: names of nodes, `:n` is an output.
CREATE TABLE taken AS
SELECT DISTINCT producer.seq AS from_seq, taker.seq AS to_seq
FROM (
  SELECT
    seq,
    regexp_replace(trim(unnest(string_split(parsed.inputs, ','))), '^\^|:\d+$', '', 'g') AS name
  FROM shown
  WHERE kind = 'operator' AND parsed.inputs <> ''
) AS taker
JOIN shown AS producer ON producer.name = taker.name AND producer.kind = 'operator'
WHERE producer.seq <> taker.seq;

INSERT INTO record_count
SELECT 'operations', count(*) FROM node
UNION ALL
SELECT 'graphs', n FROM unread;

INSERT INTO merged
SELECT 'copies of records in stream:all', count(*) FROM node WHERE device LIKE '%/stream:all';

INSERT INTO not_used
SELECT 'graphs beside the step', n FROM unread;
