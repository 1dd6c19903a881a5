-- From the lines of a table nvprof printed to activities.
-- In: `line`, texts; `unit`, of each table its process, and nanoseconds or bytes of one; `summary_count`
-- (read.py). Out: gpu_activity/tables.sql.

-- Exactly: at most nine digits behind the point are printed. A spreadsheet of another language may have
-- made it a comma; nvprof prints none between thousands.
CREATE OR REPLACE TEMP MACRO scaled(text, unit) AS (
  TRY(round(TRY_CAST(replace(text, ',', '.') AS DECIMAL(27, 9)) * unit)::BIGINT)
);

-- The table of the n-th process comes after those before it.
CREATE TABLE printed AS
SELECT
  l.source * 4294967296 + l.seq AS seq,
  u.process,
  scaled(l.start, u.start) AS start_ns,
  TRY(scaled(l.start, u.start) + scaled(l.duration, u.duration)) AS end_ns,
  scaled(l.size, u.size) AS bytes,
  scaled(l.unifiedmemory, u.unifiedmemory) AS unified_bytes,
  scaled(l.staticsmem, u.staticsmem) AS static_bytes,
  scaled(l.dynamicsmem, u.dynamicsmem) AS dynamic_bytes,
  l.name LIKE '[Unified Memory Memcpy%' AS is_unified,
  whole(regexp_extract(l.device, '\((\d+)\)$', 1)) AS ordinal,
  regexp_replace(l.device, ' *\(\d+\)$', '') AS model,
  -- Kernels' names are followed by the number of their call in brackets: older releases say it
  -- nowhere else.
  whole(coalesce(l.correlationid, nullif(regexp_extract(l.name, ' \[(\d+)\]$', 1), '')))
    AS correlation,
  l.* EXCLUDE (seq)
FROM line AS l
JOIN unit AS u ON u.source = l.source;

INSERT INTO process_info (process, pid)
SELECT DISTINCT process, whole(process) FROM unit WHERE process IS NOT NULL;

INSERT INTO not_used SELECT 'summary and counter tables', n_sums FROM summary_count;

INSERT INTO device_info (device, kind, ordinal, name, vendor)
SELECT DISTINCT device, 'gpu', ordinal, model, 'NVIDIA' FROM printed WHERE device IS NOT NULL;

-- Of managed memory: bytes of a migration, a number of page faults of a device, or the instruction of
-- one on the host.
INSERT INTO activity BY NAME
SELECT
  seq,
  CASE
    WHEN name LIKE '[CUDA memcpy%' OR is_unified THEN 'memcpy'
    WHEN name LIKE '[CUDA memset%' THEN 'memset'
    WHEN name LIKE '[Unified Memory%' THEN 'other'
    ELSE 'kernel'
  END AS kind,
  CASE
    WHEN name LIKE '[CUDA memcpy%' OR is_unified THEN 'gpu_memcpy'
    WHEN name LIKE '[CUDA memset%' THEN 'gpu_memset'
    WHEN name = '[Unified Memory GPU page faults]' THEN 'um_gpu_page_fault'
    WHEN name LIKE '[Unified Memory%' THEN 'unified_memory'
    ELSE 'kernel'
  END AS category,
  regexp_replace(name, ' \[\d+\]$', '') AS name,
  start_ns,
  end_ns,
  process,
  device,
  CASE
    WHEN stream IS NULL AND is_unified THEN 'copies of managed memory'
    WHEN stream IS NULL AND name LIKE '[Unified Memory%page faults]' THEN 'page faults of managed memory'
    WHEN stream IS NULL AND name LIKE '[Unified Memory%' THEN 'managed memory'
    ELSE 'stream ' || stream || CASE WHEN count(DISTINCT context) OVER () > 1
      THEN ' of context ' || context ELSE '' END
  END AS track_name,
  whole(stream) AS stream,
  correlation AS correlation_id,
  whole(context) AS context_id,
  CASE WHEN is_unified THEN coalesce(unified_bytes, bytes) ELSE bytes END AS bytes,
  nullif(regexp_extract(name, '[HDPA]to[HDPA]'), '') AS direction,
  nullif(is_unified, false) AS is_unified,
  CASE WHEN is_unified THEN address_of(virtualaddress) END AS address,
  whole(gridx) AS grid_x,
  whole(gridy) AS grid_y,
  whole(gridz) AS grid_z,
  whole(blockx) AS block_x,
  whole(blocky) AS block_y,
  whole(blockz) AS block_z,
  whole(registersperthread) AS registers,
  TRY(static_bytes + dynamic_bytes) AS shared_memory_bytes,
  static_bytes AS static_shared_memory_bytes,
  dynamic_bytes AS dynamic_shared_memory_bytes,
  srcmemtype AS source_memory_kind,
  dstmemtype AS destination_memory_kind,
  json_of(concat_ws(',',
    '"src_memory":' || quoted(srcmemtype),
    '"dst_memory":' || quoted(dstmemtype),
    '"src_device":' || quoted(srcdev),
    '"dst_device":' || quoted(dstdev),
    '"address":' || quoted(virtualaddress),
    '"numberOfPageFaults":' || CASE WHEN name LIKE '%page faults]' THEN whole(unifiedmemory) END,
    '"static_shared_memory":' || static_bytes,
    '"dynamic_shared_memory":' || dynamic_bytes
  )) AS args_json
FROM printed
WHERE device IS NOT NULL;

-- Calls, and NVTX instants: starts and ends cannot be matched.
INSERT INTO activity BY NAME
SELECT
  seq,
  CASE WHEN name LIKE '[Unified Memory%' THEN 'other' WHEN name LIKE '[%' THEN 'range' ELSE 'call'
    END AS kind,
  CASE
    WHEN name = '[Unified Memory CPU page faults]' THEN 'um_cpu_page_fault'
    WHEN name LIKE '[Unified Memory%' THEN 'unified_memory'
    WHEN name LIKE '[%' THEN 'user_annotation'
    WHEN starts_with(name, 'cuda') THEN 'cuda_runtime'
    ELSE 'cuda_driver'
  END AS category,
  name,
  start_ns,
  CASE WHEN name LIKE '[%' THEN coalesce(end_ns, start_ns) ELSE end_ns END AS end_ns,
  process,
  correlation AS correlation_id,
  nullif(json_of(concat_ws(',',
    '"address":' || quoted(virtualaddress),
    '"CpuInstruction":' || quoted(unifiedmemory)
  )), '{}') AS args_json
FROM printed
WHERE device IS NULL;

INSERT INTO record_count
SELECT 'lines', count(*) FROM line
UNION ALL
SELECT 'summary and counter tables', n_sums FROM summary_count;
