-- Where things happen and when. Vocabulary: Perfetto's.
-- Texts of events are compressed with zstd: the largest columns become a fraction of what the
-- default leaves of them, in less time.

-- An operating-system process, or what a source presents as one
CREATE TABLE process (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  pid BIGINT, -- [count] process id; NULL when the source's is no number
  name VARCHAR, -- [text] name, if the source gives one
  labels VARCHAR, -- [text] labels, if the source gives any
  rank BIGINT, -- [count] its rank, in a source that holds many ranks; else the trace's counts
  sort_index BIGINT, -- [count] the order the source wants it shown in
  source_pid VARCHAR, -- [json] the pid as the source wrote it
  extra_json VARCHAR -- [json] anything else said of it
);

-- A thread of a process
CREATE TABLE thread (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  process_id BIGINT NOT NULL, -- [ref process.id] its process
  tid BIGINT, -- [count] thread id; NULL when the source's is no number
  name VARCHAR, -- [text] name, if the source gives one
  sort_index BIGINT, -- [count] the order the source wants it shown in
  is_main BOOLEAN, -- [bool] whether tid = pid
  source_tid VARCHAR, -- [json] the tid as the source wrote it
  extra_json VARCHAR -- [json] anything else said of it
);

-- Something that computes or moves data: a GPU, a TPU core, an engine of a core, a NIC, a host
CREATE TABLE device (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  parent_device_id BIGINT, -- [ref device.id] the chip of a core, the core of an engine
  kind VARCHAR NOT NULL, -- [text] gpu, tpu, core, engine, cpu, nic, mtia, ...
  ordinal BIGINT NOT NULL, -- [count] its number among its siblings, as the source counts
  name VARCHAR, -- [text] model or label
  vendor VARCHAR, -- [text] NVIDIA, AMD, Sophgo, ...
  uuid VARCHAR, -- [text] unique id, if the source gives one
  memory_bytes BIGINT, -- [byte] its memory
  n_compute_units BIGINT, -- [count] SMs, CUs or lanes
  clock_hz DOUBLE, -- [Hz] its clock
  peak_bytes_per_s DOUBLE, -- [byte/s] peak memory bandwidth
  peak_flops_per_s DOUBLE, -- [1/s] peak floating-point rate
  properties_json VARCHAR -- [json] all the source says of it, verbatim
);

-- A row of the timeline: a thread, a stream, an engine, a link, an async group, a counter
CREATE TABLE track (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  kind VARCHAR NOT NULL, -- [text] thread, stream, engine, link, async, counter
  name VARCHAR, -- [text] what to call it
  process_id BIGINT, -- [ref process.id] the process it is shown under
  thread_id BIGINT, -- [ref thread.id] the thread, for thread tracks
  device_id BIGINT, -- [ref device.id] the device, for streams, engines and device counters
  parent_track_id BIGINT, -- [ref track.id] the track it belongs under
  clock_id BIGINT, -- [ref clock.id] its clock, where it is not the trace's
  stream BIGINT, -- [count] stream, queue or engine number, as the source counts
  unit VARCHAR, -- [text] unit of a counter track's values
  sort_index BIGINT, -- [count] the order to show it in
  extra_json VARCHAR -- [json] anything else said of it
);

-- Something with a beginning and an end on a track; an instant has dur 0. Stored by category, track, ts
CREATE TABLE slice (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] where
  ts BIGINT NOT NULL, -- [ns] start, relative to trace.base_ns
  dur BIGINT NOT NULL, -- [ns] length as the source has it, odd values too; -1: it never ended
  category VARCHAR, -- [text] kernel, gpu_memcpy, gpu_memset, cuda_runtime, cpu_op, user_annotation, ...
  name VARCHAR, -- [text] name
  depth INTEGER NOT NULL, -- [count] slices of its track that contain it
  parent_id BIGINT, -- [ref slice.id] the innermost slice of its track that contains it
  phase VARCHAR, -- [text] how the source recorded it: X, B, i, b, ...; NULL where it has no such notion
  args_json VARCHAR USING COMPRESSION zstd, -- [json] arguments as the source wrote them; of a B and E pair, merged
  extra_json VARCHAR -- [json] what else its record held
);

-- A value of a counter track from ts until the next
CREATE TABLE counter (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] the counter; its unit is there
  ts BIGINT NOT NULL, -- [ns] since when, relative to trace.base_ns
  value DOUBLE -- [see track.unit] the value; NULL when it was no number
);

-- One end, or a waypoint, of an arrow the source recorded between slices
CREATE TABLE flow_point (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n, n the record's place in the source
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  track_id BIGINT NOT NULL, -- [ref track.id] where
  ts BIGINT NOT NULL, -- [ns] when, relative to trace.base_ns
  phase VARCHAR NOT NULL, -- [text] s: start, t: step, f: end
  category VARCHAR, -- [text] the source's category of the arrow
  name VARCHAR, -- [text] the source's name of the arrow
  flow_key VARCHAR, -- [json] the source's id: points of one arrow share category, name and key
  binding VARCHAR, -- [text] e: binds to the enclosing slice; NULL: to the next one
  slice_id BIGINT, -- [ref slice.id] the slice it binds to; NULL: there is none
  extra_json VARCHAR -- [json] what else its record held
);

-- A record kept verbatim because the other tables do not say all that it said
CREATE TABLE source_event (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n, n the record's place in the source
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  phase VARCHAR, -- [text] its kind in the source
  slice_id BIGINT, -- [ref slice.id] the slice made of this record alone; NULL otherwise
  flow_point_id BIGINT, -- [ref flow_point.id] the flow point made of it; NULL otherwise
  event_text VARCHAR USING COMPRESSION zstd NOT NULL -- [json] the record as the source wrote it
);
