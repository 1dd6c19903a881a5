-- From the records of a rocprofv3 document to activities.
-- In: `record`, `header` (read.py). Out: the tables of gpu_activity/tables.sql.

CREATE TABLE program AS
SELECT
  process_n,
  whole(json_extract_string(text, '$.pid')) AS pid,
  coalesce(json_extract_string(text, '$.pid'), 'process ' || process_n) AS process
FROM (SELECT process_n, any_value(text) AS text FROM header WHERE section = 'metadata' GROUP BY ALL)
WHERE json_valid(text);

-- Processes without metadata.
INSERT INTO program
SELECT DISTINCT process_n, NULL::BIGINT, 'process ' || process_n
FROM record AS r
ANTI JOIN program AS p USING (process_n);

INSERT INTO process_info (process, pid)
SELECT process, pid FROM program;

-- Names of the numbers of kinds and operations, as this file declares them.
CREATE TABLE spelled AS
SELECT DISTINCT ON (process_n, which, kind, operation)
  process_n,
  which,
  kind_n - 1 AS kind,
  json_extract_string(kind_json, '$.kind') AS kind_name,
  unnest(coalesce(nullif(operations, []), [NULL])) AS operation_name,
  unnest(range(greatest(len(operations), 1))) AS operation
FROM (
  SELECT
    process_n, which, kind_n, list_extract(kinds, kind_n) AS kind_json,
    coalesce(
      TRY(json_transform(json_extract(list_extract(kinds, kind_n), '$.operations'), '["VARCHAR"]')), []
    ) AS operations
  FROM (
    SELECT process_n, which, kinds, unnest(range(1, len(kinds) + 1)) AS kind_n
    FROM (
      SELECT
        process_n,
        which,
        coalesce(TRY(json_transform(json_extract(text, '$.' || which), '["JSON"]')), []) AS kinds
      FROM header
      CROSS JOIN (VALUES ('buffer_records'), ('callback_records')) AS w(which)
      WHERE section = 'strings' AND json_valid(text)
    )
  )
);

CREATE TABLE message AS
SELECT process_n, m.key AS correlation_id, any_value(m.value) AS text
FROM (
  SELECT
    process_n,
    unnest(coalesce(
      TRY(json_transform(
        json_extract(text, '$.marker_api'), '[{"key":"BIGINT","value":"VARCHAR"}]'
      )),
      []
    )) AS m
  FROM header
  WHERE section = 'strings' AND json_valid(text)
)
GROUP BY ALL;

CREATE TABLE agent AS
SELECT
  process_n,
  seq,
  id.handle AS handle,
  coalesce(node_id::VARCHAR, id.handle) AS device,
  type,
  node_id,
  name,
  product_name,
  vendor_name,
  cu_count,
  max_engine_clk_fcompute,
  mem_banks,
  uuid,
  text
FROM (
  SELECT
    process_n,
    seq,
    text,
    unnest(TRY(json_transform(
      text,
      '{"id":{"handle":"VARCHAR"},"type":"BIGINT","node_id":"BIGINT","name":"VARCHAR",
        "product_name":"VARCHAR","vendor_name":"VARCHAR","cu_count":"BIGINT",
        "max_engine_clk_fcompute":"DOUBLE","mem_banks":[{"size_in_bytes":"BIGINT"}],
        "uuid":{"bytes":"JSON"}}'
    )))
  FROM record
  WHERE section = 'agents'
)
QUALIFY handle IS NULL OR row_number() OVER (PARTITION BY process_n, handle ORDER BY seq) = 1;

INSERT INTO device_info (
  device, kind, ordinal, name, vendor, uuid, memory_bytes, n_compute_units, clock_hz,
  properties_json
)
SELECT
  device,
  CASE type WHEN 1 THEN 'cpu' WHEN 2 THEN 'gpu' ELSE 'agent' END,
  node_id,
  coalesce(nullif(product_name, ''), name),
  CASE WHEN type = 2 THEN vendor_name END,
  CASE WHEN type = 2 THEN nullif(lower(array_to_string(
    list_transform(
      json_extract_string(uuid.bytes, '$.*'), lambda b: printf('%02x', whole(b) & 255)
    ), ''
  )), repeat('00', 16)) END,
  list_sum(list_transform(mem_banks, lambda b: b.size_in_bytes))::BIGINT,
  cu_count,
  nullif(max_engine_clk_fcompute, 0) * 1e6,
  -- of the many caches and links all are alike
  json_merge_patch(text, '{"caches":null,"io_links":null}')::VARCHAR
