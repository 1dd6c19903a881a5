-- What Kineto's categories mean, and what its detail tables want typed out of `args`.
-- Names: libkineto/include/ActivityType.h and the older spellings of its first releases.

-- One name for each category; the raw one stays in slice.extra_json where it differs.
CREATE OR REPLACE TEMP MACRO category_of(raw) AS (
  CASE raw
    WHEN 'Operator' THEN 'cpu_op'
    WHEN 'Runtime' THEN 'cuda_runtime'
    WHEN 'Kernel' THEN 'kernel'
    WHEN 'Memcpy' THEN 'gpu_memcpy'
    WHEN 'Memset' THEN 'gpu_memset'
    WHEN 'memcpy' THEN 'gpu_memcpy'
    WHEN 'memset' THEN 'gpu_memset'
    WHEN 'runtime' THEN 'cuda_runtime'
    WHEN 'python_call' THEN 'python_function'
    ELSE raw
  END
);

-- Work of a device; its pid is the device and its tid the stream.
CREATE OR REPLACE TEMP MACRO is_device_work(category) AS (
  category IN (
    'kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_sync', 'mtia_ccp_events', 'collective_comm',
    'gpu_user_annotation'
  )
);

-- A host call into a device runtime or driver.
CREATE OR REPLACE TEMP MACRO is_launch(category) AS (
  category IN (
    'cuda_runtime', 'cuda_driver', 'hip_runtime', 'hip_driver', 'mtia_runtime',
    'mtia_ccp_events_runtime', 'xpu_runtime', 'xpu_driver', 'privateuse1_runtime',
    'privateuse1_driver', 'glow_runtime'
  )
);

-- Recorded arrows that say again what correlation ids say better.
CREATE OR REPLACE TEMP MACRO is_restated_flow(category) AS (
  category IN ('ac2g', 'async_cpu_to_gpu', 'async_gpu')
);

-- Numbers that do not fit their type become NULL here; slice.args_json keeps their text.
CREATE OR REPLACE TEMP MACRO details(category, args) AS struct_pack(
  op := CASE
    WHEN category_of(category) IN ('cpu_op', 'user_annotation', 'gpu_user_annotation')
      THEN json_transform(
        args,
        '{"External id":"BIGINT","Sequence number":"BIGINT","Fwd thread id":"BIGINT",
          "Record function id":"BIGINT","Ev Idx":"BIGINT","Input Dims":"JSON",
          "Input type":"JSON","Input Strides":"JSON","Concrete Inputs":"JSON"}'
      )
  END,
  launch := CASE
    WHEN is_launch(category_of(category)) THEN json_transform(
      args, '{"correlation":"BIGINT","External id":"BIGINT","cbid":"BIGINT","cid":"BIGINT"}'
    )
  END,
  device := CASE
    WHEN is_device_work(category_of(category)) THEN json_transform(
      args,
      '{"correlation":"BIGINT","External id":"BIGINT","device":"BIGINT","stream":"BIGINT",
        "context":"BIGINT","bytes":"BIGINT","size":"BIGINT","grid":["BIGINT"],
        "block":["BIGINT"],"registers per thread":"BIGINT","shared memory":"BIGINT",
        "queued":"BIGINT","est. achieved occupancy %":"DOUBLE","kind":"VARCHAR",
        "direction":"VARCHAR","graph id":"BIGINT","graph node id":"BIGINT",
        "cuda_sync_kind":"VARCHAR","wait_on_stream":"BIGINT","wait_on_cuda_event_id":"BIGINT",
        "wait_on_cuda_event_record_corr_id":"BIGINT"}'
    )
  END
);
