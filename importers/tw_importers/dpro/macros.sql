-- Categories are assigned by documents.sql; those of the file are rarely set.
CREATE OR REPLACE TEMP MACRO category_of(raw) AS (raw);
CREATE OR REPLACE TEMP MACRO is_on_device(raw) AS (raw IN ('kernel', 'gpu_memcpy'));
CREATE OR REPLACE TEMP MACRO is_restated_flow(raw) AS (false);

-- The operator of an event: `long_name` is NAME:TYPE, perhaps below the function that contains it;
-- timelines of TensorFlow 1 have `name` and `op`, its type.
CREATE OR REPLACE TEMP MACRO operation_of(args, name) AS (
  regexp_replace(
    coalesce(
      split_part(json_extract_string(args, '$.long_name'), ':', 1),
      CASE WHEN json_exists(args, '$.op') THEN split_part(json_extract_string(args, '$.name'), ':', 1) END,
      name
    ),
    '^StatefulPartitionedCall.*?/', ''
  )
);

-- Size of an element of a TensorFlow data type.
CREATE OR REPLACE TEMP MACRO bytes_of(data_type) AS (
  CASE
    WHEN data_type IN ('bool', 'int8', 'uint8', 'qint8', 'quint8') THEN 1
    WHEN data_type IN ('half', 'float16', 'bfloat16', 'int16', 'uint16') THEN 2
    WHEN data_type IN ('float', 'float32', 'int32', 'uint32') THEN 4
    WHEN data_type IN ('double', 'float64', 'int64', 'uint64', 'complex64') THEN 8
    WHEN data_type = 'complex128' THEN 16
  END::BIGINT
);

-- The node of MXNet's operator in the graph, as in FW.dense0: the profiler names dense0_fwd and
-- dense0_fwd_backward, Gluon adds keys as in "name=dense0_fwd;".
CREATE OR REPLACE TEMP MACRO mxnet_node_of(name) AS (
  CASE WHEN contains(name, '_backward') THEN 'BW.' ELSE 'FW.' END
  || regexp_replace(
    CASE WHEN contains(name, 'name=') THEN regexp_extract(name, 'name=([^;]*)', 1) ELSE name END,
    '(_backward|_fwd).*$', '', 's'
  )
);
