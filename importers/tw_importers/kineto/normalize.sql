-- The other tables of Kineto, after details.sql, in the same transaction; the traces that are imported
-- together have the highest ids, from trace_id on. Slices are stored by category, so that each
-- statement scans little more than it uses. Numbers that do not fit their column are NULL there;
-- slice.args_json keeps their text.

INSERT INTO annotation (
  slice_id, trace_id, track_id, ts, dur, name, side, domain, external_id
)
SELECT
  id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  CASE WHEN category = 'gpu_user_annotation' THEN 'device' ELSE 'host' END,
  NULL,
  TRY_CAST(json_extract_string(args_json, '$."External id"') AS BIGINT)
FROM slice
WHERE trace_id >= getvariable('trace_id')
  AND category IN ('user_annotation', 'gpu_user_annotation')
ORDER BY id;

-- Steps of training are marked by the profiler, those of inference by the engine, at times twice, one
-- annotation in the other: the outer one counts. The engine does not number its steps.
INSERT INTO step
WITH mark AS (
  SELECT
    *,
    name LIKE 'ProfilerStep%' AS is_of_profiler,
    max(ts + greatest(dur, 0)) OVER (
      PARTITION BY track_id, name LIKE 'ProfilerStep%'
      ORDER BY ts, dur DESC, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach
  FROM annotation
  WHERE trace_id >= getvariable('trace_id')
    AND side = 'host'
    AND (name LIKE 'ProfilerStep%' OR is_engine_step(name))
)
SELECT
  slice_id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  CASE
    WHEN is_of_profiler THEN TRY_CAST(regexp_extract(name, '#(\d+)', 1) AS BIGINT)
    ELSE row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) - 1
  END
FROM mark
WHERE is_of_profiler
  OR (reach IS NULL OR ts + greatest(dur, 0) > reach)
  AND trace_id NOT IN (SELECT trace_id FROM mark WHERE is_of_profiler)
ORDER BY slice_id;

-- Allocations and releases; the numbers of device types are those of c10::DeviceType.
INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, address, bytes, total_allocated_bytes,
  total_reserved_bytes, device_kind, device_ordinal, category, source_order
)
SELECT
  id,
  trace_id,
  track_id,
  ts,
  name,
  a."Addr",
  a."Bytes",
  a."Total Allocated",
  a."Total Reserved",
  CASE a."Device Type"
    WHEN 0 THEN 'cpu'
    WHEN 1 THEN 'cuda'
    WHEN 6 THEN 'hip'
    WHEN 12 THEN 'xpu'
    WHEN 13 THEN 'mps'
    WHEN 15 THEN 'hpu'
    WHEN 19 THEN 'mtia'
    WHEN 20 THEN 'privateuseone'
    ELSE a."Device Type"::VARCHAR
  END,
  a."Device Id",
  NULL,
  seq & 4294967295
FROM (
  SELECT
    s.*,
    o.seq,
    json_transform(
      s.args_json,
      '{"Addr":"UBIGINT","Bytes":"BIGINT","Total Allocated":"BIGINT","Total Reserved":"BIGINT",
        "Device Type":"BIGINT","Device Id":"BIGINT"}'
    ) AS a
  FROM slice AS s
  JOIN scratch.slice_order AS o ON o.slice_n = s.id - getvariable('first_id')
  WHERE s.trace_id >= getvariable('trace_id')
    AND s.category = 'cpu_instant_event'
    AND s.name = '[memory]'
)
ORDER BY id;

-- Communication: record_param_comms and NCCL kernels with arguments, NCCL and RCCL kernels
-- without, and the ranges of libraries that have no kernels (gloo:all_reduce).
INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name, group_description,
  group_size, group_ranks_json, peer_rank, sequence_number, n_input_elements, n_output_elements,
  data_type, input_bytes, output_bytes, algorithm, protocol
)
SELECT
  s.id,
  s.trace_id,
  s.track_id,
  s.ts,
  s.dur,
  s.name,
  CASE WHEN s.category = 'kernel' OR (s.category = 'collective_comm' AND t.kind = 'stream')
    THEN 'device' ELSE 'host' END,
  coalesce(s.a."Collective name", collective_of(s.name)),
  s.a."Process Group Name",
  s.a."Process Group Description",
  coalesce(s.a."Group size", s.sole_group_size),
  s.a."Process Group Ranks",
  coalesce(s.a."Src Rank", s.a."Dst Rank", s.a."Root rank"),
  s.a."Seq",
  coalesce(s.a."In msg nelems", s.n_input_elements),
  s.a."Out msg nelems",
  coalesce(s.a."dtype", b.data_type),
  coalesce(s.a."In msg nelems", s.n_input_elements) * b.element_bytes,
  s.a."Out msg nelems" * b.element_bytes,
  lower(nullif(regexp_extract(s.name, '_(RING|TREE|COLLNET|NVLS|PAT)', 1), '')),
  nullif(regexp_extract(s.name, '_(LL128|LL|SIMPLE)', 1), '')
