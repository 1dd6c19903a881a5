-- Views over the tables, recreated when this file changes.

-- The time window of the session's scope, one row; without a window all times are in it
CREATE OR REPLACE VIEW time_window AS
SELECT
  from_ns, -- [ns] start of the window, on the time axis of slice.ts
  to_ns -- [ns] end of the window, which is not in it
FROM (VALUES (-9223372036854775807, 9223372036854775807)) AS bounds(from_ns, to_ns);

-- Peak rates of devices that the configuration declares; a session fills it
CREATE OR REPLACE VIEW device_setting AS
SELECT
  NULL::VARCHAR AS name, -- [text] name of the device, as recorded
  NULL::DOUBLE AS bytes_per_s, -- [byte/s] memory bandwidth
  NULL::DOUBLE AS link_bytes_per_s, -- [byte/s] bandwidth to other devices, both directions together
  NULL::DOUBLE AS float64, -- [1/s] operations of this type
  NULL::DOUBLE AS float32, -- [1/s] operations of this type
  NULL::DOUBLE AS tfloat32, -- [1/s] operations of this type
  NULL::DOUBLE AS float16, -- [1/s] operations of this type
  NULL::DOUBLE AS bfloat16, -- [1/s] operations of this type
  NULL::DOUBLE AS float8, -- [1/s] operations of this type
  NULL::DOUBLE AS float4, -- [1/s] operations of this type
  NULL::DOUBLE AS int8 -- [1/s] operations of this type
WHERE false;

-- Operations and bytes of the user's own operators, by formulas that the configuration names; a session fills it
CREATE OR REPLACE VIEW own_operator_work AS
SELECT
  NULL::VARCHAR AS name, -- [text] operator, as recorded
  NULL::VARCHAR AS shapes, -- [json] input shapes
  NULL::VARCHAR AS types, -- [json] input types
  NULL::VARCHAR AS scalars, -- [json] values of non-tensor inputs
  NULL::DOUBLE AS flops, -- [count] floating-point operations; NULL: unknown
  NULL::DOUBLE AS bytes -- [byte] minimum traffic; NULL: unknown
WHERE false;

-- Types of tensor elements, as profilers print them; category is that of torch.result_type
CREATE OR REPLACE VIEW element_type AS
SELECT
  unnest(types) AS type, -- [text] type
  category, -- [count] 0 bool, 1 integer, 2 float, 3 complex
  n_bytes -- [byte] size of an element
FROM (VALUES
  (['bool'], 0, 1),
  (['unsigned char', 'signed char', 'char', 'c10::quint8', 'c10::qint8'], 1, 1),
  (['c10::Float8_e4m3fn', 'c10::Float8_e5m2', 'c10::Float8_e4m3fnuz', 'c10::Float8_e5m2fnuz',
    'c10::Float8_e8m0fnu'], 2, 1),
  (['short', 'short int', 'unsigned short', 'uint16_t'], 1, 2),
  (['c10::Half', 'c10::BFloat16'], 2, 2),
  (['int', 'unsigned int', 'uint32_t'], 1, 4),
  (['float'], 2, 4),
  (['c10::complex<c10::Half>'], 3, 4),
  (['long', 'long int', 'long long', 'unsigned long', 'uint64_t'], 1, 8),
  (['double'], 2, 8),
  (['c10::complex<float>'], 3, 8),
  (['c10::complex<double>'], 3, 16)
) AS e(types, category, n_bytes);

-- The tables that queries need to find causes, nesting and states: a time window hides nothing here.
-- Their rows are those of the traces in scope; further columns are in the tables.

-- Rows of slice in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_slice AS
SELECT
  id, -- [id] trace_id << 32 | n
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track
  ts, -- [ns] start, relative to trace.base_ns
  dur, -- [ns] duration as in the source, also if invalid; -1: did not end
  category, -- [text] kernel, gpu_memcpy, gpu_memset, cuda_runtime, cpu_op, user_annotation, ...
  name, -- [text] name
  depth, -- [count] number of slices of its track that contain it
  parent_id, -- [ref slice.id] innermost slice of its track that contains it
  is_leaf, -- [bool] true: no slice has it as its parent; NULL: one has, or it is not known
  args_json -- [json] arguments as written in the source; merged for a pair of B and E
FROM slice;

