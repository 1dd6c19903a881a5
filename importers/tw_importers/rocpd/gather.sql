-- From the tables of a rocpd database to activities.
-- In: the tables of read.py, each with guid, the recording it is of. Out: gpu_activity/tables.sql.

CREATE OR REPLACE TEMP MACRO key_of(guid, id) AS (guid || ' ' || id);

-- What records are described by, once for each key: in a damaged file a row may be there again.
CREATE OR REPLACE TEMP MACRO is_again(guid, id, n) AS (
  row_number() OVER (PARTITION BY guid, id ORDER BY n) > 1
);

CREATE TABLE again AS
SELECT 'rocpd_info_node' AS name, rowid AS n, is_again(guid, id, rowid) AS is_again
FROM rocpd_info_node
UNION ALL
SELECT 'rocpd_info_agent', rowid, is_again(guid, id, rowid) FROM rocpd_info_agent
UNION ALL
SELECT 'rocpd_info_queue', rowid, is_again(guid, id, rowid) FROM rocpd_info_queue
UNION ALL
SELECT 'rocpd_info_pmc', rowid, is_again(guid, id, rowid) FROM rocpd_info_pmc
UNION ALL
SELECT 'rocpd_info_category', rowid, is_again(guid, id, rowid) FROM rocpd_info_category
UNION ALL
SELECT 'rocpd_info_kernel_symbol', rowid, is_again(guid, id, rowid) FROM rocpd_info_kernel_symbol;

DELETE FROM again WHERE NOT is_again;

DELETE FROM rocpd_info_node WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_node');

DELETE FROM rocpd_info_agent WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_agent');

DELETE FROM rocpd_info_queue WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_queue');

DELETE FROM rocpd_info_pmc WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_pmc');

DELETE FROM rocpd_info_category
WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_category');

DELETE FROM rocpd_info_kernel_symbol
WHERE rowid IN (SELECT n FROM again WHERE name = 'rocpd_info_kernel_symbol');

INSERT INTO defect
SELECT 'duplicate_key', 'warning', count(*),
  'rows of ' || name || ' with the key of an earlier row, skipped'
FROM again
GROUP BY name;

-- A machine's device is the same in all recordings.
CREATE TABLE agent AS
SELECT
  a.guid,
  a.id,
  coalesce(n.machine_id, a.guid, '') || ' ' || coalesce(a.absolute_index, a.id) AS device,
  CASE a.type WHEN 'GPU' THEN 'gpu' WHEN 'CPU' THEN 'cpu' ELSE lower(coalesce(a.type, 'agent')) END
    AS kind,
  coalesce(a.absolute_index, a.id) AS ordinal,
  coalesce(nullif(a.product_name, ''), a.name) AS name,
  coalesce(nullif(a.vendor_name, ''), CASE WHEN a.type = 'GPU' THEN 'AMD' END) AS vendor,
  a.uuid,
  CASE WHEN json_valid(a.extdata) THEN a.extdata END AS extdata
FROM rocpd_info_agent AS a
LEFT JOIN rocpd_info_node AS n ON n.guid = a.guid AND n.id = a.nid;

INSERT INTO device_info (
  device, kind, ordinal, name, vendor, uuid, n_compute_units, clock_hz, properties_json
)
SELECT
  device,
  kind,
  ordinal,
  name,
  CASE WHEN kind = 'gpu' THEN vendor END,
  nullif(uuid, '0'),
  whole(json_extract_string(extdata, '$.cu_count')),
  nullif(TRY_CAST(json_extract_string(extdata, '$.max_engine_clk_fcompute') AS DOUBLE), 0) * 1e6,
  CASE WHEN extdata <> '{}' THEN json_merge_patch(extdata, '{"caches":null,"io_links":null}')::VARCHAR
  END
FROM agent;

INSERT INTO process_info
SELECT
  key_of(guid, id),
  pid,
  nullif(command, ''),
  CASE WHEN environment IS NOT NULL AND environment <> '{}'
    THEN json_object('environment', environment)::VARCHAR END
