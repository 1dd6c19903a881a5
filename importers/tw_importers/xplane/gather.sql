-- From planes, lines and events to activities.
-- In: the tables of read.py. Out: gpu_activity/tables.sql; `numbered`, `compiled`, `allocation`,
-- `hop`: what activities have beyond it, by seq.

-- Planes of one host: all threads are of one process.
CREATE TABLE plane_device AS
SELECT
  plane_n,
  name,
  regexp_extract(name, '^/device:(GPU|TPU|CUSTOM|[A-Z]+):', 1) AS device_kind,
  whole(regexp_extract(name, '^/device:[A-Z]+:(\d+)', 1)) AS ordinal,
  CASE
    WHEN starts_with(name, '/host:') OR starts_with(name, '/device:') THEN 'host'
    ELSE name
  END AS process,
  json_of(stats) AS stats
FROM plane;

CREATE TABLE line_track AS
SELECT
  l.line_n,
  l.plane_n,
  l.id,
  l.name,
  l.timestamp_ns,
  p.process,
  CASE WHEN p.device_kind <> '' THEN p.name END AS device,
  whole(regexp_extract(l.name, '^Stream #(\d+)', 1)) AS stream,
  -- Lines that XProf derives from others, or that only contain the work of others.
  p.device_kind <> '' AND NOT (
    starts_with(l.name, 'Stream #') OR l.name IN ('XLA Ops', 'Async XLA Ops')
  ) AS is_derived
FROM line AS l
JOIN plane_device AS p USING (plane_n);

INSERT INTO process_info
SELECT
  'host',
  max(whole(json_extract_string(stats, '$.process_id'))),
  '/host:CPU',
  NULL
FROM plane_device
WHERE starts_with(name, '/host:')
HAVING count(*) > 0;

INSERT INTO thread_info
SELECT process, id, name
FROM line_track
WHERE device IS NULL AND name <> '';

INSERT INTO device_info BY NAME
SELECT
  name AS device,
  CASE device_kind WHEN 'GPU' THEN 'gpu' WHEN 'TPU' THEN 'tpu' ELSE lower(device_kind) END AS kind,
  ordinal,
  coalesce(json_extract_string(stats, '$.device_type_string'), name[9:]) AS name,
  json_extract_string(stats, '$.device_vendor') AS vendor,
  TRY_CAST(json_extract_string(stats, '$.memory_size') AS BIGINT) AS memory_bytes,
  TRY_CAST(json_extract_string(stats, '$.core_count') AS BIGINT) AS n_compute_units,
  TRY_CAST(json_extract_string(stats, '$.clock_rate') AS DOUBLE) * 1000 AS clock_hz,
  coalesce(
    TRY_CAST(json_extract_string(stats, '$.memory_bandwidth') AS DOUBLE),
    TRY_CAST(json_extract_string(stats, '$.peak_hbm_bw_gigabytes_per_second') AS DOUBLE) * 1e9
  ) AS peak_bytes_per_s,
  stats AS properties_json
FROM plane_device
WHERE device_kind IN ('GPU', 'TPU') OR (
  device_kind <> '' AND plane_n IN (SELECT plane_n FROM line)
);

-- Statistics of an event are its own and those of its name.
CREATE TABLE named AS
SELECT plane_n, metadata_id, name, display_name, stats
FROM event_name
QUALIFY row_number() OVER (PARTITION BY plane_n, metadata_id) = 1;

