-- Kineto's detail tables, from the typed arguments of its events and the slices just inserted.
-- Runs after trace_event/normalize.sql, in the same transaction.

INSERT INTO cpu_op
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  e.name,
  e.details.op."External id",
  e.details.op."Record function id",
  e.details.op."Sequence number",
  e.details.op."Fwd thread id",
  e.details.op."Ev Idx",
  e.details.op."Input Dims",
  e.details.op."Input type",
  e.details.op."Input Strides",
  e.details.op."Concrete Inputs"
FROM scratch.event AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
WHERE is_operator(e.cat)
ORDER BY s.slice_n;

INSERT INTO launch
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  e.name,
  category_of(e.cat),
  e.details.launch.correlation,
  e.details.launch."External id",
  coalesce(e.details.launch.cbid, e.details.launch.cid)
FROM scratch.event AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
WHERE is_launch(e.cat)
ORDER BY s.slice_n;

-- MTIA has one category for all device work; its names tell copies and waits apart.
INSERT INTO gpu_op
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  getvariable('first_id') + coalesce(d.device_n, p.device_n),
  s.ts,
  s.dur,
  e.name,
  e.kind,
  CASE
    WHEN e.kind = 'sync' THEN 'sync'
    WHEN e.kind <> 'kernel' THEN 'memory'
    WHEN is_communication(e.name) OR e.category = 'collective_comm'
      THEN 'communication'
    ELSE 'compute'
  END,
  coalesce(e.w.stream, p.stream),
  e.w.correlation,
  e.w."External id",
  e.w.context,
  coalesce(e.w.bytes, e.w.size),
  coalesce(
    CASE e.w.direction
      WHEN 'HOST_TO_DEVICE' THEN 'HtoD'
      WHEN 'DEVICE_TO_HOST' THEN 'DtoH'
      WHEN 'DEVICE_TO_DEVICE' THEN 'DtoD'
      ELSE e.w.direction
    END,
    CASE
      WHEN e.kind = 'memcpy' THEN nullif(regexp_extract(e.name, '\b([HDPA])[a-z]*[tT]o([HDPA])\b', 0), '')
    END,
    CASE WHEN e.kind = 'memcpy' THEN e.w.kind END
  ),
  e.w.grid[1],
  e.w.grid[2],
  e.w.grid[3],
  e.w.block[1],
  e.w.block[2],
  e.w.block[3],
  e.w."registers per thread",
  e.w."shared memory",
  e.w."est. achieved occupancy %",
  e.w.queued,
  e.w."graph id",
  e.w."graph node id",
  e.w.cuda_sync_kind,
  e.w.wait_on_stream,
  e.w.wait_on_cuda_event_id,
  e.w.wait_on_cuda_event_record_corr_id
FROM (
  SELECT
    *,
    details.device AS w,
    category_of(cat) AS category,
    CASE category_of(cat)
      WHEN 'kernel' THEN 'kernel'
      WHEN 'gpu_memcpy' THEN 'memcpy'
      WHEN 'gpu_memset' THEN 'memset'
      WHEN 'cuda_sync' THEN 'sync'
      WHEN 'mtia_ccp_events' THEN CASE
        WHEN name LIKE 'dma%' THEN 'memcpy'
        WHEN name LIKE 'event_%' THEN 'sync'
        ELSE 'kernel'
      END
      ELSE 'kernel'
    END AS kind
  FROM scratch.event
  WHERE is_device_work(cat)
) AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
LEFT JOIN scratch.stream_place AS p ON p.place_n = s.track_n
LEFT JOIN scratch.device_place AS d ON d.ordinal = e.w.device
ORDER BY s.slice_n;

INSERT INTO annotation
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  e.name,
  CASE WHEN e.cat = 'gpu_user_annotation' THEN 'device' ELSE 'host' END,
  NULL,
  e.details.op."External id"
FROM scratch.event AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
WHERE e.cat IN ('user_annotation', 'gpu_user_annotation')
ORDER BY s.slice_n;

INSERT INTO step
SELECT
  slice_id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  TRY_CAST(regexp_extract(name, '#(\d+)', 1) AS BIGINT)
FROM annotation
WHERE trace_id = getvariable('trace_id') AND side = 'host' AND name LIKE 'ProfilerStep%'
ORDER BY slice_id;

INSERT INTO python_call
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  e.name,
  e.c."Python id",
  e.c."Python parent id",
  e.c."Python module id"
FROM (
  SELECT
    seq,
    name,
    json_transform(
      args, '{"Python id":"BIGINT","Python parent id":"BIGINT","Python module id":"BIGINT"}'
    ) AS c
  FROM (SELECT seq, name, args FROM scratch.event WHERE is_python(cat))
) AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
ORDER BY s.slice_n;

-- Allocations and releases; the numbers of device types are those of c10::DeviceType.
INSERT INTO memory_event
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  e.name,
  m."Addr",
  m."Bytes",
  m."Total Allocated",
  m."Total Reserved",
  CASE m."Device Type"
    WHEN 0 THEN 'cpu'
    WHEN 1 THEN 'cuda'
    WHEN 6 THEN 'hip'
    WHEN 12 THEN 'xpu'
    WHEN 13 THEN 'mps'
    WHEN 15 THEN 'hpu'
    WHEN 19 THEN 'mtia'
    WHEN 20 THEN 'privateuseone'
    ELSE m."Device Type"::VARCHAR
  END,
  m."Device Id",
  NULL
