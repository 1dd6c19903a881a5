-- What kinds of slices have besides a slice's columns: one row a slice, keyed by slice_id.
-- trace_id, track_id, ts, dur and name repeat the slice's, so that a summary scans one table.

-- A framework operator on the host
CREATE TABLE cpu_op (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  external_id BIGINT, -- [source id] the profiler's id of the operator call; unique in no file
  record_function_id BIGINT, -- [source id] joins the execution trace's rf_id
  sequence_number BIGINT, -- [source id] pairs a forward with its backward operator
  forward_thread_id BIGINT, -- [source id] profiler's number of the forward thread; 0 outside backward
  event_index BIGINT, -- [source id] order of the event in the profiler
  input_dims_json VARCHAR, -- [json] shapes of the inputs
  input_type_json VARCHAR, -- [json] types of the inputs
  input_strides_json VARCHAR, -- [json] strides of the inputs
  concrete_inputs_json VARCHAR -- [json] values of scalar inputs
);

-- A host call into the device's runtime or driver: launches, copies, waits and all others.
-- What it caused and what called it are rows of link
CREATE TABLE launch (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  category VARCHAR, -- [text] the slice's: cuda_runtime, cuda_driver, hip_runtime, ...
  correlation_id BIGINT, -- [source id] shared with the device work it caused; unique in one trace at best
  external_id BIGINT, -- [source id] of the operator the profiler saw around it
  callback_id BIGINT -- [source id] CUPTI's number of the function
);