-- What each event is. Ends of operations, which XLA marks on CPUs, are not events of their own. The
-- table is narrow: a column costs as much time where nearly all of it is NULL, so statistics are taken
-- from their text where they are needed.
CREATE TEMP TABLE classified AS
WITH timed AS (
  SELECT
    r.seq,
    r.line_n,
    l.device,
    l.is_derived,
    coalesce(n.name, 'event ' || r.metadata_id) AS full_name,
    coalesce(n.display_name, n.name, 'event ' || r.metadata_id) AS name,
    n.metadata_id IS NULL AS is_unnamed,
    l.timestamp_ns + whole_ns(r.offset_ps) AS start_ns,
    l.timestamp_ns + whole_ns(r.offset_ps + r.dur_ps) AS end_ns,
    r.n_occurrences,
    r.dur_ps,
    CASE WHEN r.offset_ps % 1000 <> 0 OR r.dur_ps % 1000 <> 0
      THEN '"start_ps":' || (l.timestamp_ns::HUGEINT * 1000 + r.offset_ps)
        || ',"duration_ps":' || r.dur_ps END AS exact,
    concat_ws(',', r.stats, n.stats) AS stats
  FROM record AS r
  JOIN line_track AS l USING (line_n)
  LEFT JOIN named AS n ON n.plane_n = l.plane_n AND n.metadata_id = r.metadata_id
),
described AS (
  SELECT
    *,
    statistics(
      stats,
      '{"correlation_id":"BIGINT","memcpy_details":"VARCHAR","memset_details":"VARCHAR",
        "memalloc_details":"VARCHAR","step_num":"BIGINT","hlo_op":"VARCHAR"}'
    ) AS d
  FROM timed
)
SELECT
  seq,
  line_n,
  name,
  nullif(full_name, name) AS long_name,
  is_unnamed,
  start_ns,
  end_ns,
  n_occurrences,
  exact,
  stats,
  CASE
    WHEN n_occurrences IS NOT NULL THEN 'aggregate'
    WHEN device IS NULL AND starts_with(full_name, 'end: ') AND d.hlo_op IS NULL
      THEN 'end'
    WHEN is_derived OR d.memalloc_details IS NOT NULL THEN 'other'
    WHEN device IS NOT NULL AND (d.memset_details IS NOT NULL OR name ILIKE 'memset%')
      THEN 'memset'
    WHEN device IS NOT NULL AND (d.memcpy_details IS NOT NULL OR name ILIKE 'memcpy%')
      THEN 'memcpy'
    WHEN device IS NOT NULL THEN 'kernel'
    WHEN d.correlation_id IS NOT NULL THEN 'call'
    WHEN d.step_num IS NOT NULL THEN 'range'
    WHEN starts_with(full_name, '$') THEN 'python'
    WHEN full_name IN ('MemoryAllocation', 'MemoryDeallocation') THEN 'allocation'
    WHEN dur_ps = 0 AND d.hlo_op IS NULL THEN 'other'
    ELSE 'operator'
  END AS kind
FROM described;

-- Columns of device work and calls only are in a table of their own: most events are of the host.
CREATE TABLE work_detail AS
SELECT * EXCLUDE (
  kind, category, name, start_ns, end_ns, process, thread, device, track_name, stream,
  correlation_id, args_json
)
FROM activity;

CREATE OR REPLACE TABLE activity AS
SELECT
  seq, kind, category, name, start_ns, end_ns, process, thread, device, track_name, stream,
  correlation_id, args_json
FROM activity;

INSERT INTO activity
SELECT
  c.seq,
  c.kind,
  CASE c.kind
    WHEN 'memcpy' THEN 'gpu_memcpy'
    WHEN 'memset' THEN 'gpu_memset'
    WHEN 'call' THEN call_category(coalesce(c.long_name, c.name))
    WHEN 'range' THEN 'user_annotation'
    WHEN 'python' THEN 'python_function'
    WHEN 'allocation' THEN 'memory'
    WHEN 'operator' THEN 'cpu_op'
    WHEN 'other' THEN CASE WHEN l.device IS NULL THEN 'instant' ELSE 'derived' END
    ELSE c.kind
  END,
  c.name,
  c.start_ns,
  c.end_ns,
  l.process,
  CASE WHEN l.device IS NULL THEN l.id END,
  l.device,
  CASE WHEN l.device IS NOT NULL THEN l.name END,
  l.stream,
  CASE WHEN l.device IS NOT NULL OR c.kind = 'call'
    THEN statistics(c.stats, '{"correlation_id":"BIGINT"}').correlation_id
  END,
  json_of(concat_ws(',',
    CASE WHEN c.long_name IS NOT NULL THEN '"long_name":' || quoted(c.long_name) END,
    nullif(c.stats, ''),
    c.exact
  ))
