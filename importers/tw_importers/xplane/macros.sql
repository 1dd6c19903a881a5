-- How XPlane writes times, sizes and places.

-- Whole nanoseconds at or before a time in picoseconds.
CREATE OR REPLACE TEMP MACRO whole_ns(ps) AS (
  CASE WHEN ps >= 0 THEN ps // 1000 ELSE (ps - 999) // 1000 END
);

-- "regs:32 static_shared:0 grid:8,1,1 block:256,1,1": the number of a member, or one of its three.
CREATE OR REPLACE TEMP MACRO detail(details, member, n) AS (
  TRY_CAST(split_part(regexp_extract(details, '(?:^| )' || member || ':([0-9,]+)', 1), ',', n) AS BIGINT)
);

-- MemcpyH2D, cuMemcpyHtoDAsync, hipMemcpyDtoDAsync, or "kind_src:pageable kind_dst:device".
CREATE OR REPLACE TEMP MACRO copy_of(operation, details) AS (
  coalesce(
    nullif(concat_ws('to',
      nullif(regexp_extract(operation, '(?i)memcpy *([HDP])(?:2|to)([HDP])', 1), ''),
      nullif(regexp_extract(operation, '(?i)memcpy *([HDP])(?:2|to)([HDP])', 2), '')
    ), ''),
    CASE
      WHEN details LIKE '%kind_src:device%kind_dst:device%' THEN 'DtoD'
      WHEN details LIKE '%kind_src:device%' AND details LIKE '%kind_dst:%' THEN 'DtoH'
      WHEN details LIKE '%kind_src:%' AND details LIKE '%kind_dst:device%' THEN 'HtoD'
      WHEN details LIKE '%kind_src:%' AND details LIKE '%kind_dst:%' THEN 'HtoH'
    END
  )
);

-- Functions of the GPU's runtime and driver, in Kineto's categories.
CREATE OR REPLACE TEMP MACRO call_category(function_name) AS (
  CASE
    WHEN regexp_matches(function_name, '^cuda[A-Z]') THEN 'cuda_runtime'
    WHEN regexp_matches(function_name, '^cu[A-Z]') THEN 'cuda_driver'
    WHEN regexp_matches(function_name, '^hip[A-Z]') THEN 'hip_runtime'
    WHEN regexp_matches(function_name, '^hsa_') THEN 'hsa_driver'
    ELSE 'runtime'
  END
);

-- Some statistics by their names and types, from their text; all NULL where that is no JSON.
CREATE OR REPLACE TEMP MACRO statistics(stats, structure) AS (
  CASE WHEN stats <> '' THEN TRY(json_transform(json_of(stats), structure)) END
);

-- The category of an instruction, as XLA's HloInstruction::ToCategory names it.
CREATE OR REPLACE TEMP MACRO category_of(opcode, fusion_kind, is_base_dilated, is_window_dilated) AS (
  CASE
    WHEN opcode = 'fusion' THEN concat_ws(' ', lower(fusion_kind[2:]), 'fusion')
    WHEN opcode = 'convolution' THEN concat_ws(' ',
      opcode,
      CASE WHEN is_base_dilated THEN 'base-dilated' END,
      CASE WHEN is_window_dilated THEN 'window-dilated' END
    )
    WHEN opcode IN ('transpose', 'copy', 'reshape', 'dynamic-reshape') THEN 'data formatting'
    WHEN opcode IN (
      'abs', 'acos', 'acosh', 'asin', 'asinh', 'atanh', 'bitcast-convert', 'cbrt', 'ceil', 'convert',
      'cosh', 'cosine', 'count-leading-zeros', 'erf', 'exponential', 'exponential-minus-one', 'floor',
      'imag', 'is-finite', 'log', 'log-plus-one', 'logistic', 'negate', 'not', 'popcnt', 'real',
      'reduce-precision', 'round-nearest-afz', 'round-nearest-even', 'rsqrt', 'sign', 'sine', 'sinh',
      'sqrt', 'tan', 'tanh',
      'add', 'and', 'atan2', 'compare', 'complex', 'divide', 'maximum', 'minimum', 'mulhi', 'multiply',
      'or', 'power', 'remainder', 'shift-left', 'shift-right-arithmetic', 'shift-right-logical',
      'stochastic-convert', 'subtract', 'xor',
      'clamp', 'constant', 'map', 'rng', 'select'
    ) THEN 'non-fusion elementwise'
    ELSE opcode
  END
);

-- "jit(step)/dot_general:Einsum": the name of an operation of the framework, and its type, if any.
CREATE OR REPLACE TEMP MACRO framework_operation(op_name, op_type) AS (
  op_name || ':' || coalesce(op_type, '')
);
