-- Horovod gives events no categories.
CREATE OR REPLACE TEMP MACRO category_of(raw) AS (coalesce(raw, 'collective'));
CREATE OR REPLACE TEMP MACRO is_on_device(raw) AS (false);
CREATE OR REPLACE TEMP MACRO is_restated_flow(raw) AS (false);

-- The operation that a stage, or a tensor's process, is named after; NULL: none.
CREATE OR REPLACE TEMP MACRO operation_of(name) AS (
  CASE regexp_extract(
      lower(name), 'all_?reduce|all_?gather|broadcast|all_?to_?all|reduce_?scatter|adasum|barrier|join'
    )
    WHEN 'allreduce' THEN 'allreduce'
    WHEN 'all_reduce' THEN 'allreduce'
    WHEN 'adasum' THEN 'allreduce'
    WHEN 'allgather' THEN 'all_gather'
    WHEN 'all_gather' THEN 'all_gather'
    WHEN 'broadcast' THEN 'broadcast'
    WHEN 'alltoall' THEN 'all_to_all'
    WHEN 'all_to_all' THEN 'all_to_all'
    WHEN 'reducescatter' THEN 'reduce_scatter'
    WHEN 'reduce_scatter' THEN 'reduce_scatter'
    WHEN 'barrier' THEN 'barrier'
    WHEN 'join' THEN 'join'
  END
);

-- Size of an element of a data type as Horovod names it.
CREATE OR REPLACE TEMP MACRO bytes_of(data_type) AS (
  CASE
    WHEN data_type IN ('bool', 'byte', 'int8', 'uint8') THEN 1
    WHEN data_type IN ('float16', 'bfloat16', 'int16', 'uint16') THEN 2
    WHEN data_type IN ('float32', 'int32', 'uint32') THEN 4
    WHEN data_type IN ('float64', 'int64', 'uint64') THEN 8
  END::BIGINT
);