-- Rows of link in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_link AS
SELECT
  id, -- [id] trace_id << 32 | n; between traces, -(run_id << 32 | n) - 1
  trace_id, -- [ref trace.id] trace of both ends; NULL: between traces
  run_id, -- [ref run.id] run
  from_id, -- [ref slice.id] cause
  to_id, -- [ref slice.id] effect
  kind, -- [text] launch, sync_call: call to device work or wait; op_launch: operator to call; forward_backward; step, annotation: to device work launched inside; python, module: frame to operator; wait: device work to the call that waited; op_device: operator to device work without a recorded call, or replayed by a graph; rpc: sent to received request; flow: recorded arrow; collective_peer: between ranks
  rule, -- [text] how it was found, such as correlation or containment
  confidence, -- [ratio] 1 if recorded in the source, less if inferred
  link_set, -- [text] default, or the name of a compatible set of rules
  query, -- [text] linker that found it
  query_version -- [count] version of the linker
FROM link;

-- Rows of cpu_op in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_cpu_op AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  external_id, -- [source id] id of the operator call in the profiler; not unique within a file
  sequence_number, -- [source id] pairs a forward operator with its backward operator
  input_dims_json, -- [json] shapes of the inputs
  input_type_json, -- [json] types of the inputs
  input_strides_json, -- [json] strides of the inputs
  concrete_inputs_json -- [json] values of scalar inputs
FROM cpu_op;

-- Rows of launch in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_launch AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  category, -- [text] category of the slice: cuda_runtime, cuda_driver, hip_runtime, ...
  correlation_id, -- [source id] shared with the device work it launched; at best unique within a trace
  external_id -- [source id] id of the operator recorded around it
FROM launch;

-- Rows of gpu_op in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_gpu_op AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  device_id, -- [ref device.id] device it ran on
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  kind, -- [text] kernel, memcpy, memset or sync
  class, -- [text] compute, communication or memory; sync for waits
  stream, -- [count] stream or queue, as numbered in the source
  correlation_id, -- [source id] shared with the launch
  external_id, -- [source id] id of the operator recorded around the launch
  context_id, -- [source id] device context
  bytes, -- [byte] bytes copied or set, as in the source
  direction, -- [text] direction of a copy: HtoD, DtoH, DtoD, PtoP, HtoH; NULL: not recorded
  graph_id, -- [source id] CUDA or HIP graph it was launched in
  graph_node_id, -- [source id] node of that graph
  sync_kind, -- [text] name of a wait in the source
  wait_on_stream, -- [count] stream that a wait waits for
  wait_on_event_id, -- [source id] event that a wait waits for
  wait_on_correlation_id -- [source id] call that recorded that event
FROM gpu_op;

-- Rows of collective in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_collective AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  side, -- [text] host or device
  kind, -- [text] allreduce, all_gather, reduce_scatter, all_to_all, broadcast, send, recv, ...
  group_name, -- [text] name of the process group
  group_description, -- [text] description of the process group
  group_size, -- [count] number of ranks in the group
  group_ranks_json, -- [json] ranks in the group
  peer_rank, -- [count] other side of a send or recv; root of a rooted collective
  sequence_number, -- [source id] number of the operation in its group
  n_input_elements, -- [count] number of input elements
  n_output_elements, -- [count] number of output elements
  data_type, -- [text] element type
  input_bytes, -- [byte] size of the input message, if the element type is known
  output_bytes -- [byte] size of the output message, if the element type is known
FROM collective;

-- Rows of recorded_collective in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_recorded_collective AS
SELECT
  slice_id, -- [ref slice.id] the slice, from the call to the end
  trace_id, -- [ref trace.id] the trace
  track_id, -- [ref track.id] the slice's
  ts, -- [ns] the slice's: when the program called the operation
  dur, -- [ns] the slice's; 0: it ended, the time is not recorded; -1: it has not ended
  name, -- [text] the slice's
  record_id, -- [source id] number of the record in its process, from 0, in the order of the calls
  group_number, -- [source id] number of the process group in its process
  group_name, -- [text] process group
  group_description, -- [text] process group's description
  backend, -- [text] communication library: nccl, gloo, ...
  kind, -- [text] operation as the library names it: all_reduce, _all_gather_base, send, coalesced, ...
  peer_rank, -- [count] the other side of a send or recv, as rank in the group
  is_p2p, -- [bool] whether it is counted among sends and receives
  sequence_number, -- [source id] number among the collectives of the group, or among its sends and receives; equal for coalesced operations
  op_number, -- [source id] number among all operations of the group
  state, -- [text] scheduled, started or completed
  is_retired, -- [bool] whether the library no longer watches it, because it ended
  started_ts, -- [ns] when it was seen to have started, relative to trace.base_ns
  completed_ts, -- [ns] when it was seen to have ended, relative to trace.base_ns
  device_ns, -- [ns] its time on the device, if measured
  timeout_ns, -- [ns] time after which the library gives up
  input_sizes_json, -- [json] shapes of the inputs
  input_types_json, -- [json] data types of the inputs
  output_sizes_json, -- [json] shapes of the outputs
  output_types_json, -- [json] data types of the outputs
  call_stack_id -- [ref call_frame.call_stack_id] the calls that led to it; NULL: not recorded