-- Work on a device: a kernel, a copy, a memset, or a wait. What caused it: view gpu_op_cause
CREATE TABLE gpu_op (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  device_id BIGINT, -- [ref device.id] where it ran
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  kind VARCHAR NOT NULL, -- [text] kernel, memcpy, memset or sync
  class VARCHAR NOT NULL, -- [text] compute, communication or memory; sync for waits
  stream BIGINT, -- [count] stream or queue, as the source counts
  correlation_id BIGINT, -- [source id] shared with the call that caused it
  external_id BIGINT, -- [source id] of the operator the profiler saw around the call
  context_id BIGINT, -- [source id] device context
  bytes BIGINT, -- [byte] moved or set, as the source reports
  direction VARCHAR, -- [text] of a copy: HtoD, DtoH, DtoD, PtoP, HtoH; NULL: not said
  grid_x BIGINT, -- [count] blocks (CUDA's count: grid in blocks, also for ROCm)
  grid_y BIGINT, -- [count] blocks
  grid_z BIGINT, -- [count] blocks
  block_x BIGINT, -- [count] threads a block
  block_y BIGINT, -- [count] threads a block
  block_z BIGINT, -- [count] threads a block
  registers_per_thread BIGINT, -- [count] registers
  shared_memory_bytes BIGINT, -- [byte] shared memory a block
  occupancy_percent DOUBLE, -- [percent] estimated achieved occupancy
  queued_ns BIGINT, -- [ns] time in the queue, as the source reports
  graph_id BIGINT, -- [source id] CUDA/HIP graph it was launched in
  graph_node_id BIGINT, -- [source id] its node in that graph
  sync_kind VARCHAR, -- [text] of a wait: the source's name of it
  wait_on_stream BIGINT, -- [count] the stream a wait waits for
  wait_on_event_id BIGINT, -- [source id] the event a wait waits for
  wait_on_correlation_id BIGINT -- [source id] the call that recorded that event
);

-- A collective or point-to-point communication, on the host or the device side
CREATE TABLE collective (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  side VARCHAR NOT NULL, -- [text] host or device
  kind VARCHAR, -- [text] allreduce, all_gather, reduce_scatter, all_to_all, broadcast, send, recv, ...
  group_name VARCHAR, -- [text] process group
  group_description VARCHAR, -- [text] process group's description
  group_size BIGINT, -- [count] ranks in the group
  group_ranks_json VARCHAR, -- [json] ranks in the group
  peer_rank BIGINT, -- [count] the other side of a send or recv; root of a rooted collective
  sequence_number BIGINT, -- [source id] number of the operation in its group
  n_input_elements BIGINT, -- [count] elements in
  n_output_elements BIGINT, -- [count] elements out
  data_type VARCHAR, -- [text] element type
  input_bytes BIGINT, -- [byte] message in, where the type is known
  output_bytes BIGINT, -- [byte] message out, where the type is known
  algorithm VARCHAR, -- [text] ring, tree, ...
  protocol VARCHAR, -- [text] LL, LL128, Simple, ...
  channel BIGINT, -- [count] channel or ring, where the source splits the message
  chunk BIGINT -- [count] chunk or partition, where the source splits the message
);

-- A range the program or a library named
CREATE TABLE annotation (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  side VARCHAR NOT NULL, -- [text] host, or device for a range projected onto a stream
  domain VARCHAR, -- [text] NVTX domain or the like
  external_id BIGINT -- [source id] the profiler's id of the range
);

-- One iteration of the program
CREATE TABLE step (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the annotation that marks it
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  number BIGINT -- [count] number of the step, as the source counts
);

-- A call of a Python function
CREATE TABLE python_call (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's: file(line): function
  python_id BIGINT, -- [source id] the profiler's id of the call
  python_parent_id BIGINT, -- [source id] that of its caller
  python_module_id BIGINT -- [source id] instance of the nn.Module it runs in
);

-- An allocation, a release, or a state of an allocator
CREATE TABLE memory_event (
  slice_id BIGINT, -- [ref slice.id] the instant that recorded it; NULL where there is none
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT, -- [ref track.id] where it was recorded
  ts BIGINT NOT NULL, -- [ns] when, relative to trace.base_ns
  name VARCHAR, -- [text] what the source calls it
  address UBIGINT, -- [address] of the block
  bytes BIGINT, -- [byte] allocated; negative: released
  total_allocated_bytes BIGINT, -- [byte] allocated afterwards
  total_reserved_bytes BIGINT, -- [byte] reserved by the allocator afterwards
  device_kind VARCHAR, -- [text] cpu, cuda, hip, ...
  device_ordinal BIGINT, -- [count] number of the device; -1 for the host
  category VARCHAR -- [text] parameter, gradient, activation, ... where the source says
);

-- A named figure: hardware counters of a slice, or aggregates that belong to no slice
CREATE TABLE metric (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  slice_id BIGINT, -- [ref slice.id] the slice it was measured over; NULL where none matched
  device_id BIGINT, -- [ref device.id] the device it was measured on, where the source says
  ordinal BIGINT, -- [count] order of dispatch, where that is all the source gives
  name VARCHAR NOT NULL, -- [text] the source's name of the counter
  value DOUBLE, -- [see unit] the figure
  unit VARCHAR, -- [text] unit, where known
  match_status VARCHAR -- [text] how it was matched to the slice: source, ordinal, name, none
);

-- A command of a TPU engine, with every word its performance monitor recorded
CREATE TABLE tpu_command (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  core BIGINT NOT NULL, -- [count] core number
  engine VARCHAR NOT NULL, -- [text] TIU, GDMA, SDMA, CDMA
  command_id BIGINT, -- [source id] the engine's command number, unwrapped
  raw_command_id BIGINT, -- [source id] as the counter showed it
  type VARCHAR, -- [text] command type, unified over capture modes
  function VARCHAR, -- [text] command function, unified over capture modes
  source_name VARCHAR, -- [text] name in the capture
  data_type VARCHAR, -- [text] element type
  direction VARCHAR, -- [text] of a transfer
  bytes BIGINT, -- [byte] moved
  start_cycle UBIGINT, -- [cycle] raw start, so that another frequency can be applied later
  end_cycle UBIGINT, -- [cycle] raw end
  kernel_name VARCHAR, -- [text] kernel scope it ran in
  batch BIGINT, -- [count] batch number
  layer VARCHAR, -- [text] layer of the model
  match_status VARCHAR, -- [text] how the counter record was joined to its command
  pmu_layout VARCHAR, -- [text] names the words of pmu; layouts differ by chip and engine
  pmu BIGINT[] -- [see pmu_layout] the words of the counter record, in its order
);

-- A remote call or a tensor transfer between processes
CREATE TABLE rpc (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's
  dur BIGINT NOT NULL, -- [ns] the slice's
  name VARCHAR, -- [text] the slice's
  kind VARCHAR NOT NULL, -- [text] client, server, push, pull, send, recv
  rpc_key VARCHAR, -- [text] what both sides know it by, e.g. the rendezvous key
  occurrence BIGINT, -- [count] how often the key was used before; keys repeat every step
  peer VARCHAR, -- [text] the other side
  bytes BIGINT, -- [byte] payload
  step_number BIGINT -- [count] step of the program it belongs to
);

-- That one slice caused, contains or waits for another
CREATE TABLE link (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n; between traces: run_id << 32 | n, negated less one
  trace_id BIGINT, -- [ref trace.id] the trace both ends are in; NULL between traces
  run_id BIGINT NOT NULL, -- [ref run.id] the run
  from_id BIGINT NOT NULL, -- [ref slice.id] the cause
  to_id BIGINT NOT NULL, -- [ref slice.id] the effect
  kind VARCHAR NOT NULL, -- [text] launch: call to device work; op_launch: operator to call; flow: recorded
  rule VARCHAR NOT NULL, -- [text] how it was found, e.g. correlation, containment
  confidence DOUBLE NOT NULL, -- [ratio] 1 for what the source states, less for what was inferred
  link_set VARCHAR NOT NULL, -- [text] default, or the name of a compatible set
  query VARCHAR NOT NULL, -- [text] the query that made it
  query_version BIGINT NOT NULL -- [count] that query's version
);