FROM agent
QUALIFY row_number() OVER (PARTITION BY device ORDER BY seq) = 1;

CREATE TABLE symbol AS
SELECT
  process_n,
  k.kernel_id,
  any_value(coalesce(
    nullif(k.formatted_kernel_name, ''), nullif(k.demangled_kernel_name, ''), k.kernel_name
  )) AS name,
  any_value(k.arch_vgpr_count) AS arch_vgpr_count,
  any_value(k.accum_vgpr_count) AS accum_vgpr_count,
  any_value(k.sgpr_count) AS sgpr_count
FROM (
  SELECT
    process_n,
    TRY(json_transform(
      text,
      '{"kernel_id":"BIGINT","formatted_kernel_name":"VARCHAR","demangled_kernel_name":"VARCHAR",
        "kernel_name":"VARCHAR","arch_vgpr_count":"BIGINT","accum_vgpr_count":"BIGINT",
        "sgpr_count":"BIGINT"}'
    )) AS k
  FROM record
  WHERE section = 'kernel_symbols'
)
GROUP BY ALL;

-- Values of records in any of the lists of buffer_records.
CREATE TABLE buffered AS
SELECT
  b.*,
  p.process,
  s.kind_name,
  s.operation_name
FROM (
  SELECT
    seq,
    process_n,
    section[16:] AS section,
    unnest(TRY(json_transform(
      text,
      '{"kind":"BIGINT","operation":"BIGINT","thread_id":"BIGINT",
        "correlation_id":{"internal":"BIGINT","external":"BIGINT"},
        "start_timestamp":"BIGINT","end_timestamp":"BIGINT",
        "dispatch_info":{"agent_id":{"handle":"VARCHAR"},"queue_id":{"handle":"BIGINT"},
          "kernel_id":"BIGINT","dispatch_id":"BIGINT","private_segment_size":"BIGINT",
          "group_segment_size":"BIGINT","workgroup_size":{"x":"BIGINT","y":"BIGINT","z":"BIGINT"},
          "grid_size":{"x":"BIGINT","y":"BIGINT","z":"BIGINT"}},
        "stream_id":{"handle":"BIGINT"},"src_agent_id":{"handle":"VARCHAR"},
        "dst_agent_id":{"handle":"VARCHAR"},"agent_id":{"handle":"VARCHAR"},
        "queue_id":{"handle":"BIGINT"},"bytes":"BIGINT","allocation_size":"BIGINT",
        "address":"JSON","flags":"BIGINT","args":"JSON"}'
    )))
  FROM record
  WHERE starts_with(section, 'buffer_records.') AND section NOT LIKE '%.pc\_sample%' ESCAPE '\'
) AS b
JOIN program AS p USING (process_n)
LEFT JOIN spelled AS s
  ON s.process_n = b.process_n AND s.which = 'buffer_records' AND s.kind = b.kind
  AND s.operation = b.operation;

INSERT INTO activity BY NAME
SELECT
  b.seq,
  'kernel' AS kind,
  'kernel' AS category,
  coalesce(k.name, 'kernel ' || b.dispatch_info.kernel_id) AS name,
  b.start_timestamp AS start_ns,
  b.end_timestamp AS end_ns,
  b.process,
  coalesce(a.device, b.dispatch_info.agent_id.handle, '?') AS device,
  'queue ' || b.dispatch_info.queue_id.handle AS track_name,
  b.dispatch_info.queue_id.handle AS stream,
  b.correlation_id.internal AS correlation_id,
  nullif(b.correlation_id.external, 0) AS external_id,
  blocks(b.dispatch_info.grid_size.x, b.dispatch_info.workgroup_size.x) AS grid_x,
  blocks(b.dispatch_info.grid_size.y, b.dispatch_info.workgroup_size.y) AS grid_y,
  blocks(b.dispatch_info.grid_size.z, b.dispatch_info.workgroup_size.z) AS grid_z,
  b.dispatch_info.workgroup_size.x AS block_x,
  b.dispatch_info.workgroup_size.y AS block_y,
  b.dispatch_info.workgroup_size.z AS block_z,
  k.arch_vgpr_count AS registers,
  b.dispatch_info.group_segment_size AS shared_memory_bytes,
  b.process_n || ' ' || b.dispatch_info.dispatch_id AS dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || b.dispatch_info.dispatch_id,
    '"kernel_id":' || b.dispatch_info.kernel_id,
    '"thread_id":' || b.thread_id,
    '"stream_id":' || b.stream_id.handle,
    '"scratch_bytes":' || b.dispatch_info.private_segment_size,
    '"accum_vgpr":' || k.accum_vgpr_count,
    '"sgpr":' || k.sgpr_count
  )) AS args_json
