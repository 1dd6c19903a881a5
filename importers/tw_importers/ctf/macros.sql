-- Macros of the importer's scripts.

-- floor((a / n + b / n) / 2) of integers, also negative ones
CREATE OR REPLACE TEMP MACRO floor_half(a, b, n) AS
  (a + b) // (2 * n) - if((a + b) % (2 * n) < 0, 1, 0);

-- A field of the payload as text; as a whole number
CREATE OR REPLACE TEMP MACRO field_text(payload, path) AS json_extract_string(payload, path);
CREATE OR REPLACE TEMP MACRO field_number(payload, path) AS
  TRY_CAST(json_extract_string(payload, path) AS BIGINT);

-- An address, printed as 0x...
CREATE OR REPLACE TEMP MACRO hexadecimal(text) AS
  TRY_CAST(CASE WHEN text LIKE '0x%' THEN text ELSE '0x' || text END AS UBIGINT);

-- The rows that events of a meaning become
CREATE OR REPLACE TEMP MACRO stored_as(meaning) AS CASE meaning
  WHEN 'session' THEN 'step' WHEN 'operation' THEN 'cpu_op' WHEN 'async_operation' THEN 'cpu_op'
  WHEN 'cuda_api' THEN 'launch' WHEN 'hip_api' THEN 'launch' WHEN 'hsa_api' THEN 'launch'
  WHEN 'hc_api' THEN 'launch' WHEN 'opencl_api' THEN 'launch' WHEN 'stream_copy' THEN 'launch'
  WHEN 'dispatch' THEN 'launch' WHEN 'kernel' THEN 'gpu_op' WHEN 'copy' THEN 'gpu_op'
  WHEN 'barrier' THEN 'gpu_op' WHEN 'queued' THEN 'gpu_op' WHEN 'allocator' THEN 'counter, memory_event'
  WHEN 'allocator_bin' THEN 'counter' WHEN 'queue_size' THEN 'counter'
  WHEN 'driver_memory' THEN 'memory_event' WHEN 'pool_memory' THEN 'memory_event'
  WHEN 'heap' THEN 'memory_event' WHEN 'metric' THEN 'metric' WHEN 'python' THEN 'annotation'
  WHEN 'rpc_send' THEN 'rpc' WHEN 'rpc_recv' THEN 'rpc' WHEN 'rpc_client' THEN 'rpc'
  WHEN 'rpc_server' THEN 'rpc'
  ELSE 'slice'
END;

-- Kind and number of a device, such as /job:localhost/replica:0/task:0/device:GPU:0
CREATE OR REPLACE TEMP MACRO device_kind(device) AS
  lower(regexp_extract(device, '(?i)(gpu|cpu|sycl|tpu)[:_]', 1));
CREATE OR REPLACE TEMP MACRO device_ordinal(device) AS
  TRY_CAST(regexp_extract(device, '(\d+)$', 1) AS BIGINT);