FROM recorded_collective;

-- Rows of annotation in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_annotation AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  side, -- [text] host, or device for a range projected onto a stream
  domain, -- [text] NVTX domain or the like
  style, -- [text] push_pop: nests on its thread; start_end: may cross other ranges and threads; mark: an instant; NULL: not recorded
  category -- [text] category within its domain; NULL: none
FROM annotation;

-- Rows of step in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_step AS
SELECT
  slice_id, -- [ref slice.id] annotation of the step
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice
  number -- [count] number of the step in the source
FROM step;

-- Rows of python_call in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_python_call AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the slice
  ts, -- [ns] start of the slice, relative to trace.base_ns
  dur, -- [ns] duration of the slice
  name, -- [text] name of the slice: file(line): function
  python_id, -- [source id] id of the call in the profiler
  python_parent_id, -- [source id] id of the caller in the profiler
  python_module_id -- [source id] instance of the nn.Module it belongs to
FROM python_call;

-- Rows of counter in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_counter AS
SELECT
  id, -- [id] trace_id << 32 | n
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track of the counter
  ts, -- [ns] time, relative to trace.base_ns
  value -- [see track.unit] value from this instant on
FROM counter;

-- Rows of memory_event in the traces in scope, inside and outside of the time window
CREATE OR REPLACE VIEW whole_memory_event AS
SELECT
  slice_id, -- [ref slice.id] instant that recorded it; NULL: none
  trace_id, -- [ref trace.id] trace
  track_id, -- [ref track.id] track that recorded it
  ts, -- [ns] time, relative to trace.base_ns
  name, -- [text] name in the source
  address, -- [address] address of the block
  bytes, -- [byte] allocated bytes; negative: released
  total_allocated_bytes, -- [byte] bytes allocated after the event
  total_reserved_bytes, -- [byte] bytes reserved by the allocator after the event
  device_kind, -- [text] cpu, cuda, hip, ...
  device_ordinal, -- [count] number of the device; -1: host
  category, -- [text] parameter, gradient, activation, ..., if recorded
  call_stack_id, -- [ref call_frame.call_stack_id] call stack; NULL: not recorded
  source_order -- [count] position of the record in the source; NULL: not recorded
FROM memory_event;

-- Perfetto's flow: links of the default set as arrows between two slices, without those that assign
-- slices to a step, annotation, Python call or module
CREATE OR REPLACE VIEW flow AS
SELECT
  id, -- [ref link.id] link
  from_id AS slice_out, -- [ref slice.id] start of the arrow
  to_id AS slice_in, -- [ref slice.id] end of the arrow
  trace_id, -- [ref trace.id] NULL between traces
  kind AS name -- [text] kind of the link
FROM link
WHERE link_set = 'default' AND kind NOT IN ('step', 'annotation', 'python', 'module');

-- Perfetto's args: one row per argument of a slice, with keys prefixed by args.
CREATE OR REPLACE VIEW args AS
SELECT
  slice_id AS arg_set_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  'args.' || key AS flat_key, -- [text] key without list indexes
  'args.' || key AS key, -- [text] key
  CASE WHEN type IN ('BIGINT', 'UBIGINT') THEN TRY_CAST(value AS BIGINT) END
    AS int_value, -- [see key] value, if an integer
  CASE WHEN type = 'VARCHAR' THEN value END AS string_value, -- [text] value, if a string
  CASE WHEN type = 'DOUBLE' THEN TRY_CAST(value AS DOUBLE) END
    AS real_value, -- [see key] value, if a floating-point number
  value AS display_value, -- [text] value as text
  CASE type
    WHEN 'BIGINT' THEN 'int'
    WHEN 'UBIGINT' THEN 'int'
    WHEN 'DOUBLE' THEN 'real'
    WHEN 'BOOLEAN' THEN 'bool'
    WHEN 'NULL' THEN 'null'
    WHEN 'VARCHAR' THEN 'string'
    ELSE 'json'
  END AS value_type -- [text] int, real, bool, string, null or json