FROM rocpd_info_process;

CREATE TABLE thread_row AS
SELECT guid, id, any_value(tid) AS tid, any_value(name) AS name, any_value(pid) AS pid
FROM rocpd_info_thread
GROUP BY guid, id;

INSERT INTO thread_info
SELECT key_of(guid, pid), tid, nullif(name, '') FROM thread_row;

CREATE TABLE text_of AS
SELECT guid, id, any_value(string) AS value FROM rocpd_string GROUP BY guid, id;

-- An event's stack id is the profiler's correlation id: the call and what it caused share it.
CREATE TABLE event_info AS
SELECT
  e.guid,
  e.id,
  any_value(e.stack_id) AS stack_id,
  nullif(any_value(e.correlation_id), 0) AS external_id,
  -- schema 4 has a table of categories
  any_value(coalesce(k.name, c.value)) AS category
FROM rocpd_event AS e
LEFT JOIN text_of AS c ON c.guid = e.guid AND c.id = e.category_id
LEFT JOIN rocpd_info_category AS k ON k.guid = e.guid AND k.id = e.category_id
GROUP BY e.guid, e.id;

CREATE TABLE argument AS
SELECT guid, event_id, json_group_object(coalesce(name, position::VARCHAR, '?'), value) AS args
FROM (FROM rocpd_arg ORDER BY guid, event_id, position, id)
GROUP BY guid, event_id;

INSERT INTO activity BY NAME
SELECT
  k.id AS seq,
  'kernel' AS kind,
  'kernel' AS category,
  coalesce(nullif(s.display_name, ''), s.kernel_name, 'kernel ' || k.kernel_id) AS name,
  k.start AS start_ns,
  k."end" AS end_ns,
  key_of(k.guid, k.pid) AS process,
  coalesce(a.device, key_of(k.guid, k.agent_id), '?') AS device,
  coalesce(nullif(q.name, ''), 'queue ' || k.queue_id) AS track_name,
  k.queue_id AS stream,
  e.stack_id AS correlation_id,
  e.external_id,
  blocks(k.grid_size_x, k.workgroup_size_x) AS grid_x,
  blocks(k.grid_size_y, k.workgroup_size_y) AS grid_y,
  blocks(k.grid_size_z, k.workgroup_size_z) AS grid_z,
  k.workgroup_size_x AS block_x,
  k.workgroup_size_y AS block_y,
  k.workgroup_size_z AS block_z,
  s.arch_vgpr_count AS registers,
  k.group_segment_size AS shared_memory_bytes,
  nullif(k.graph_exec_id, 0) AS graph_id,
  nullif(k.graph_node_id, 0) AS graph_node_id,
  key_of(k.guid, k.event_id) AS dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || k.dispatch_id,
    '"kernel_id":' || k.kernel_id,
    '"thread_id":' || t.tid,
    '"stream_id":' || k.stream_id,
    '"scratch_bytes":' || k.private_segment_size,
    '"accum_vgpr":' || s.accum_vgpr_count,
    '"sgpr":' || s.sgpr_count,
    '"region":' || quoted(nullif(r.value, ''))
  )) AS args_json
FROM rocpd_kernel_dispatch AS k
LEFT JOIN rocpd_info_kernel_symbol AS s ON s.guid = k.guid AND s.id = k.kernel_id
LEFT JOIN agent AS a ON a.guid = k.guid AND a.id = k.agent_id
LEFT JOIN rocpd_info_queue AS q ON q.guid = k.guid AND q.id = k.queue_id
LEFT JOIN event_info AS e ON e.guid = k.guid AND e.id = k.event_id
LEFT JOIN thread_row AS t ON t.guid = k.guid AND t.id = k.tid
LEFT JOIN text_of AS r ON r.guid = k.guid AND r.id = k.region_name_id;