FROM classified AS c
JOIN line_track AS l USING (line_n)
WHERE c.kind NOT IN ('aggregate', 'end');

INSERT INTO work_detail BY NAME
WITH described AS MATERIALIZED (
  SELECT
    c.seq,
    c.kind,
    coalesce(c.long_name, c.name) AS full_name,
    unnest(statistics(
      c.stats,
      '{"context_id":"BIGINT","kernel_details":"VARCHAR","memcpy_details":"VARCHAR",
        "memset_details":"VARCHAR"}'
    ))
  FROM classified AS c
  JOIN line_track AS l USING (line_n)
  WHERE c.kind NOT IN ('aggregate', 'end') AND (l.device IS NOT NULL OR c.kind = 'call')
),
-- Kernels have few distinct shapes.
shape AS (
  SELECT
    kernel_details,
    detail(kernel_details, 'grid', 1) AS grid_x,
    detail(kernel_details, 'grid', 2) AS grid_y,
    detail(kernel_details, 'grid', 3) AS grid_z,
    detail(kernel_details, 'block', 1) AS block_x,
    detail(kernel_details, 'block', 2) AS block_y,
    detail(kernel_details, 'block', 3) AS block_z,
    detail(kernel_details, 'regs', 1) AS registers,
    detail(kernel_details, 'static_shared', 1) AS static_shared_memory_bytes,
    detail(kernel_details, 'dynamic_shared', 1) AS dynamic_shared_memory_bytes,
    detail(kernel_details, 'group_mem', 1) AS group_memory_bytes
  FROM (SELECT DISTINCT kernel_details FROM described)
)
SELECT
  d.seq,
  d.context_id,
  coalesce(detail(d.memcpy_details, 'size', 1), detail(d.memset_details, 'size', 1)) AS bytes,
  CASE d.kind WHEN 'memcpy' THEN copy_of(d.full_name, d.memcpy_details) END AS direction,
  s.* EXCLUDE (kernel_details, group_memory_bytes),
  coalesce(
    s.static_shared_memory_bytes + s.dynamic_shared_memory_bytes, s.group_memory_bytes
  ) AS shared_memory_bytes,
  nullif(regexp_extract(d.memcpy_details, 'kind_src:(\w+)', 1), '') AS source_memory_kind,
  nullif(regexp_extract(d.memcpy_details, 'kind_dst:(\w+)', 1), '') AS destination_memory_kind
FROM described AS d
LEFT JOIN shape AS s ON s.kernel_details = d.kernel_details;

CREATE TABLE numbered AS
SELECT seq, statistics(stats, '{"step_num":"BIGINT"}').step_num AS number
FROM classified
WHERE kind = 'range';

-- Profilers of GPUs and CPUs name only the module and the instruction; what it is and is compiled from
-- is in the module then. XlaModule is the range around all work of a module, no operation.
CREATE TABLE compiled AS
WITH described AS (
  SELECT
    seq,
    statistics(stats, '{"hlo_module":"VARCHAR","program_id":"BIGINT","run_id":"BIGINT",
      "hlo_op":"VARCHAR","hlo_category":"VARCHAR","tf_op":"VARCHAR","source":"VARCHAR",
      "flops":"BIGINT","bytes_accessed":"BIGINT"}') AS d
  FROM classified
  WHERE kind NOT IN ('aggregate', 'end', 'allocation')
    AND (contains(stats, '"hlo_') OR contains(stats, '"tf_op"'))
),
known AS (
  SELECT
    program_id,
    name,
    category_of(opcode, fusion_kind, is_base_dilated, is_window_dilated) AS category,
    framework_operation(op_name, op_type) AS framework_op,
    source_file || coalesce(':' || nullif(source_line, 0), '') AS source
  FROM instruction
  QUALIFY row_number() OVER (PARTITION BY program_id, name ORDER BY instruction.rowid) = 1
),
stated AS (
  SELECT
    seq, d.hlo_module, d.program_id, d.run_id, d.hlo_op, d.hlo_category,
    CASE WHEN d.tf_op NOT IN ('', 'XlaModule:') THEN d.tf_op END AS tf_op,
    d.source, d.flops, d.bytes_accessed
  FROM described
)
SELECT
  s.seq,
  s.hlo_module,
  s.program_id,
  s.run_id,
  s.hlo_op,
  coalesce(s.hlo_category, k.category) AS hlo_category,
  coalesce(s.tf_op, k.framework_op) AS tf_op,
  coalesce(s.source, k.source) AS source,
  s.flops,
  s.bytes_accessed
