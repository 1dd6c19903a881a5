-- The meaning of Kineto's categories.
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

-- All that is shown on a stream: work, and the ranges the profiler projects onto it. Its pid is
-- the device and its tid the stream. (A plain list of raw categories, here and below, because such
-- a filter is pushed down into the scan.)
CREATE OR REPLACE TEMP MACRO is_on_device(raw) AS (
  raw IN (
    'kernel', 'Kernel', 'gpu_memcpy', 'Memcpy', 'memcpy', 'gpu_memset', 'Memset', 'memset',
    'cuda_sync', 'mtia_ccp_events', 'gpu_user_annotation'
  )
);

-- What only threads do: the pid of these is that of a process.
CREATE OR REPLACE TEMP MACRO is_on_host(raw) AS (
  raw IN ('cpu_op', 'Operator', 'user_annotation', 'python_function', 'python_call', 'Runtime', 'runtime')
  OR raw LIKE '%\_runtime' ESCAPE '\' OR raw LIKE '%\_driver' ESCAPE '\'
);

-- A kernel of NCCL, RCCL or its MSCCL, by its name.
CREATE OR REPLACE TEMP MACRO is_communication(kernel_name) AS (
  contains(lower(kernel_name), 'nccl') OR contains(lower(kernel_name), 'rccl')
  OR contains(lower(kernel_name), 'mscclkernel')
);

-- Recorded arrows that repeat what correlation ids express better.
CREATE OR REPLACE TEMP MACRO is_restated_flow(raw) AS (
  raw IN ('ac2g', 'async_cpu_to_gpu', 'async_gpu')
);

-- A copy of an XPU: Memcpy M2D (MEMORY(Unknown) -> DEVICE); memory that its driver does not know is the
-- host's.
CREATE OR REPLACE TEMP MACRO xpu_direction(name) AS (
  replace(replace(nullif(regexp_extract(name, '^Memcpy ([MHD]2[MHD])\b', 1), ''), 'M', 'H'), '2', 'to')
);

-- The collective a kernel or range is named after: ncclDevKernel_AllReduce_Sum_f32_RING_LL is an
-- allreduce, gloo:all_reduce an all_reduce.
CREATE OR REPLACE TEMP MACRO collective_of(name) AS (
  lower(nullif(coalesce(
    nullif(regexp_extract(name, '(?:nccl|rccl)(?:Dev)?Kernel_([A-Za-z]+)', 1), ''),
    regexp_extract(name, '^(?:gloo|mpi|ucc|xccl|hccl)::?(\w+)', 1)
  ), ''))
);

-- Elements of all tensors among an operator's inputs, from their shapes: [[2, 3], [4]] are 10.
CREATE OR REPLACE TEMP MACRO elements_of(args) AS (
  list_sum(list_transform(
    json_transform(json_extract(args, '$."Input Dims"'), '[["BIGINT"]]'),
    lambda dims: list_product(dims)
  ))::BIGINT
);

-- Whether an annotation is a step of an inference engine: of vLLM with the requests, and their tokens,
-- in prefill (context) and in decode (generation), or of SGLang with its mode.
CREATE OR REPLACE TEMP MACRO is_engine_step(name) AS (
  regexp_full_match(
    name,
    'execute_(\d+_)?context_\d+\([^()]*\)_generation_\d+\([^()]*\)|step\[(EXTEND|DECODE|MIXED)( [a-z]+=\d+)*\]'
  )
);