FROM buffered AS b
LEFT JOIN agent AS a ON a.process_n = b.process_n AND a.handle = b.dispatch_info.agent_id.handle
LEFT JOIN symbol AS k ON k.process_n = b.process_n AND k.kernel_id = b.dispatch_info.kernel_id
WHERE b.section = 'kernel_dispatch';

INSERT INTO activity BY NAME
SELECT
  b.seq,
  'memcpy' AS kind,
  'gpu_memcpy' AS category,
  coalesce(b.operation_name, 'MEMORY_COPY') AS name,
  b.start_timestamp AS start_ns,
  b.end_timestamp AS end_ns,
  b.process,
  coalesce(
    CASE WHEN d.type = 2 THEN d.device END,
    CASE WHEN s.type = 2 THEN s.device END,
    b.dst_agent_id.handle,
    '?'
  ) AS device,
  'copies' || coalesce(' of stream ' || b.stream_id.handle, '') AS track_name,
  b.correlation_id.internal AS correlation_id,
  nullif(b.correlation_id.external, 0) AS external_id,
  b.bytes,
  copy_direction(b.operation_name) AS direction,
  json_of(concat_ws(',',
    '"thread_id":' || b.thread_id,
    '"stream_id":' || b.stream_id.handle,
    '"source_agent":' || quoted(coalesce(s.device, b.src_agent_id.handle)),
    '"destination_agent":' || quoted(coalesce(d.device, b.dst_agent_id.handle))
  )) AS args_json
FROM buffered AS b
LEFT JOIN agent AS s ON s.process_n = b.process_n AND s.handle = b.src_agent_id.handle
LEFT JOIN agent AS d ON d.process_n = b.process_n AND d.handle = b.dst_agent_id.handle
WHERE b.section = 'memory_copy';

-- All other records are of threads. The name of a marker is its function; its message is in `strings`.
INSERT INTO activity BY NAME
SELECT
  b.seq,
  CASE
    WHEN b.section = 'marker_api' THEN 'range'
    WHEN b.section = 'rccl_api' AND communication_of(b.operation_name) IS NOT NULL THEN 'collective'
    WHEN b.section IN ('hip_api', 'hsa_api') THEN 'call'
    ELSE 'other'
  END AS kind,
  CASE b.section
    WHEN 'marker_api' THEN 'user_annotation'
    WHEN 'hip_api' THEN 'hip_runtime'
    WHEN 'hsa_api' THEN 'hsa_driver'
    ELSE b.section
  END AS category,
  coalesce(m.text, b.operation_name, b.section || coalesce(' ' || b.operation, '')) AS name,
  b.start_timestamp AS start_ns,
  b.end_timestamp AS end_ns,
  b.process,
  b.thread_id AS thread,
  b.correlation_id.internal AS correlation_id,
  nullif(b.correlation_id.external, 0) AS external_id,
  CASE WHEN b.section = 'marker_api' THEN b.kind_name END AS domain,
  json_of(concat_ws(',',
    '"domain":' || quoted(b.kind_name),
    '"operation":' || quoted(CASE WHEN b.section = 'marker_api' THEN b.operation_name END),
    '"correlation_id":' || b.correlation_id.internal,
    '"stream_id":' || b.stream_id.handle,
    '"agent":' || quoted(b.agent_id.handle),
    '"queue":' || b.queue_id.handle,
    '"bytes":' || b.allocation_size,
    '"flags":' || b.flags,
    '"args":' || quoted(b.args)
  )) AS args_json
FROM buffered AS b
LEFT JOIN message AS m
  ON b.section = 'marker_api' AND m.process_n = b.process_n
  AND m.correlation_id = b.correlation_id.internal
WHERE b.section NOT IN ('kernel_dispatch', 'memory_copy', 'memory_allocation');