INSERT INTO activity BY NAME
SELECT
  k.id AS seq,
  'memcpy' AS kind,
  'gpu_memcpy' AS category,
  coalesce(n.value, 'MEMORY_COPY') AS name,
  k.start AS start_ns,
  k."end" AS end_ns,
  key_of(k.guid, k.pid) AS process,
  coalesce(
    CASE WHEN d.kind = 'gpu' THEN d.device END, CASE WHEN s.kind = 'gpu' THEN s.device END,
    d.device, s.device, '?'
  ) AS device,
  'copies' || coalesce(' of stream ' || k.stream_id, '') AS track_name,
  e.stack_id AS correlation_id,
  e.external_id,
  k.size AS bytes,
  copy_direction(n.value) AS direction,
  nullif(k.graph_exec_id, 0) AS graph_id,
  nullif(k.graph_node_id, 0) AS graph_node_id,
  json_of(concat_ws(',',
    '"thread_id":' || t.tid,
    '"stream_id":' || k.stream_id,
    '"queue_id":' || k.queue_id,
    '"source_agent":' || quoted(s.ordinal),
    '"destination_agent":' || quoted(d.ordinal)
  )) AS args_json
FROM rocpd_memory_copy AS k
LEFT JOIN text_of AS n ON n.guid = k.guid AND n.id = k.name_id
LEFT JOIN agent AS d ON d.guid = k.guid AND d.id = k.dst_agent_id
LEFT JOIN agent AS s ON s.guid = k.guid AND s.id = k.src_agent_id
LEFT JOIN event_info AS e ON e.guid = k.guid AND e.id = k.event_id
LEFT JOIN thread_row AS t ON t.guid = k.guid AND t.id = k.tid;

-- Regions: calls, markers, and ranges of other tools. The category names the API of a call.
INSERT INTO activity BY NAME
SELECT
  r.id AS seq,
  CASE
    WHEN e.category LIKE 'MARKER%' THEN 'range'
    WHEN e.category LIKE 'RCCL%' AND communication_of(n.value) IS NOT NULL THEN 'collective'
    WHEN e.category LIKE 'HIP%' OR e.category LIKE 'HSA%' THEN 'call'
    ELSE 'other'
  END AS kind,
  CASE
    WHEN e.category LIKE 'MARKER%' THEN 'user_annotation'
    WHEN e.category LIKE 'HIP%' THEN 'hip_runtime'
    WHEN e.category LIKE 'HSA%' THEN 'hsa_driver'
    ELSE lower(coalesce(e.category, 'region'))
  END AS category,
  coalesce(n.value, 'region') AS name,
  r.start AS start_ns,
  r."end" AS end_ns,
  key_of(r.guid, r.pid) AS process,
  t.tid AS thread,
  e.stack_id AS correlation_id,
  e.external_id,
  CASE WHEN e.category LIKE 'MARKER%' THEN e.category END AS domain,
  json_of(concat_ws(',',
    '"domain":' || quoted(e.category),
    '"correlation_id":' || e.stack_id,
    '"args":' || quoted(g.args)
  )) AS args_json
FROM rocpd_region AS r
LEFT JOIN text_of AS n ON n.guid = r.guid AND n.id = r.name_id
LEFT JOIN event_info AS e ON e.guid = r.guid AND e.id = r.event_id
LEFT JOIN thread_row AS t ON t.guid = r.guid AND t.id = r.tid
LEFT JOIN argument AS g ON g.guid = r.guid AND g.event_id = r.event_id;

