-- Events as a tracer recorded them: their classes, each event with what became of it, and windows in
-- which events were lost.

-- A class of events that a tracer recorded
CREATE TABLE event_class (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  name VARCHAR NOT NULL, -- [text] name in the source, such as provider:event
  n_events BIGINT NOT NULL, -- [count] number of events
  first_ts BIGINT NOT NULL, -- [ns] time of the first record, relative to trace.base_ns
  last_ts BIGINT NOT NULL, -- [ns] time of the last record, relative to trace.base_ns
  stored_as VARCHAR NOT NULL, -- [text] tables whose rows its events became
  attributes_json VARCHAR, -- [json] attributes of the class, such as loglevel
  fields_json VARCHAR -- [json] names of the fields of its payload
);

-- An event as it was recorded, with the slice it became
CREATE TABLE recorded_event (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n, n by trace, stream, packet and place in it
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  slice_id BIGINT NOT NULL, -- [ref slice.id] slice of the event, or of the one it was merged with
  event_class_id BIGINT NOT NULL, -- [ref event_class.id] class
  is_merged BOOLEAN NOT NULL, -- [bool] whether the slice is that of another event, as of the end of a pair
  ts BIGINT NOT NULL, -- [ns] time of the record, relative to trace.base_ns
  placed_ts BIGINT NOT NULL, -- [ns] time of what it records, relative to trace.base_ns; of device events not that of the record
  pid BIGINT, -- [count] process that recorded it
  tid BIGINT, -- [count] thread that recorded it
  cpu BIGINT, -- [count] processor that recorded it
  stream_number BIGINT NOT NULL, -- [count] number of the stream file, from 0
  context_json VARCHAR USING COMPRESSION zstd, -- [json] fields of its contexts; NULL: at most the thread
  payload_json VARCHAR USING COMPRESSION zstd -- [json] fields of its payload; NULL: equal to args_json of the slice
);

-- A window of time in which a stream lost events
CREATE TABLE event_loss (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  slice_id BIGINT NOT NULL, -- [ref slice.id] slice of the window
  from_ts BIGINT NOT NULL, -- [ns] start of the window, relative to trace.base_ns
  to_ts BIGINT NOT NULL, -- [ns] end of the window, relative to trace.base_ns
  n_events BIGINT NOT NULL, -- [count] events that the tracer discarded
  n_packets BIGINT NOT NULL, -- [count] packets that the tracer overwrote
  stream_number BIGINT NOT NULL, -- [count] number of the stream file, from 0
  cpu BIGINT -- [count] processor of the stream
);