FROM (
  SELECT
    *,
    json_transform(
      args_json,
      '{"Collective name":"VARCHAR","Process Group Name":"VARCHAR",
        "Process Group Description":"VARCHAR","Group size":"BIGINT",
        "Process Group Ranks":"VARCHAR","Src Rank":"BIGINT","Dst Rank":"BIGINT",
        "Root rank":"BIGINT","Seq":"BIGINT","In msg nelems":"BIGINT","Out msg nelems":"BIGINT",
        "dtype":"VARCHAR"}'
    ) AS a,
    -- ranges list their tensors as operators do
    CASE WHEN category = 'user_annotation' THEN elements_of(args_json) END AS n_input_elements,
    CASE WHEN category = 'user_annotation'
      THEN json_extract_string(args_json, '$."Input type"[0]')
    END AS input_type,
    -- and of no group: the only one if the file has just one
    CASE WHEN category = 'user_annotation' THEN m.group_size END AS sole_group_size
  FROM slice
  LEFT JOIN (
    SELECT
      getvariable('trace_id') + trace_n AS of_trace_id,
      TRY_CAST(json_extract_string(metadata_json, '$.distributedInfo.pg_config[0].pg_size') AS BIGINT)
        AS group_size
    FROM scratch.source_trace
    WHERE json_array_length(metadata_json, '$.distributedInfo.pg_config') = 1
  ) AS m ON m.of_trace_id = trace_id
  WHERE trace_id >= getvariable('trace_id')
    AND (
      category = 'collective_comm'
      OR (category = 'kernel' AND is_communication(name))
      OR (category = 'cpu_op' AND name = 'record_param_comms')
      OR (category = 'user_annotation' AND regexp_matches(name, '^(gloo|mpi|ucc|xccl|hccl):'))
    )
) AS s
LEFT JOIN (VALUES
  ('Float', 'float', 4), ('Half', 'c10::Half', 2), ('BFloat16', 'c10::BFloat16', 2),
  ('Double', 'double', 8), ('Int', 'int', 4), ('Long', 'long', 8), ('Short', 'short', 2),
  ('Char', 'signed char', 1), ('Byte', 'unsigned char', 1), ('Bool', 'bool', 1),
  ('Float8_e4m3fn', 'c10::Float8_e4m3fn', 1), ('Float8_e5m2', 'c10::Float8_e5m2', 1),
  ('ComplexFloat', 'c10::complex<float>', 8), ('ComplexDouble', 'c10::complex<double>', 16)
) AS b(data_type, type_name, element_bytes)
  ON b.data_type = s.a."dtype" OR (s.a."dtype" IS NULL AND b.type_name = s.input_type)
JOIN track AS t ON t.id = s.track_id
ORDER BY s.id;

-- Process groups the process was in, whether or not it used them.
INSERT INTO process_group BY NAME
SELECT
  (trace_id << 32) + row_number() OVER (PARTITION BY trace_id ORDER BY n) - 1 AS id,
  trace_id,
  json_extract_string(config, '$.pg_name') AS name,
  json_extract_string(config, '$.pg_desc') AS description,
  json_extract_string(config, '$.backend_config') AS backend,
  coalesce(TRY_CAST(json_extract_string(config, '$.pg_size') AS BIGINT), len(ranks)) AS n_ranks,
  to_json(ranks)::VARCHAR AS ranks_json,
  config::VARCHAR AS attributes_json
FROM (
  SELECT *, TRY_CAST(json_extract(config, '$.ranks') AS BIGINT[]) AS ranks
  FROM (
    SELECT
      getvariable('trace_id') + trace_n AS trace_id,
      unnest(json_extract(metadata_json, '$.distributedInfo.pg_config[*]')) AS config,
      generate_subscripts(json_extract(metadata_json, '$.distributedInfo.pg_config[*]'), 1) AS n
    FROM scratch.source_trace
  )
)
WHERE json_extract_string(config, '$.pg_name') IS NOT NULL
ORDER BY id;

-- Hardware counters of CUPTI's range profiler: every number in the arguments of its ranges.
INSERT INTO metric
SELECT
  (trace_id << 32) + row_number() OVER (PARTITION BY trace_id ORDER BY id, counter_name) - 1,
  trace_id,
  id,
  NULL,
  NULL,
  counter_name,
  counter_value,
  NULL,
  'source'
FROM (
  SELECT
    *,
    TRY_CAST(json_extract_string(args_json, json_path(counter_name)) AS DOUBLE) AS counter_value
  FROM (
    SELECT id, trace_id, args_json, unnest(json_keys(args_json)) AS counter_name
    FROM slice
    WHERE trace_id >= getvariable('trace_id') AND category = 'cuda_profiler_range'
  )
)
WHERE counter_value IS NOT NULL
ORDER BY id, counter_name;

-- Values that do not fit the type of their column. (Counted with FILTER because DuckDB would evaluate
-- a WHERE on all slices, before the join.)
INSERT INTO import_problem
SELECT
  (trace_id << 32) + row_number() OVER (PARTITION BY trace_id ORDER BY category) - 1,
  trace_id,
  'inexact_value',
  'note',
  n_inexact,
  NULL,
  example,
  category || ': correlation ids that are not 64-bit integers; the typed column is NULL'
FROM (
  SELECT
    s.trace_id,
    s.category,
    count(*) FILTER (WHERE json_exists(s.args_json, '$.correlation')) AS n_inexact,
    min(s.args_json) FILTER (WHERE json_exists(s.args_json, '$.correlation')) AS example
  FROM (
    SELECT slice_id FROM launch
    WHERE trace_id >= getvariable('trace_id') AND correlation_id IS NULL
    UNION ALL
    SELECT slice_id FROM gpu_op
    WHERE trace_id >= getvariable('trace_id') AND correlation_id IS NULL
  ) AS untyped
  JOIN slice AS s ON s.id = untyped.slice_id AND s.trace_id >= getvariable('trace_id')
  GROUP BY s.trace_id, s.category
)
WHERE n_inexact > 0;