-- A release has neither size nor device: those of the last allocation at its address are used.
INSERT INTO activity BY NAME
SELECT
  seq,
  'memory' AS kind,
  'memory' AS category,
  coalesce(operation_name, 'MEMORY_ALLOCATION') AS name,
  start_timestamp AS start_ns,
  end_timestamp AS end_ns,
  process,
  thread_id AS thread,
  correlation_id.internal AS correlation_id,
  CASE WHEN is_release THEN minus(coalesce(
    nullif(allocation_size, 0),
    lag(CASE WHEN NOT is_release THEN allocation_size END) OVER same_address
  )) ELSE allocation_size END AS bytes,
  place AS address,
  CASE coalesce(type, lag(type) OVER same_address) WHEN 1 THEN 'cpu' WHEN 2 THEN 'hip' END
    AS device_kind,
  CASE coalesce(type, lag(type) OVER same_address)
    WHEN 1 THEN -1 ELSE coalesce(node_id, lag(node_id) OVER same_address) END AS device_ordinal,
  json_of(concat_ws(',',
    '"correlation_id":' || correlation_id.internal,
    '"address":' || quoted(place),
    '"bytes":' || allocation_size,
    '"agent":' || quoted(device)
  )) AS args_json
FROM (
  SELECT
    b.*,
    a.device,
    a.type,
    a.node_id,
    b.operation_name LIKE '%FREE%' AS is_release,
    address_of(coalesce(
      json_extract_string(b.address, '$.handle'),
      json_extract_string(b.address, '$.value'),
      b.address ->> '$'
    )) AS place
  FROM buffered AS b
  LEFT JOIN agent AS a ON a.process_n = b.process_n AND a.handle = b.agent_id.handle
  WHERE b.section = 'memory_allocation'
)
WINDOW same_address AS (PARTITION BY process_n, place ORDER BY start_timestamp, seq);

-- Counters: a value for each instance of a counter; what is kept is their sum over the dispatch, as in
-- the profiler's own tables.
CREATE TABLE counted AS
SELECT c.*, p.process
FROM (
  SELECT
    process_n,
    seq,
    unnest(TRY(json_transform(
      text,
      '{"thread_id":"BIGINT","arch_vgpr_count":"BIGINT","accum_vgpr_count":"BIGINT",
        "sgpr_count":"BIGINT","lds_block_size_v":"BIGINT",
        "dispatch_data":{"correlation_id":{"internal":"BIGINT"},"start_timestamp":"BIGINT",
          "end_timestamp":"BIGINT",
          "dispatch_info":{"agent_id":{"handle":"VARCHAR"},"queue_id":{"handle":"BIGINT"},
          "kernel_id":"BIGINT","dispatch_id":"BIGINT","private_segment_size":"BIGINT",
          "group_segment_size":"BIGINT","workgroup_size":{"x":"BIGINT","y":"BIGINT","z":"BIGINT"},
          "grid_size":{"x":"BIGINT","y":"BIGINT","z":"BIGINT"}}},
        "records":[{"counter_id":{"handle":"VARCHAR"},"value":"DOUBLE"}]}'
    )))
  FROM record
  WHERE section IN ('callback_records.counter_collection', 'buffer_records.counter_collection')
) AS c
JOIN program AS p USING (process_n);

CREATE TABLE counted_dispatch AS
SELECT
  c.* EXCLUDE (records, dispatch_data),
  c.dispatch_data.correlation_id.internal AS correlation,
  nullif(c.dispatch_data.start_timestamp, 0) AS start_ns,
  nullif(c.dispatch_data.end_timestamp, 0) AS end_ns,
  c.dispatch_data.dispatch_info AS d,
  c.process_n || ' ' || c.dispatch_data.dispatch_info.dispatch_id AS dispatch,
  coalesce(a.device, c.dispatch_data.dispatch_info.agent_id.handle, '?') AS device,
  coalesce(k.name, 'kernel ' || c.dispatch_data.dispatch_info.kernel_id) AS name
FROM counted AS c
LEFT JOIN agent AS a
  ON a.process_n = c.process_n AND a.handle = c.dispatch_data.dispatch_info.agent_id.handle
LEFT JOIN symbol AS k
  ON k.process_n = c.process_n AND k.kernel_id = c.dispatch_data.dispatch_info.kernel_id
ANTI JOIN (SELECT dispatch FROM activity WHERE kind = 'kernel') AS t
  ON t.dispatch = c.process_n || ' ' || c.dispatch_data.dispatch_info.dispatch_id
QUALIFY row_number() OVER (
  PARTITION BY c.process_n, c.dispatch_data.dispatch_info.dispatch_id ORDER BY c.seq
) = 1;

