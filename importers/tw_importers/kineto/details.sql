-- Kineto's largest detail tables, of the slices of one part of `sorted_span`, typed out of their
-- arguments; inside the transaction of the import.
-- Variables: trace_id, first_id, and first_row and last_row, the part's first and last slice_n.
-- Slices are stored by category, so that each statement scans little more than it uses. Numbers that
-- do not fit their column are NULL there; slice.args_json keeps their text.

INSERT INTO cpu_op (
  slice_id, trace_id, track_id, ts, dur, name, external_id, record_function_id, sequence_number,
  forward_thread_id, event_index, input_dims_json, input_type_json, input_strides_json,
  concrete_inputs_json
)
SELECT
  id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  a."External id",
  a."Record function id",
  a."Sequence number",
  a."Fwd thread id",
  a."Ev Idx",
  a."Input Dims",
  a."Input type",
  a."Input Strides",
  a."Concrete Inputs"
FROM (
  SELECT
    *,
    json_transform(
      args_json,
      '{"External id":"BIGINT","Sequence number":"BIGINT","Fwd thread id":"BIGINT",
        "Record function id":"BIGINT","Ev Idx":"BIGINT","Input Dims":"JSON",
        "Input type":"JSON","Input Strides":"JSON","Concrete Inputs":"JSON"}'
    ) AS a
  FROM slice
  WHERE trace_id >= getvariable('trace_id')
    AND category = 'cpu_op'
    AND id BETWEEN getvariable('first_id') + getvariable('first_row')
      AND getvariable('first_id') + getvariable('last_row')
)
ORDER BY id;

INSERT INTO launch (
  slice_id, trace_id, track_id, ts, dur, name, category, correlation_id, external_id, callback_id
)
SELECT
  id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  category,
  a."correlation",
  a."External id",
  coalesce(a."cbid", a."cid")
FROM (
  SELECT
    *,
    json_transform(
      args_json,
      '{"correlation":"BIGINT","External id":"BIGINT","cbid":"BIGINT","cid":"BIGINT"}'
    ) AS a
  FROM slice
  WHERE trace_id >= getvariable('trace_id')
    AND category IN (
      'cuda_runtime', 'cuda_driver', 'hip_runtime', 'hip_driver', 'mtia_runtime',
      'mtia_ccp_events_runtime', 'xpu_runtime', 'xpu_driver', 'privateuse1_runtime',
      'privateuse1_driver', 'glow_runtime'
    )
    AND id BETWEEN getvariable('first_id') + getvariable('first_row')
      AND getvariable('first_id') + getvariable('last_row')
)
ORDER BY id;

-- MTIA has one category for all device work; names distinguish copies and waits.
INSERT INTO gpu_op (
  slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream, correlation_id,
  external_id, context_id, bytes, direction, grid_x, grid_y, grid_z, block_x, block_y, block_z,
  registers_per_thread, shared_memory_bytes, occupancy_percent, queued_ns, graph_id,
  graph_node_id, sync_kind, wait_on_stream, wait_on_event_id, wait_on_correlation_id
)
SELECT
  s.id,
  s.trace_id,
  s.track_id,
  coalesce(d.id, t.device_id),
  s.ts,
  s.dur,
  s.name,
  s.kind,
  CASE
    WHEN s.kind = 'sync' THEN 'sync'
    WHEN s.kind <> 'kernel' THEN 'memory'
    WHEN s.category = 'collective_comm' OR is_communication(s.name) THEN 'communication'
    ELSE 'compute'
  END,
  coalesce(s.a."stream", t.stream),
  s.a."correlation",
  s.a."External id",
  s.a."context",
  coalesce(s.a."bytes", s.a."size"),
  CASE
    WHEN s.a."direction" = 'HOST_TO_DEVICE' THEN 'HtoD'
    WHEN s.a."direction" = 'DEVICE_TO_HOST' THEN 'DtoH'
    WHEN s.a."direction" = 'DEVICE_TO_DEVICE' THEN 'DtoD'
    WHEN s.kind = 'memcpy' THEN coalesce(
      s.a."direction",
      nullif(regexp_extract(s.name, '\b[HDPA]to[HDPA]\b'), ''),
      xpu_direction(s.name),
      s.a."kind"
    )
  END,
  s.a."grid"[1],
  s.a."grid"[2],
  s.a."grid"[3],
  s.a."block"[1],
  s.a."block"[2],
  s.a."block"[3],
  s.a."registers per thread",
  s.a."shared memory",
  s.a."est. achieved occupancy %",
  s.a."queued",
  s.a."graph id",
  s.a."graph node id",
  s.a."cuda_sync_kind",
  s.a."wait_on_stream",
  s.a."wait_on_cuda_event_id",
  s.a."wait_on_cuda_event_record_corr_id"
FROM (
  SELECT
    *,
    CASE category
      WHEN 'gpu_memcpy' THEN 'memcpy'
      WHEN 'gpu_memset' THEN 'memset'
      WHEN 'cuda_sync' THEN 'sync'
      WHEN 'mtia_ccp_events' THEN CASE
        WHEN name LIKE 'dma%' THEN 'memcpy'
        WHEN name LIKE 'event_%' THEN 'sync'
        ELSE 'kernel'
      END
      ELSE 'kernel'
    END AS kind,
    json_transform(
      args_json,
      '{"correlation":"BIGINT","External id":"BIGINT","device":"BIGINT","stream":"BIGINT",
        "context":"BIGINT","bytes":"BIGINT","size":"BIGINT","grid":["BIGINT"],
        "block":["BIGINT"],"registers per thread":"BIGINT","shared memory":"BIGINT",
        "queued":"BIGINT","est. achieved occupancy %":"DOUBLE","kind":"VARCHAR",
        "direction":"VARCHAR","graph id":"BIGINT","graph node id":"BIGINT",
        "cuda_sync_kind":"VARCHAR","wait_on_stream":"BIGINT","wait_on_cuda_event_id":"BIGINT",
        "wait_on_cuda_event_record_corr_id":"BIGINT"}'
    ) AS a
  FROM slice
  WHERE trace_id >= getvariable('trace_id')
    AND category IN (
      'kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_sync', 'mtia_ccp_events', 'collective_comm'
    )
    AND id BETWEEN getvariable('first_id') + getvariable('first_row')
      AND getvariable('first_id') + getvariable('last_row')
) AS s
JOIN track AS t ON t.id = s.track_id
LEFT JOIN device AS d ON d.trace_id = s.trace_id AND d.ordinal = s.a."device"
WHERE s.category <> 'collective_comm' OR t.kind = 'stream'
ORDER BY s.id;

INSERT INTO python_call
SELECT
  id,
  trace_id,
  track_id,
  ts,
  dur,
  name,
  a."Python id",
  a."Python parent id",
  a."Python module id"
FROM (
  SELECT
    *,
    json_transform(
      args_json,
      '{"Python id":"BIGINT","Python parent id":"BIGINT","Python module id":"BIGINT"}'
    ) AS a
  FROM slice
  WHERE trace_id >= getvariable('trace_id')
    AND category = 'python_function'
    AND id BETWEEN getvariable('first_id') + getvariable('first_row')
      AND getvariable('first_id') + getvariable('last_row')
)
ORDER BY id;
