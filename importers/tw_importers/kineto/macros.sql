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

-- Work of a device; its pid is the device and its tid the stream. (Plain lists of raw categories,
-- here and below, because such a filter is pushed down into the scan.)
CREATE OR REPLACE TEMP MACRO is_device_work(raw) AS (
  raw IN (
    'kernel', 'Kernel', 'gpu_memcpy', 'Memcpy', 'memcpy', 'gpu_memset', 'Memset', 'memset',
    'cuda_sync', 'mtia_ccp_events', 'collective_comm'
  )
);

-- All that is shown on a stream: work, and the ranges the profiler projects onto it.
CREATE OR REPLACE TEMP MACRO is_on_device(raw) AS (
  is_device_work(raw) OR raw = 'gpu_user_annotation'
);

-- A host call into a device runtime or driver.
CREATE OR REPLACE TEMP MACRO is_launch(raw) AS (
  raw IN (
    'cuda_runtime', 'Runtime', 'runtime', 'cuda_driver', 'hip_runtime', 'hip_driver',
    'mtia_runtime', 'mtia_ccp_events_runtime', 'xpu_runtime', 'xpu_driver',
    'privateuse1_runtime', 'privateuse1_driver', 'glow_runtime'
  )
);

-- An operator of the framework; a call of a Python function.
CREATE OR REPLACE TEMP MACRO is_operator(raw) AS (raw IN ('cpu_op', 'Operator'));
CREATE OR REPLACE TEMP MACRO is_python(raw) AS (raw IN ('python_function', 'python_call'));

-- A kernel of NCCL or RCCL, by its name.
CREATE OR REPLACE TEMP MACRO is_communication(kernel_name) AS (
  contains(lower(kernel_name), 'nccl') OR contains(lower(kernel_name), 'rccl')
);

-- Recorded arrows that say again what correlation ids say better.
CREATE OR REPLACE TEMP MACRO is_restated_flow(raw) AS (
  raw IN ('ac2g', 'async_cpu_to_gpu', 'async_gpu')
);

-- Numbers that do not fit their type become NULL here; slice.args_json keeps their text.
CREATE OR REPLACE TEMP MACRO details(category, args) AS struct_pack(
  op := CASE
    WHEN is_operator(category) OR category IN ('user_annotation', 'gpu_user_annotation')
      THEN json_transform(
        args,
        '{"External id":"BIGINT","Sequence number":"BIGINT","Fwd thread id":"BIGINT",
          "Record function id":"BIGINT","Ev Idx":"BIGINT","Input Dims":"JSON",
          "Input type":"JSON","Input Strides":"JSON","Concrete Inputs":"JSON"}'
      )
  END,
  launch := CASE
    WHEN is_launch(category) THEN json_transform(
      args, '{"correlation":"BIGINT","External id":"BIGINT","cbid":"BIGINT","cid":"BIGINT"}'
    )
  END,
  device := CASE
    WHEN is_device_work(category) THEN json_transform(
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