-- A release may lack size and device: those of the last allocation at its address are used.
INSERT INTO activity BY NAME
SELECT
  id AS seq,
  CASE WHEN level IS DISTINCT FROM 'SCRATCH' THEN 'memory' ELSE 'other' END AS kind,
  CASE WHEN level IS DISTINCT FROM 'SCRATCH' THEN 'memory' ELSE 'scratch_memory' END AS category,
  concat_ws(' ', type, level) AS name,
  start AS start_ns,
  "end" AS end_ns,
  process,
  tid AS thread,
  stack_id AS correlation_id,
  CASE WHEN is_release
    THEN minus(coalesce(
      nullif(size, 0), lag(CASE WHEN NOT is_release THEN size END) OVER same_address
    ))
    ELSE size END AS bytes,
  TRY_CAST(address AS UBIGINT) AS address,
  CASE coalesce(kind, lag(kind) OVER same_address) WHEN 'cpu' THEN 'cpu' WHEN 'gpu' THEN 'hip' END
    AS device_kind,
  CASE coalesce(kind, lag(kind) OVER same_address)
    WHEN 'cpu' THEN -1 ELSE coalesce(ordinal, lag(ordinal) OVER same_address) END AS device_ordinal,
  json_of(concat_ws(',',
    '"correlation_id":' || stack_id,
    '"address":' || quoted(address),
    '"bytes":' || size,
    '"agent":' || quoted(ordinal)
  )) AS args_json
FROM (
  SELECT
    m.*,
    key_of(m.guid, m.pid) AS process,
    t.tid,
    e.stack_id,
    a.kind,
    a.ordinal,
    m.type IN ('FREE', 'RECLAIM') AS is_release
  FROM (SELECT * EXCLUDE (tid), tid AS thread_id FROM rocpd_memory_allocate) AS m
  LEFT JOIN agent AS a ON a.guid = m.guid AND a.id = m.agent_id
  LEFT JOIN event_info AS e ON e.guid = m.guid AND e.id = m.event_id
  LEFT JOIN thread_row AS t ON t.guid = m.guid AND t.id = m.thread_id
)
WINDOW same_address AS (PARTITION BY guid, pid, address ORDER BY start, id);

-- Instances of a counter are summed over the dispatch, as in the profiler's own tables.
INSERT INTO figure
SELECT
  min(v.id),
  key_of(v.guid, v.event_id),
  any_value(a.device),
  any_value(k.dispatch_id),
  coalesce(nullif(p.symbol, ''), p.name, 'counter ' || v.pmc_id),
  sum(v.value),
  nullif(any_value(p.units), '')
FROM rocpd_pmc_event AS v
LEFT JOIN rocpd_info_pmc AS p ON p.guid = v.guid AND p.id = v.pmc_id
LEFT JOIN agent AS a ON a.guid = v.guid AND a.id = p.agent_id
LEFT JOIN (
  SELECT guid, event_id, any_value(dispatch_id) AS dispatch_id
  FROM rocpd_kernel_dispatch
  GROUP BY guid, event_id
) AS k ON k.guid = v.guid AND k.event_id = v.event_id
WHERE v.sample_id IS NULL
GROUP BY v.guid, v.event_id, p.symbol, p.name, v.pmc_id;

INSERT INTO not_used
SELECT 'samples taken over time', count(*) FROM rocpd_sample
UNION ALL
SELECT 'values of counters streamed over time', count(*)
FROM rocpd_pmc_event
WHERE sample_id IS NOT NULL
UNION ALL
SELECT 'table ' || name || ': not part of the timeline', n FROM unread;

INSERT INTO record_count
SELECT 'rocpd_kernel_dispatch', count(*) FROM rocpd_kernel_dispatch
UNION ALL
SELECT 'rocpd_memory_copy', count(*) FROM rocpd_memory_copy
UNION ALL
SELECT 'rocpd_region', count(*) FROM rocpd_region
UNION ALL
SELECT 'rocpd_memory_allocate', count(*) FROM rocpd_memory_allocate
UNION ALL
SELECT 'rocpd_pmc_event', count(*) FROM rocpd_pmc_event
UNION ALL
SELECT 'rocpd_sample', count(*) FROM rocpd_sample
UNION ALL
SELECT name, n FROM unread;

INSERT INTO merged
SELECT 'values of other instances of a counter', (
    SELECT count(*) FROM rocpd_pmc_event WHERE sample_id IS NULL
  ) - (
    SELECT count(*)
    FROM (SELECT DISTINCT guid, event_id, pmc_id FROM rocpd_pmc_event WHERE sample_id IS NULL)
  );