FROM (
  SELECT
    seq,
    name,
    json_transform(
      args,
      '{"Addr":"UBIGINT","Bytes":"BIGINT","Total Allocated":"BIGINT","Total Reserved":"BIGINT",
        "Device Type":"BIGINT","Device Id":"BIGINT"}'
    ) AS m
  FROM scratch.event
  WHERE cat = 'cpu_instant_event' AND name = '[memory]'
) AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
ORDER BY s.slice_n;

-- Communication: what record_param_comms and NCCL kernels say of themselves, NCCL and RCCL
-- kernels that say nothing, and the ranges of libraries that have no kernels.
INSERT INTO collective
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  e.name,
  CASE WHEN is_device_work(e.cat) THEN 'device' ELSE 'host' END,
  coalesce(c."Collective name", lower(nullif(regexp_extract(
    e.name, '(?:(?:ncclKernel_|ncclDevKernel_|rcclKernel_)|(?:gloo|mpi|ucc|xccl|hccl):)([A-Za-z_]+?)(?:_(?:RING|TREE|COLLNET|NVLS|PAT|Sum|LL|SIMPLE).*|$|\()', 1), ''))),
  c."Process Group Name",
  c."Process Group Description",
  c."Group size",
  c."Process Group Ranks",
  coalesce(c."Src Rank", c."Dst Rank", c."Root rank"),
  c."Seq",
  c."In msg nelems",
  c."Out msg nelems",
  c."dtype",
  c."In msg nelems" * b.element_bytes,
  c."Out msg nelems" * b.element_bytes,
  lower(nullif(regexp_extract(e.name, '_(RING|TREE|COLLNET|NVLS|PAT)', 1), '')),
  nullif(regexp_extract(e.name, '_(LL128|LL|SIMPLE)', 1), ''),
  NULL,
  NULL
FROM (
  SELECT
    seq,
    cat,
    name,
    json_transform(
      args,
      '{"Collective name":"VARCHAR","Process Group Name":"VARCHAR",
        "Process Group Description":"VARCHAR","Group size":"BIGINT",
        "Process Group Ranks":"VARCHAR","Src Rank":"BIGINT","Dst Rank":"BIGINT",
        "Root rank":"BIGINT","Seq":"BIGINT","In msg nelems":"BIGINT","Out msg nelems":"BIGINT",
        "dtype":"VARCHAR"}'
    ) AS c
  FROM scratch.event
  WHERE (cat IN ('kernel', 'Kernel') AND is_communication(name))
    OR cat = 'collective_comm'
    OR (cat = 'cpu_op' AND name = 'record_param_comms')
    OR (cat = 'user_annotation' AND regexp_matches(name, '^(gloo|mpi|ucc|xccl|hccl):'))
) AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
LEFT JOIN (VALUES
  ('Float', 4), ('Half', 2), ('BFloat16', 2), ('Double', 8), ('Int', 4), ('Long', 8),
  ('Short', 2), ('Char', 1), ('Byte', 1), ('Bool', 1), ('Float8_e4m3fn', 1), ('Float8_e5m2', 1),
  ('ComplexFloat', 8), ('ComplexDouble', 16)
) AS b(data_type, element_bytes) ON b.data_type = c."dtype"
ORDER BY s.slice_n;

-- Hardware counters of CUPTI's range profiler: every number in the arguments of its ranges.
INSERT INTO metric
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY s.slice_n, e.name) - 1,
  getvariable('trace_id'),
  getvariable('first_id') + s.slice_n,
  NULL,
  NULL,
  e.name,
  TRY_CAST(json_extract_string(e.args, json_path(e.name)) AS DOUBLE),
  NULL,
  'source'
FROM (
  SELECT seq, args, unnest(json_keys(args)) AS name
  FROM scratch.event
  WHERE cat = 'cuda_profiler_range'
) AS e
JOIN scratch.slice_order AS s ON s.seq = e.seq
WHERE TRY_CAST(json_extract_string(e.args, json_path(e.name)) AS DOUBLE) IS NOT NULL
ORDER BY s.slice_n, e.name;

-- Typed copies that could not be made: the key is there, the value does not fit the type.
INSERT INTO import_problem
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY category) - 1,
  getvariable('trace_id'),
  'inexact_value',
  'note',
  count(*),
  NULL,
  min(args_json),
  category || ': correlation ids that are no 64-bit integer; the typed column is NULL'
FROM (
  SELECT slice_id FROM launch
  WHERE trace_id = getvariable('trace_id') AND correlation_id IS NULL
  UNION ALL
  SELECT slice_id FROM gpu_op
  WHERE trace_id = getvariable('trace_id') AND correlation_id IS NULL
) AS untyped
JOIN slice AS s ON s.id = untyped.slice_id AND s.trace_id = getvariable('trace_id')
WHERE json_exists(s.args_json, '$.correlation')
GROUP BY category;
