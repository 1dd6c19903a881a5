-- From prepared dumps to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32), of the first trace.

INSERT INTO process (id, trace_id, name)
SELECT
  getvariable('first_id') + (trace_n << 32), getvariable('trace_id') + trace_n, 'process groups'
FROM scratch.source_trace
ORDER BY trace_n;

INSERT INTO track (id, trace_id, kind, name, process_id)
SELECT
  getvariable('first_id') + track_n,
  getvariable('trace_id') + trace_n,
  'async',
  concat_ws(' ', nullif(nullif(group_description, ''), 'undefined'), coalesce(group_name, group_number::VARCHAR)),
  getvariable('first_id') + (trace_n << 32)
FROM scratch.track_number
ORDER BY track_n;

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, is_leaf
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id') + s.trace_n,
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  'collective',
  s.name,
  n.depth,
  getvariable('first_id') + n.parent_n,
  s.args,
  n.is_leaf
FROM scratch.span AS s
JOIN scratch.nest AS n ON n.entry_n = s.slice_n
ORDER BY s.slice_n;

-- Names are backend:operation, of sends and receives with the ranks in the group: nccl:send 0->1.
INSERT INTO recorded_collective
SELECT
  getvariable('first_id') + slice_n,
  getvariable('trace_id') + trace_n,
  getvariable('first_id') + track_n,
  ts,
  dur,
  name,
  record_id,
  group_number,
  group_name,
  group_description,
  nullif(regexp_extract(name, '^([a-z0-9]+):', 1), ''),
  split_part(regexp_replace(name, '^[a-z0-9]+:', ''), ' ', 1),
  CASE
    WHEN name LIKE '%send %' THEN TRY_CAST(regexp_extract(name, '->(\d+)', 1) AS BIGINT)
    WHEN name LIKE '%recv %' THEN TRY_CAST(regexp_extract(name, '<-(\d+)', 1) AS BIGINT)
  END,
  is_p2p,
  sequence_number,
  op_number,
  state,
  is_retired,
  started_ts,
  completed_ts,
  TRY_CAST(round(duration_ms * 1e6) AS BIGINT),
  TRY(timeout_ms * 1000000),
  input_sizes,
  input_types,
  output_sizes,
  output_types,
  getvariable('first_id') + (trace_n << 32) + stack_n
FROM scratch.span
ORDER BY slice_n;

INSERT INTO call_frame
SELECT
  getvariable('first_id') + (trace_n << 32) + stack_n,
  getvariable('trace_id') + trace_n,
  depth,
  file,
  line,
  function,
  NULL
FROM scratch.frame
ORDER BY trace_n, stack_n, depth;

INSERT INTO process_group BY NAME
SELECT
  getvariable('first_id') + (trace_n << 32)
    + row_number() OVER (PARTITION BY trace_n ORDER BY name, ranks) - 1 AS id,
  getvariable('trace_id') + trace_n AS trace_id,
  name,
  description,
  len(ranks) AS n_ranks,
  to_json(ranks)::VARCHAR AS ranks_json,
  args AS attributes_json
FROM (
  SELECT
    trace_n,
    coalesce(json_extract_string(args, '$.name'), name) AS name,
    json_extract_string(args, '$.desc') AS description,
    TRY_CAST(json_extract_string(args, '$.ranks') AS BIGINT[]) AS ranks,
    args
  FROM scratch.group_config
)
-- Libraries that do not record members leave one entry without a name.
WHERE name <> '' OR len(ranks) > 0
ORDER BY id;

-- -1 stands for none. JSON has the numbers as text.
INSERT INTO process_group_status
SELECT
  getvariable('trace_id') + trace_n,
  TRY_CAST(number AS BIGINT),
  nullif(TRY_CAST(json_extract_string(args, '$.last_enqueued_collective') AS BIGINT), -1),
  nullif(TRY_CAST(json_extract_string(args, '$.last_started_collective') AS BIGINT), -1),
  nullif(TRY_CAST(json_extract_string(args, '$.last_completed_collective') AS BIGINT), -1)
FROM scratch.group_status
ORDER BY trace_n, number;