INSERT INTO activity BY NAME
SELECT
  seq,
  'kernel' AS kind,
  'kernel' AS category,
  name,
  start_ns,
  end_ns,
  process,
  device,
  'queue ' || d.queue_id.handle AS track_name,
  d.queue_id.handle AS stream,
  correlation AS correlation_id,
  blocks(d.grid_size.x, d.workgroup_size.x) AS grid_x,
  blocks(d.grid_size.y, d.workgroup_size.y) AS grid_y,
  blocks(d.grid_size.z, d.workgroup_size.z) AS grid_z,
  d.workgroup_size.x AS block_x,
  d.workgroup_size.y AS block_y,
  d.workgroup_size.z AS block_z,
  arch_vgpr_count AS registers,
  coalesce(lds_block_size_v, d.group_segment_size) AS shared_memory_bytes,
  dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || d.dispatch_id,
    '"kernel_id":' || d.kernel_id,
    '"thread_id":' || thread_id,
    '"scratch_bytes":' || d.private_segment_size,
    '"accum_vgpr":' || accum_vgpr_count,
    '"sgpr":' || sgpr_count
  )) AS args_json
FROM counted_dispatch
WHERE start_ns IS NOT NULL;

INSERT INTO leftover
SELECT
  row_number() OVER (ORDER BY seq) - 1,
  'dispatch',
  json_object('dispatch_id', d.dispatch_id, 'kernel_name', name, 'agent', device,
    'grid_size', d.grid_size, 'workgroup_size', d.workgroup_size)::VARCHAR
FROM counted_dispatch
WHERE start_ns IS NULL;

INSERT INTO figure
SELECT
  min(v.seq),
  v.dispatch,
  NULL,
  v.dispatch_id,
  coalesce(n.name, 'counter ' || v.handle),
  sum(v.value),
  NULL
FROM (
  SELECT
    seq,
    process_n,
    process_n || ' ' || dispatch_data.dispatch_info.dispatch_id AS dispatch,
    dispatch_data.dispatch_info.dispatch_id,
    dispatch_data.dispatch_info.agent_id.handle AS agent_handle,
    r.counter_id.handle AS handle,
    r.value
  FROM (SELECT *, unnest(records) AS r FROM counted)
) AS v
LEFT JOIN (
  SELECT process_n, c.id.handle AS handle, any_value(c.name) AS name
  FROM (
    SELECT
      process_n, TRY(json_transform(text, '{"id":{"handle":"VARCHAR"},"name":"VARCHAR"}')) AS c
    FROM record
    WHERE section = 'counters'
  )
  GROUP BY ALL
) AS n ON n.process_n = v.process_n AND n.handle = v.handle
GROUP BY v.dispatch, v.dispatch_id, n.name, v.handle;

INSERT INTO not_used
SELECT 'dispatches without a time', count(*) FROM leftover
UNION ALL
SELECT 'program counter samples', count(*) FROM record WHERE section LIKE '%pc\_sample%' ESCAPE '\';

INSERT INTO defect
SELECT 'no_timestamps', 'note', count(*),
  'dispatches with counters but without times; their values are not attached to a slice'
FROM leftover
UNION ALL
SELECT 'unknown_kernel', 'warning', count(*), 'kernels without a name'
FROM activity
WHERE kind = 'kernel' AND regexp_full_match(name, 'kernel \d+');

-- A counter's value is a figure; a dispatch that only counters name is a record, too.
INSERT INTO record_count
SELECT section, count(*)
FROM record
WHERE starts_with(section, 'buffer_records.')
  OR section LIKE '%pc\_sample%' ESCAPE '\'
  OR (starts_with(section, 'callback_records.') AND section <> 'callback_records.counter_collection')
GROUP BY section
UNION ALL
SELECT 'values of counters', coalesce(sum(len(records)), 0)::BIGINT FROM counted
UNION ALL
SELECT 'dispatches with counters alone', count(*) FROM counted_dispatch;

INSERT INTO merged
SELECT 'values of other instances of a counter', count(*) - count(DISTINCT (dispatch, handle))
FROM (
  SELECT
    process_n || ' ' || dispatch_data.dispatch_info.dispatch_id AS dispatch,
    unnest(records).counter_id.handle AS handle
  FROM counted
);

INSERT INTO not_used
SELECT 'callback records of other kinds', count(*)
FROM record
WHERE starts_with(section, 'callback_records.')
  AND section <> 'callback_records.counter_collection'
  AND section NOT LIKE '%pc\_sample%' ESCAPE '\';