FROM (
  SELECT
    slice_id,
    trace_id,
    key,
    json_type(value_json) AS type,
    value_json ->> '$' AS value
  FROM (
    SELECT
      slice_id,
      trace_id,
      key,
      -- a key may hold the quote that ends a quoted path segment
      json_extract(args_json, '$."' || replace(replace(key, '\', '\\'), '"', '\"') || '"')
        AS value_json
    FROM (
      SELECT id AS slice_id, trace_id, args_json, unnest(json_keys(args_json)) AS key
      FROM slice
      WHERE args_json IS NOT NULL
    )
  )
);

-- Slices with times shared by all traces of a run; NULL: the offset of the clock is unknown
CREATE OR REPLACE VIEW aligned_slice AS
SELECT
  s.id AS slice_id, -- [ref slice.id] the slice that the row describes
  s.trace_id, -- [ref trace.id] trace
  t.run_id, -- [ref run.id] run
  t.rank, -- [count] rank of the trace
  s.track_id, -- [ref track.id] track of the slice
  t.base_ns + s.ts + c.offset_ns + coalesce(round(c.drift * s.ts)::BIGINT, 0)
    AS aligned_ts_ns, -- [ns] start in the shared time
  s.dur, -- [ns] duration of the slice
  s.category, -- [text] category of the slice
  s.name, -- [text] name of the slice
  c.method AS clock_method, -- [text] how the offset was determined
  c.uncertainty_ns -- [ns] half width of the interval that contains the true offset
FROM slice AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN clock AS c ON c.id = t.clock_id;

-- Launch and operator of each piece of device work, by the default set of links; orphans have none
CREATE OR REPLACE VIEW gpu_op_cause AS
SELECT
  g.slice_id, -- [ref slice.id] device work
  g.trace_id, -- [ref trace.id] trace
  l.from_id AS launch_id, -- [ref slice.id] launch
  CASE WHEN d.rule = 'graph_capture' THEN d.from_id ELSE coalesce(o.from_id, d.from_id) END AS cpu_op_id, -- [ref slice.id] operator: the one captured in the graph that the launch replays, else the innermost around the launch, else that of the same name
  l.from_id IS NULL AS is_orphan -- [bool] whether no launch was found
FROM gpu_op AS g
LEFT JOIN whole_link AS l ON l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
LEFT JOIN whole_link AS o ON o.to_id = l.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
LEFT JOIN whole_link AS d ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.link_set = 'default'
WHERE g.kind <> 'sync';

-- Commands of TPU captures: records with the properties of their operation
CREATE OR REPLACE VIEW tpu_command AS
SELECT
  r.slice_id, -- [ref slice.id] the slice that the row describes
  r.trace_id, -- [ref trace.id] trace
  o.track_id, -- [ref track.id] track of the slice
  r.ts, -- [ns] start of the slice, relative to trace.base_ns
  r.dur, -- [ns] duration of the slice
  o.name, -- [text] name of the slice
  o.core, -- [count] core number; NULL: CDMA, where ports belong to no core
  o.engine, -- [text] TIU, GDMA, SDMA, CDMA
  r.command_id, -- [source id] command number of the engine, unwrapped
  r.command_id - o.id_lift AS raw_command_id, -- [source id] number shown by the counter
  o.type, -- [text] command type, named the same for all chips and capture modes: conv, arith, dma_tensor, ...
  o.function, -- [text] command function, named the same for all chips and capture modes: add, mm2_nn, wait, ...
  o.source_name, -- [text] name in the vendor's tool, which differs by capture mode
  o.data_type, -- [text] element type
  o.direction, -- [text] direction of a transfer
  r.bytes, -- [byte] bytes transferred
  r.start_cycle::UBIGINT AS start_cycle, -- [cycle] start as shown by the 32-bit counter
  r.end_cycle::UBIGINT AS end_cycle, -- [cycle] end as shown by the 32-bit counter
  o.kernel_name, -- [text] kernel scope it ran in
  o.batch, -- [count] batch number
  o.layer, -- [text] layer of the model
  o.match_status, -- [text] word or image: matched to its command by number; heuristic: classified as send or wait by its counters; none
  o.pmu_layout, -- [text] tiu, dma or cdma, with the chip if layouts differ: names the table of its counters, tpu_<layout>_counter
  x.pmu, -- [see pmu_layout] all words of the record in order; only if reserved words are not 0
  o.device_id, -- [ref device.id] core, or port of CDMA
  o.port, -- [count] port of CDMA; NULL: an engine of a core
  o.submit_core, -- [count] for CDMA, the core whose command stream holds the command; NULL: not found
  r.record_n::BIGINT AS record_n, -- [count] position of the record in the dumped stream of its engine, from 0
  r.stream_n::BIGINT AS stream_n, -- [count] position in the stream of the engine as shown, from 0: after repairs, without preamble and dropped records
  CASE WHEN o.port IS NULL THEN r.command_id + 1 ELSE r.command_id END AS shown_id, -- [source id] command number in the vendor's tool, from 1
  r.section::BIGINT AS section, -- [count] number of the section of rising command numbers of its engine, from 0
  o.mode, -- [text] how it was issued: TDI, immediate; RVT, generated; DES, by descriptor; NULL: unknown command
  o.kind, -- [text] compute, transfer or sync; NULL: unknown
  o.type_code, -- [source id] command type in the command word or register image; NULL: unknown command
  o.function_code, -- [source id] function (TIU: eu, DMA: special function; RVT of CV84X6: variant); NULL: unknown command
  o.category, -- [text] group of functions, as named by the vendor's tool
  o.result_data_type, -- [text] element type of the result, if a register image has it
  o.source_memory, -- [text] source memory of a transfer: DDR, L2M or LMEM
  o.destination_memory, -- [text] destination memory of a transfer: DDR, L2M or LMEM
  x.source_address, -- [address] source address of a transfer, from its register image
  x.destination_address, -- [address] destination address of a transfer, from its register image
  CASE WHEN o.is_ddr THEN r.bytes WHEN NOT o.is_ddr THEN 0 END AS ddr_bytes, -- [byte] part of bytes that DDR bandwidth counts; NULL: not a transfer
  CASE WHEN o.is_l2 THEN r.bytes WHEN NOT o.is_l2 THEN 0 END AS l2_bytes, -- [byte] part of bytes that bandwidth of the L2 memory counts; NULL: not a transfer
  ((r.end_cycle::BIGINT - r.start_cycle) & 4294967295) + 1 AS cycles, -- [cycle] end_cycle - start_cycle + 1, wraps of the counter undone
  r.stall_cycles, -- [cycle] cycles stalled on memory, summed over interfaces as the chip defines them; NULL: not counted
  r.n_bank_conflicts, -- [count] conflicts of local memory's banks; NULL: not counted
  r.n_memory_transactions, -- [count] handshakes or requests on the memory side, as the chip defines it; NULL: not counted
  r.alg_ops, -- [count] operations the algorithm needs; NULL: unknown shapes
  r.uarch_ops, -- [count] operations of the hardware, with dimensions rounded up; NULL: unknown shapes
  r.alg_cycles, -- [cycle] minimum duration at the peak rate of the chip; NULL: unknown shapes
  o.kernel_scope, -- [source id] number of the kernel scope it ran in, over all files of the capture
  o.kernel_slice_id, -- [ref slice.id] annotation of that scope on its core; NULL: none
  o.layer_id, -- [ref tpu_layer.id] layer of the model; NULL: unknown
  x.registers_json, -- [json] fields of the register image by name; NULL: no image
  r.operation_id -- [ref tpu_operation.id] operation with the properties it shares with others
FROM (
  SELECT
    slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
    section, NULL::BIGINT AS bytes, n_read_stalls::BIGINT AS stall_cycles,
    NULL::BIGINT AS n_memory_transactions, n_bank_conflicts::BIGINT AS n_bank_conflicts, alg_ops,
    uarch_ops, alg_cycles
  FROM tpu_tiu_record
  UNION ALL
  SELECT
    slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
    section, bytes, stall_cycles, n_memory_transactions, NULL, NULL, NULL, NULL
  FROM tpu_dma_record
  UNION ALL
  SELECT
    slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
    section, bytes, stall_cycles, n_memory_transactions, NULL, NULL, NULL, NULL
  FROM tpu_dma_bm1688_record
  UNION ALL
  SELECT
    slice_id, trace_id, operation_id, ts, dur, command_id, start_cycle, end_cycle, record_n, stream_n,
    section, bytes, stall_cycles, n_memory_transactions, NULL, NULL, NULL, NULL
  FROM tpu_cdma_record
) AS r
JOIN tpu_operation AS o ON o.id = r.operation_id
-- Grouped, so that DuckDB can prove one row per slice and drop the join if its columns are not read.
LEFT JOIN (
  SELECT
    slice_id,
    any_value(source_address) AS source_address,
    any_value(destination_address) AS destination_address,
    any_value(registers_json) AS registers_json,
    any_value(pmu) AS pmu
  FROM tpu_command_extra
  GROUP BY slice_id
) AS x ON x.slice_id = r.slice_id;

-- Counters of TIU records; counters that a chip does not have are NULL
CREATE OR REPLACE VIEW tpu_tiu_counter AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  thread::BIGINT AS thread, -- [count] hardware thread
  n_bank_conflicts::BIGINT AS n_bank_conflicts, -- [count] conflicts of local memory's banks; AKS, AKSV, CV84X6
  computation_load, -- [count] load of the arrays, as BM1688 counts it
  n_reads::BIGINT AS n_reads, -- [count] reads of local memory; BM1688
  n_read_stalls::BIGINT AS n_read_stalls, -- [cycle] stalled reads of local memory; BM1688
  n_writes::BIGINT AS n_writes -- [count] writes of local memory; BM1688
FROM tpu_tiu_record;

-- Counters of GDMA and SDMA records of AKS, AKSV and CV84X6. axi: the side of DDR and L2; gif: the side of local memory
CREATE OR REPLACE VIEW tpu_dma_counter AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  thread::BIGINT AS thread, -- [count] hardware thread
  ar_latency_cycles::BIGINT AS ar_latency_cycles, -- [cycle] latency of read requests
  rip_valid_latency_cycles::BIGINT AS rip_valid_latency_cycles, -- [cycle] latency until read data was valid
  gif_stall_cycles::BIGINT AS gif_stall_cycles, -- [cycle] reads and writes stalled on the side of local memory
  axi_write_bytes::BIGINT AS axi_write_bytes, -- [byte] written to DDR or L2
  axi_n_read_requests::BIGINT AS axi_n_read_requests, -- [count] read requests to DDR or L2
  axi_n_write_requests::BIGINT AS axi_n_write_requests, -- [count] write requests to DDR or L2
  axi_write_stall_cycles::BIGINT AS axi_write_stall_cycles, -- [cycle] writes to DDR or L2 stalled
  axi_read_stall_cycles::BIGINT AS axi_read_stall_cycles, -- [cycle] reads from DDR or L2 stalled
  gif_write_bytes::BIGINT AS gif_write_bytes, -- [byte] written to local memory
  gif_read_bytes::BIGINT AS gif_read_bytes, -- [byte] read from local memory
  axi_n_write_beats::BIGINT AS axi_n_write_beats, -- [count] handshakes of writes to DDR or L2
  axi_n_read_beats::BIGINT AS axi_n_read_beats, -- [count] handshakes of reads from DDR or L2
  gif_n_write_beats::BIGINT AS gif_n_write_beats, -- [count] handshakes of writes to local memory
  gif_n_read_beats::BIGINT AS gif_n_read_beats -- [count] handshakes of reads from local memory
FROM tpu_dma_record;

-- Counters of GDMA records of BM1688, in the order of the record
CREATE OR REPLACE VIEW tpu_dma_bm1688_counter AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  d0_aw_bytes::BIGINT AS d0_aw_bytes, -- [byte] addressed by writes to the first DDR interface
  d0_wr_bytes::BIGINT AS d0_wr_bytes, -- [byte] written to the first DDR interface
  d0_ar_bytes::BIGINT AS d0_ar_bytes, -- [byte] read from the first DDR interface
  d1_aw_bytes::BIGINT AS d1_aw_bytes, -- [byte] addressed by writes to the second DDR interface
  d1_wr_bytes::BIGINT AS d1_wr_bytes, -- [byte] written to the second DDR interface
  d1_ar_bytes::BIGINT AS d1_ar_bytes, -- [byte] read from the second DDR interface
  fmem_aw_bytes::BIGINT AS fmem_aw_bytes, -- [byte] addressed by writes to local memory
  fmem_wr_bytes::BIGINT AS fmem_wr_bytes, -- [byte] written to local memory
  fmem_ar_bytes::BIGINT AS fmem_ar_bytes, -- [byte] read from local memory
  l2_aw_bytes::BIGINT AS l2_aw_bytes, -- [byte] addressed by writes to L2 memory
  l2_wr_bytes::BIGINT AS l2_wr_bytes, -- [byte] written to L2 memory
  l2_ar_bytes::BIGINT AS l2_ar_bytes, -- [byte] read from L2 memory
  d0_wr_valid_bytes::BIGINT AS d0_wr_valid_bytes, -- [byte] valid in writes to the first DDR interface
  d0_rd_valid_bytes::BIGINT AS d0_rd_valid_bytes, -- [byte] valid in reads from the first DDR interface
  d1_wr_valid_bytes::BIGINT AS d1_wr_valid_bytes, -- [byte] valid in writes to the second DDR interface
  d1_rd_valid_bytes::BIGINT AS d1_rd_valid_bytes, -- [byte] valid in reads from the second DDR interface
  fmem_wr_valid_bytes::BIGINT AS fmem_wr_valid_bytes, -- [byte] valid in writes to local memory
  fmem_rd_valid_bytes::BIGINT AS fmem_rd_valid_bytes, -- [byte] valid in reads from local memory
  l2_wr_valid_bytes::BIGINT AS l2_wr_valid_bytes, -- [byte] valid in writes to L2 memory
  l2_rd_valid_bytes::BIGINT AS l2_rd_valid_bytes, -- [byte] valid in reads from L2 memory
  d0_wr_stall_bytes::BIGINT AS d0_wr_stall_bytes, -- [byte] stalled in writes to the first DDR interface, as the hardware counts
  d0_rd_stall_bytes::BIGINT AS d0_rd_stall_bytes, -- [byte] stalled in reads from the first DDR interface, as the hardware counts
  d1_wr_stall_bytes::BIGINT AS d1_wr_stall_bytes, -- [byte] stalled in writes to the second DDR interface, as the hardware counts
  d1_rd_stall_bytes::BIGINT AS d1_rd_stall_bytes, -- [byte] stalled in reads from the second DDR interface, as the hardware counts
  fmem_wr_stall_bytes::BIGINT AS fmem_wr_stall_bytes, -- [byte] stalled in writes to local memory, as the hardware counts
  fmem_rd_stall_bytes::BIGINT AS fmem_rd_stall_bytes, -- [byte] stalled in reads from local memory, as the hardware counts
  l2_wr_stall_bytes::BIGINT AS l2_wr_stall_bytes, -- [byte] stalled in writes to L2 memory, as the hardware counts
  l2_rd_stall_bytes::BIGINT AS l2_rd_stall_bytes, -- [byte] stalled in reads from L2 memory, as the hardware counts
  d0_aw_end_cycle::BIGINT AS d0_aw_end_cycle, -- [cycle] raw counter at the last of write addresses of the first DDR interface
  d0_aw_start_cycle::BIGINT AS d0_aw_start_cycle, -- [cycle] raw counter at the first of write addresses of the first DDR interface
  d0_ar_end_cycle::BIGINT AS d0_ar_end_cycle, -- [cycle] raw counter at the last of read addresses of the first DDR interface
  d0_ar_start_cycle::BIGINT AS d0_ar_start_cycle, -- [cycle] raw counter at the first of read addresses of the first DDR interface
  d0_wr_end_cycle::BIGINT AS d0_wr_end_cycle, -- [cycle] raw counter at the last of write data of the first DDR interface
  d0_wr_start_cycle::BIGINT AS d0_wr_start_cycle, -- [cycle] raw counter at the first of write data of the first DDR interface
  d0_rd_end_cycle::BIGINT AS d0_rd_end_cycle, -- [cycle] raw counter at the last of read data of the first DDR interface
  d0_rd_start_cycle::BIGINT AS d0_rd_start_cycle, -- [cycle] raw counter at the first of read data of the first DDR interface
  d1_aw_end_cycle::BIGINT AS d1_aw_end_cycle, -- [cycle] raw counter at the last of write addresses of the second DDR interface
  d1_aw_start_cycle::BIGINT AS d1_aw_start_cycle, -- [cycle] raw counter at the first of write addresses of the second DDR interface
  d1_ar_end_cycle::BIGINT AS d1_ar_end_cycle, -- [cycle] raw counter at the last of read addresses of the second DDR interface
  d1_ar_start_cycle::BIGINT AS d1_ar_start_cycle, -- [cycle] raw counter at the first of read addresses of the second DDR interface
  d1_wr_end_cycle::BIGINT AS d1_wr_end_cycle, -- [cycle] raw counter at the last of write data of the second DDR interface
  d1_wr_start_cycle::BIGINT AS d1_wr_start_cycle, -- [cycle] raw counter at the first of write data of the second DDR interface
  d1_rd_end_cycle::BIGINT AS d1_rd_end_cycle, -- [cycle] raw counter at the last of read data of the second DDR interface
  d1_rd_start_cycle::BIGINT AS d1_rd_start_cycle, -- [cycle] raw counter at the first of read data of the second DDR interface
  fmem_ar_end_cycle::BIGINT AS fmem_ar_end_cycle, -- [cycle] raw counter at the last of read addresses of local memory
  fmem_ar_start_cycle::BIGINT AS fmem_ar_start_cycle, -- [cycle] raw counter at the first of read addresses of local memory
  fmem_wr_end_cycle::BIGINT AS fmem_wr_end_cycle, -- [cycle] raw counter at the last of write data of local memory
  fmem_wr_start_cycle::BIGINT AS fmem_wr_start_cycle, -- [cycle] raw counter at the first of write data of local memory
  fmem_rd_end_cycle::BIGINT AS fmem_rd_end_cycle, -- [cycle] raw counter at the last of read data of local memory
  fmem_rd_start_cycle::BIGINT AS fmem_rd_start_cycle, -- [cycle] raw counter at the first of read data of local memory
  l2_ar_end_cycle::BIGINT AS l2_ar_end_cycle, -- [cycle] raw counter at the last of read addresses of L2 memory
  l2_ar_start_cycle::BIGINT AS l2_ar_start_cycle, -- [cycle] raw counter at the first of read addresses of L2 memory
  l2_wr_end_cycle::BIGINT AS l2_wr_end_cycle, -- [cycle] raw counter at the last of write data of L2 memory
  l2_wr_start_cycle::BIGINT AS l2_wr_start_cycle, -- [cycle] raw counter at the first of write data of L2 memory
  l2_rd_end_cycle::BIGINT AS l2_rd_end_cycle, -- [cycle] raw counter at the last of read data of L2 memory
  l2_rd_start_cycle::BIGINT AS l2_rd_start_cycle -- [cycle] raw counter at the first of read data of L2 memory
FROM tpu_dma_bm1688_record;

-- Counters of CDMA records. m0: the memory side; ati, ari: the link's sides; the last seven pairs are phases
CREATE OR REPLACE VIEW tpu_cdma_counter AS
SELECT
  slice_id, -- [ref slice.id] the slice that the row describes
  trace_id, -- [ref trace.id] trace
  thread::BIGINT AS thread, -- [count] channel
  m0_aw_bytes::BIGINT AS m0_aw_bytes, -- [byte] written, by write addresses
  m0_wr::BIGINT AS m0_wr, -- [count] written, by write data, as the hardware counts
  m0_ar::BIGINT AS m0_ar, -- [count] read, by read addresses, as the hardware counts
  m0_n_write_beats::BIGINT AS m0_n_write_beats, -- [count] handshakes of writes
  m0_write_stall_cycles::BIGINT AS m0_write_stall_cycles, -- [cycle] writes stalled
  m0_n_read_beats::BIGINT AS m0_n_read_beats, -- [count] handshakes of reads
  m0_read_stall_cycles::BIGINT AS m0_read_stall_cycles, -- [cycle] reads stalled
  ati_n_beats::BIGINT AS ati_n_beats, -- [count] handshakes of the transmit interface
  ati_stall_cycles::BIGINT AS ati_stall_cycles, -- [cycle] transmit interface stalled
  ari_n_beats::BIGINT AS ari_n_beats, -- [count] handshakes of the receive interface
  ari_stall_cycles::BIGINT AS ari_stall_cycles, -- [cycle] receive interface stalled
  ati_fifo_stall_cycles::BIGINT AS ati_fifo_stall_cycles, -- [cycle] transmit queue stalled
  n_replays::BIGINT AS n_replays, -- [count] messages sent again
  b_start_cycle::BIGINT AS b_start_cycle, -- [cycle] raw counter at the first of write responses
  b_end_cycle::BIGINT AS b_end_cycle, -- [cycle] raw counter at the last of write responses
  ar_start_cycle::BIGINT AS ar_start_cycle, -- [cycle] raw counter at the first of read addresses
  ar_end_cycle::BIGINT AS ar_end_cycle, -- [cycle] raw counter at the last of read addresses
  aw_start_cycle::BIGINT AS aw_start_cycle, -- [cycle] raw counter at the first of write addresses
  aw_end_cycle::BIGINT AS aw_end_cycle, -- [cycle] raw counter at the last of write addresses
  rd_start_cycle::BIGINT AS rd_start_cycle, -- [cycle] raw counter at the first of read data
  rd_end_cycle::BIGINT AS rd_end_cycle, -- [cycle] raw counter at the last of read data
  wr_start_cycle::BIGINT AS wr_start_cycle, -- [cycle] raw counter at the first of write data
  wr_end_cycle::BIGINT AS wr_end_cycle, -- [cycle] raw counter at the last of write data
  ati_start_cycle::BIGINT AS ati_start_cycle, -- [cycle] raw counter at the first of the transmit interface
  ati_end_cycle::BIGINT AS ati_end_cycle, -- [cycle] raw counter at the last of the transmit interface
  ari_start_cycle::BIGINT AS ari_start_cycle, -- [cycle] raw counter at the first of the receive interface
  ari_end_cycle::BIGINT AS ari_end_cycle -- [cycle] raw counter at the last of the receive interface
FROM tpu_cdma_record;
