-- The state of a device's memory allocator, and the stacks allocations were made from.

-- Memory an allocator reserved from the driver in one piece, as a snapshot found it
CREATE TABLE memory_segment (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  device_kind VARCHAR, -- [text] cpu, cuda, hip, ...
  device_ordinal BIGINT, -- [count] number of the device
  address UBIGINT, -- [address] where it begins
  reserved_bytes BIGINT, -- [byte] its size
  allocated_bytes BIGINT, -- [byte] of it in use
  active_bytes BIGINT, -- [byte] of it in use or waiting to be released
  requested_bytes BIGINT, -- [byte] asked for by those in use, before rounding; NULL: not said
  stream BIGINT, -- [source id] the stream it serves
  kind VARCHAR, -- [text] small or large
  pool VARCHAR, -- [text] id of the memory pool, two numbers with a point; 0.0 is the default one
  is_expandable BOOLEAN, -- [bool] whether it can grow; NULL: not said
  call_stack_id BIGINT, -- [ref call_frame.call_stack_id] the calls that led to it
  extra_json VARCHAR -- [json] anything else said of it
);

-- A piece of a segment: in use, waiting to be released, or free
CREATE TABLE memory_block (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  memory_segment_id BIGINT NOT NULL, -- [ref memory_segment.id] its segment
  address UBIGINT, -- [address] where it begins
  bytes BIGINT, -- [byte] its size
  requested_bytes BIGINT, -- [byte] asked for, before rounding; NULL: not said
  state VARCHAR, -- [text] active_allocated, active_awaiting_free (or active_pending_free), inactive
  call_stack_id BIGINT, -- [ref call_frame.call_stack_id] the calls that led to its allocation
  extra_json VARCHAR -- [json] anything else said of it
);

-- One call of a stack the source recorded; equal stacks of a trace are stored once
CREATE TABLE call_frame (
  call_stack_id BIGINT NOT NULL, -- [id] trace_id << 32 | number of the stack; shared by its calls
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  depth BIGINT NOT NULL, -- [count] calls of the stack inside this one; 0 is the innermost
  file VARCHAR, -- [text] source file; ?? where it is not known
  line BIGINT, -- [count] line in the file
  function VARCHAR, -- [text] the function
  extra_json VARCHAR -- [json] anything else said of the call
);

ALTER TABLE memory_event ADD COLUMN call_stack_id BIGINT;
COMMENT ON COLUMN memory_event.call_stack_id IS
  '[ref call_frame.call_stack_id] the calls that led to it; NULL: not recorded';
