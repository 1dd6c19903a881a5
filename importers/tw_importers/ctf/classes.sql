-- What the classes of events mean, by their names. In: `event_class` (read.py). Out: `class_rule`,
-- one row for each class:
--   provider, event: the two parts of its name; older names of providers are replaced
--   step: 1 a begin, -1 an end, 0 neither
--   stem: begins and ends of one stem pair
--   pairing: what else pairs are equal in: thread (the last open one of the thread), named (the same,
--     with equal names), name, key (rendezvous key), count; of any thread for the last three
--   meaning: decides on the rows it becomes (normalize.sql)
--   timing: what the field `timestamp` counts, if it says when the event happened (times.sql)

CREATE TABLE rule (
  provider VARCHAR, event VARCHAR, step TINYINT, stem VARCHAR, pairing VARCHAR, meaning VARCHAR,
  timing VARCHAR
);

INSERT INTO rule VALUES
('tensorflowTracer', 'session_start', 1, 'session', 'count', 'session', NULL),
('tensorflowTracer', 'session_end', -1, 'session', 'count', 'session', NULL),
('tensorflowTracer', 'operation_start', 1, 'operation', 'named', 'operation', NULL),
('tensorflowTracer', 'operation_end', -1, 'operation', 'named', 'operation', NULL),
('tensorflowTracer', 'async_operation_start', 1, 'async_operation', 'name', 'async_operation', NULL),
('tensorflowTracer', 'async_operation_end', -1, 'async_operation', 'name', 'async_operation', NULL),
('tensorflowTracer', 'process_entry', 1, 'process', 'named', 'scheduling', NULL),
('tensorflowTracer', 'process_exit', -1, 'process', 'named', 'scheduling', NULL),
('tensorflowTracer', 'inline_ready_entry', 1, 'inline_ready', 'named', 'scheduling', NULL),
('tensorflowTracer', 'inline_ready_exit', -1, 'inline_ready', 'named', 'scheduling', NULL),
('tensorflowTracer', 'push_succ_entry', 1, 'push_succ', 'named', 'scheduling', NULL),
('tensorflowTracer', 'push_succ_exit', -1, 'push_succ', 'named', 'scheduling', NULL),
('tensorflowTracer', 'rdv_send', 1, 'rdv', 'name', 'rendezvous', NULL),
('tensorflowTracer', 'rdv_recv', -1, 'rdv', 'name', 'rendezvous', NULL),
('tensorflowTracer', 'bfc_allocator_stats', 0, NULL, NULL, 'allocator', NULL),
('tensorflowTracer', 'bfc_chunks_stats', 0, NULL, NULL, 'allocator', NULL),
('tensorflowTracer', 'bfc_bins_stats', 0, NULL, NULL, 'allocator_bin', NULL),
('tensorflowTracer', 'memory_allocate', 0, NULL, NULL, 'driver_memory', NULL),
('tensorflowTracer', 'memory_deallocate', 0, NULL, NULL, 'driver_memory', NULL),
('eigenTracer', 'schedule_entry', 1, 'schedule', 'named', 'scheduling', NULL),
('eigenTracer', 'schedule_exit', -1, 'schedule', 'named', 'scheduling', NULL),
('streamTracer', 'memcpy_start', 1, 'memcpy', 'named', 'stream_copy', NULL),
('streamTracer', 'memcpy_end', -1, 'memcpy', 'named', 'stream_copy', NULL),
('cudaTracer', 'runtime_api_entry', 1, 'runtime_api', 'name', 'cuda_api', 'cuda_ns'),
('cudaTracer', 'runtime_api_exit', -1, 'runtime_api', 'name', 'cuda_api', 'cuda_ns'),
('cudaTracer', 'driver_api_entry', 1, 'driver_api', 'name', 'cuda_api', 'cuda_ns'),
('cudaTracer', 'driver_api_exit', -1, 'driver_api', 'name', 'cuda_api', 'cuda_ns'),
('cudaTracer', 'kernel_begin', 1, 'kernel', 'name', 'kernel', 'cuda_us'),
('cudaTracer', 'kernel_end', -1, 'kernel', 'name', 'kernel', 'cuda_us'),
('cudaTracer', 'kernel_queued', 0, NULL, NULL, 'queued', 'cuda_us_queued'),
('cudaTracer', 'memcpy_begin', 1, 'memcpy', 'name', 'copy', 'cuda_us'),
('cudaTracer', 'memcpy_end', -1, 'memcpy', 'name', 'copy', 'cuda_us'),
('hipTracer', 'function_entry', 1, 'function', 'named', 'hip_api', NULL),
('hipTracer', 'function_exit', -1, 'function', 'named', 'hip_api', NULL),
('hsaTracer', 'function_entry', 1, 'function', 'named', 'hsa_api', NULL),
('hsaTracer', 'function_exit', -1, 'function', 'named', 'hsa_api', NULL),
('hsaTracer', 'pool_memory_allocate', 0, NULL, NULL, 'pool_memory', NULL),
('hsaTracer', 'pool_memory_free', 0, NULL, NULL, 'pool_memory', NULL),
('hcTracer', 'kernel_begin', 1, 'kernel', 'name', 'kernel', 'hc'),
('hcTracer', 'kernel_end', -1, 'kernel', 'name', 'kernel', 'hc'),
('hcTracer', 'async_memcpy_begin', 1, 'async_memcpy', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpy_end', -1, 'async_memcpy', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpyslo_begin', 1, 'async_memcpyslo', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpyslo_end', -1, 'async_memcpyslo', 'name', 'copy', 'hc'),
('hcTracer', 'barrier_begin', 1, 'barrier', 'name', 'barrier', 'hc'),
('hcTracer', 'barrier_end', -1, 'barrier', 'name', 'barrier', 'hc'),
('hcTracer', 'kernel_log_begin', 1, 'kernel_log', 'name', 'kernel', 'hc'),
('hcTracer', 'kernel_log_end', -1, 'kernel_log', 'name', 'kernel', 'hc'),
('hcTracer', 'async_memcpy_log_begin', 1, 'async_memcpy_log', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpy_log_end', -1, 'async_memcpy_log', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpyslo_log_begin', 1, 'async_memcpyslo_log', 'name', 'copy', 'hc'),
('hcTracer', 'async_memcpyslo_log_end', -1, 'async_memcpyslo_log', 'name', 'copy', 'hc'),
('hcTracer', 'barrier_log_begin', 1, 'barrier_log', 'name', 'barrier', 'hc'),
('hcTracer', 'barrier_log_end', -1, 'barrier_log', 'name', 'barrier', 'hc'),
('hcTracer', 'unpinned_memory_engine_copy_entry', 1, 'unpinned', 'named', 'hc_api', NULL),
('hcTracer', 'unpinned_memory_engine_copy_exit', -1, 'unpinned', 'named', 'hc_api', NULL),
('hcTracer', 'queue_stats', 0, NULL, NULL, 'queue_size', NULL),
('openclTracer', 'function_entry', 1, 'function', 'named', 'opencl_api', NULL),
('openclTracer', 'function_exit', -1, 'function', 'named', 'opencl_api', NULL),
('openclTracer', 'kernel_queued', 0, NULL, NULL, 'queued', 'opencl'),
('openclTracer', 'kernel_submitted', 0, NULL, NULL, 'queued', 'opencl'),
('openclTracer', 'kernel_begin', 1, 'kernel', 'name', 'kernel', 'opencl'),
('openclTracer', 'kernel_end', -1, 'kernel', 'name', 'kernel', 'opencl'),
('openclTracer', 'device_queued', 0, NULL, NULL, 'queued', 'opencl'),
('openclTracer', 'device_submitted', 0, NULL, NULL, 'queued', 'opencl'),
('openclTracer', 'device_begin', 1, 'device', 'name', 'copy', 'opencl'),
('openclTracer', 'device_end', -1, 'device', 'name', 'copy', 'opencl'),
('interceptionTracer', 'function_entry', 1, 'function', 'named', 'hsa_api', NULL),
('interceptionTracer', 'function_exit', -1, 'function', 'named', 'hsa_api', NULL),
('interceptionTracer', 'aql_kernel_dispatch_packet_submitted', 0, NULL, NULL, 'dispatch', NULL),
('interceptionTracer', 'kernel_begin', 1, 'kernel', 'queue', 'kernel', 'hsa_init'),
('interceptionTracer', 'kernel_end', -1, 'kernel', 'queue', 'kernel', 'hsa_init'),
('interceptionTracer', 'kernel_parameters', 0, NULL, NULL, 'parameters', NULL),
('interceptionTracer', 'perf_counter_uint32', 0, NULL, NULL, 'metric', NULL),
('interceptionTracer', 'perf_counter_uint64', 0, NULL, NULL, 'metric', NULL),
('interceptionTracer', 'perf_counter_float32', 0, NULL, NULL, 'metric', NULL),
('interceptionTracer', 'perf_counter_float64', 0, NULL, NULL, 'metric', NULL),
('grpcTracer', 'send_request', 0, NULL, NULL, 'rpc_send', NULL),
('grpcTracer', 'receive_request', 0, NULL, NULL, 'rpc_recv', NULL),
('grpcTracer', 'send_RecvTensor_request', 0, NULL, NULL, 'rpc_send', NULL),
('grpcTracer', 'receive_RecvTensor_request', 0, NULL, NULL, 'rpc_recv', NULL),
('grpcTracer', 'send_request_tensor_start', 1, 'send_request_tensor', 'key', 'rpc_client', NULL),
('grpcTracer', 'send_request_tensor_end', -1, 'send_request_tensor', 'key', 'rpc_client', NULL),
('grpcTracer', 'prepare_response_tensor_start', 1, 'prepare_response', 'key', 'rpc_server', NULL),
('grpcTracer', 'prepare_response_tensor_end', -1, 'prepare_response', 'key', 'rpc_server', NULL),
('grpcTracer', 'set_proto_from_gpu_start', 1, 'set_proto', 'key', 'rpc_part', NULL),
('grpcTracer', 'set_proto_from_gpu_end', -1, 'set_proto', 'key', 'rpc_part', NULL),
('grpcTracer', 'EncodeRecvTensorResponseToByteBuffer', 0, NULL, NULL, 'encode', NULL),
('grpcTracer', 'EncodeTensorToByteBuffer', 0, NULL, NULL, 'encode', NULL),
('lttng_ust_pthread', 'pthread_mutex_lock_req', 1, 'pthread_mutex_lock', 'lock', 'lock', NULL),
('lttng_ust_pthread', 'pthread_mutex_lock_acq', -1, 'pthread_mutex_lock', 'lock', 'lock', NULL),
('lttng_ust_libc', 'malloc', 0, NULL, NULL, 'heap', NULL),
('lttng_ust_libc', 'calloc', 0, NULL, NULL, 'heap', NULL),
('lttng_ust_libc', 'realloc', 0, NULL, NULL, 'heap', NULL),
('lttng_ust_libc', 'memalign', 0, NULL, NULL, 'heap', NULL),
('lttng_ust_libc', 'posix_memalign', 0, NULL, NULL, 'heap', NULL),
('lttng_ust_libc', 'free', 0, NULL, NULL, 'heap', NULL),
('', 'sched_switch', 0, NULL, NULL, 'switch', NULL);

-- Of all others, names decide: _entry and _exit, _begin and _end, _start and _end; and those of
-- system calls in the kernel, as in syscall_entry_open.
CREATE TABLE class_rule AS
WITH named AS (
  SELECT
    *,
    CASE WHEN contains(name, ':') THEN split_part(name, ':', 1) ELSE '' END AS own_provider,
    CASE WHEN contains(name, ':') THEN substr(name, strpos(name, ':') + 1) ELSE name END AS event
  FROM event_class
),
alike AS (
  SELECT
    *,
    CASE own_provider
      WHEN 'cuptiTracer' THEN 'cudaTracer' WHEN 'hccTracer' THEN 'hcTracer' ELSE own_provider
    END AS provider,
    regexp_extract(event, '_(entry|exit|begin|end|start)(_nm)?$', 1) AS ending,
    regexp_extract(event, '^(?:compat_)?syscall_(entry|exit)_', 1) AS infix
  FROM named
)
SELECT
  a.class_n,
  a.trace_n,
  a.name,
  a.provider,
  a.event,
  a.attributes_json,
  a.fields_json,
  CASE
    WHEN a.own_provider = 'lttng_python' THEN 0
    WHEN r.event IS NOT NULL THEN r.step
    WHEN 'entry' IN (a.ending, a.infix) OR a.ending IN ('begin', 'start') THEN 1
    WHEN 'exit' IN (a.ending, a.infix) OR a.ending = 'end' THEN -1
    ELSE 0
  END::TINYINT AS step,
  CASE
    WHEN r.event IS NOT NULL THEN a.provider || ':' || r.stem
    WHEN a.infix <> '' THEN replace(a.event, 'syscall_' || a.infix, 'syscall')
    WHEN a.ending <> '' THEN
      regexp_replace(a.name, '_(entry|exit|begin|end|start)(_nm)?$', '\2')
  END AS stem,
  CASE WHEN r.event IS NOT NULL THEN r.pairing ELSE 'thread' END AS pairing,
  CASE WHEN a.own_provider = 'lttng_python' THEN 'python' ELSE coalesce(r.meaning, 'other') END
    AS meaning,
  r.timing
FROM alike AS a
LEFT JOIN rule AS r ON r.provider = a.provider AND r.event = a.event;
