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