FROM stated AS s
LEFT JOIN known AS k ON k.program_id = s.program_id AND k.name = s.hlo_op
WHERE s.hlo_module IS NOT NULL OR s.hlo_op IS NOT NULL OR s.tf_op IS NOT NULL;

-- GPU_0_bfc is the allocator of device 0, all others are of the host.
CREATE TABLE allocation AS
WITH described AS (
  SELECT
    seq,
    coalesce(long_name, name) AS full_name,
    statistics(stats, '{"allocator_name":"VARCHAR","addr":"VARCHAR","allocation_bytes":"BIGINT",
      "bytes_allocated":"BIGINT","bytes_reserved":"BIGINT"}') AS d
  FROM classified
  WHERE kind = 'allocation'
)
SELECT
  seq,
  address_of(d.addr) AS address,
  CASE WHEN full_name = 'MemoryDeallocation' THEN minus(d.allocation_bytes)
    ELSE d.allocation_bytes
  END AS bytes,
  d.bytes_allocated,
  d.bytes_reserved,
  CASE WHEN regexp_matches(d.allocator_name, '^GPU_\d+_') THEN 'gpu' ELSE 'cpu' END AS device_kind,
  coalesce(whole(regexp_extract(d.allocator_name, '^GPU_(\d+)_', 1)), -1) AS device_ordinal
FROM described;

-- Arrows: what an event produces (_p of type _pt), others consume.
CREATE TABLE hop AS
WITH described AS (
  SELECT
    seq,
    statistics(
      stats, '{"_pt":"UBIGINT","_p":"UBIGINT","_ct":"UBIGINT","_c":"UBIGINT"}'
    ) AS d
  FROM classified
  WHERE contains(stats, '"_p"') OR contains(stats, '"_c"')
)
SELECT seq, 's' AS phase, d._pt AS type, d._p AS id FROM described WHERE d._p IS NOT NULL
UNION ALL
SELECT seq, 'f', d._ct, d._c FROM described WHERE d._c IS NOT NULL;

-- Entries without a row of their own are kept as text.
INSERT INTO leftover
SELECT
  row_number() OVER (ORDER BY c.seq) - 1,
  c.kind,
  json_of(concat_ws(',',
    '"line":' || quoted(l.name),
    '"name":' || quoted(coalesce(c.long_name, c.name)),
    '"num_occurrences":' || c.n_occurrences,
    CASE WHEN c.n_occurrences IS NULL THEN '"start_ns":' || c.start_ns END,
    '"duration_ns":' || (c.end_ns - c.start_ns),
    nullif(c.stats, '')
  ))
FROM classified AS c
JOIN line_track AS l USING (line_n)
WHERE c.kind IN ('aggregate', 'end');

INSERT INTO record_count SELECT 'events', count(*) FROM record;

INSERT INTO not_used
SELECT 'aggregated events, which have no start', count(*) FROM classified WHERE kind = 'aggregate';

INSERT INTO merged
SELECT 'marks of the ends of operations', count(*) FROM classified WHERE kind = 'end';

INSERT INTO defect
SELECT 'unknown_name', 'warning', count(*), 'events whose name is not in the file, named by number'
FROM classified
WHERE is_unnamed;

DROP TABLE classified;
