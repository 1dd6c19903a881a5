-- Shared by the SQL of all importers of GPU profilers.

-- A whole number of a text; NULL for anything else, fractions too.
CREATE OR REPLACE TEMP MACRO whole(text) AS (
  CASE WHEN NOT contains(text, '.') AND NOT contains(text, 'e') AND NOT contains(text, 'E')
    THEN TRY_CAST(text AS BIGINT) END
);

-- 0x7ffb26354000, or a decimal number.
CREATE OR REPLACE TEMP MACRO address_of(text) AS (
  TRY_CAST(text AS UBIGINT)
);

-- An object of members, texts such as "n":1 with commas between; an absent one is NULL for concat_ws,
-- which makes one in a fifth of the time json_merge_patch takes to remove it.
CREATE OR REPLACE TEMP MACRO json_of(members) AS ('{' || members || '}');

-- A text as JSON writes it.
CREATE OR REPLACE TEMP MACRO quoted(text) AS (
  CASE WHEN text IS NOT NULL THEN to_json(text)::VARCHAR END
);

-- ROCm counts a grid in work-items, a workgroup may be partly empty.
CREATE OR REPLACE TEMP MACRO blocks(work_items, workgroup) AS (
  CASE WHEN work_items > 0 AND workgroup > 0 THEN (work_items - 1) // workgroup + 1 END
);

-- Released memory, matched with its allocation.
CREATE OR REPLACE TEMP MACRO minus(bytes) AS (
  TRY_CAST(-(bytes::HUGEINT) AS BIGINT)
);

-- Correlation ids are unique per process only: those of all processes but the first are shifted.
CREATE OR REPLACE TEMP MACRO one_id(id, process_n) AS (
  CASE WHEN process_n = 0 THEN id
    WHEN id > -(1::BIGINT << 40) AND id < 1::BIGINT << 40 AND process_n < 1 << 20
      THEN id + (process_n::BIGINT << 40) END
);

-- Names of copies of HIP and HSA in CUDA's terms.
CREATE OR REPLACE TEMP MACRO copy_direction(operation) AS (
  CASE
    WHEN operation LIKE '%HOST_TO_DEVICE%' THEN 'HtoD'
    WHEN operation LIKE '%DEVICE_TO_HOST%' THEN 'DtoH'
    WHEN operation LIKE '%DEVICE_TO_DEVICE%' THEN 'DtoD'
    WHEN operation LIKE '%HOST_TO_HOST%' THEN 'HtoH'
  END
);

-- A kernel of NCCL, RCCL or MSCCL, by its name.
CREATE OR REPLACE TEMP MACRO is_communication_kernel(kernel) AS (
  contains(lower(kernel), 'nccl') OR contains(lower(kernel), 'rccl')
  OR contains(lower(kernel), 'mscclkernel')
);

-- The collective a kernel (ncclDevKernel_AllReduce_Sum_f32_RING_LL) or a call (ncclAllReduce) is
-- named after; NULL for calls that move nothing and for kernels with other names.
CREATE OR REPLACE TEMP MACRO communication_of(function_name) AS (
  lower(coalesce(
    nullif(nullif(regexp_extract(function_name, '(?:nccl|rccl)(?:Dev)?Kernel_([A-Za-z]+)', 1), ''), 'Generic'),
    nullif(regexp_extract(
      function_name,
      '^(?:p?nccl|rccl)(AllReduce|AllGather|AllToAllv|AllToAll|Broadcast|Bcast|Gather|ReduceScatter|Reduce|Scatter|Send|Recv)(?:Bias|WithBias)?$',
      1
    ), '')
  ))
);
