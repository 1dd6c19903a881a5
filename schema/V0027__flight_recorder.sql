-- Dumps of flight recorders: the last operations of a rank's process groups, and how far they came.

-- An operation of a process group, as a flight recorder has it when it is dumped
CREATE TABLE recorded_collective (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice, from the call to the end
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the slice's
  ts BIGINT NOT NULL, -- [ns] the slice's: when the program called the operation
  dur BIGINT NOT NULL, -- [ns] the slice's; 0: it ended, the time is not recorded; -1: it has not ended
  name VARCHAR, -- [text] the slice's
  record_id BIGINT, -- [source id] number of the record in its process, from 0, in the order of the calls
  group_number BIGINT, -- [source id] number of the process group in its process
  group_name VARCHAR, -- [text] process group
  group_description VARCHAR, -- [text] process group's description
  backend VARCHAR, -- [text] communication library: nccl, gloo, ...
  kind VARCHAR, -- [text] operation as the library names it: all_reduce, _all_gather_base, send, coalesced, ...
  peer_rank BIGINT, -- [count] the other side of a send or recv, as rank in the group
  is_p2p BOOLEAN, -- [bool] whether it is counted among sends and receives
  sequence_number BIGINT, -- [source id] number among the collectives of the group, or among its sends and receives; equal for coalesced operations
  op_number BIGINT, -- [source id] number among all operations of the group
  state VARCHAR, -- [text] scheduled, started or completed
  is_retired BOOLEAN NOT NULL, -- [bool] whether the library no longer watches it, because it ended
  started_ts BIGINT, -- [ns] when it was seen to have started, relative to trace.base_ns
  completed_ts BIGINT, -- [ns] when it was seen to have ended, relative to trace.base_ns
  device_ns BIGINT, -- [ns] its time on the device, if measured
  timeout_ns BIGINT, -- [ns] time after which the library gives up
  input_sizes_json VARCHAR, -- [json] shapes of the inputs
  input_types_json VARCHAR, -- [json] data types of the inputs
  output_sizes_json VARCHAR, -- [json] shapes of the outputs
  output_types_json VARCHAR, -- [json] data types of the outputs
  call_stack_id BIGINT -- [ref call_frame.call_stack_id] the calls that led to it; NULL: not recorded
);

-- How far a process group has come on a rank
CREATE TABLE process_group_status (
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  group_number BIGINT, -- [source id] number of the process group in its process
  last_enqueued_number BIGINT, -- [source id] last collective that was called; NULL: none
  last_started_number BIGINT, -- [source id] last collective that was seen to start; NULL: none, or not recorded
  last_completed_number BIGINT -- [source id] last collective that was seen to end; NULL: none
);
