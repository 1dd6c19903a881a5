-- Tables that the SQL of an importer of a GPU profiler fills; columns without data stay NULL.
-- Times are nanoseconds of the source's own clock. Keys are texts, so that a source may build them
-- of whatever tells its processes, devices and queues apart.

-- One thing on the timeline. Work of a device has a device key, all else a process and a thread.
CREATE TABLE activity (
  seq BIGINT, -- place of its record in the source
  kind VARCHAR, -- kernel, memcpy, memset, sync; call, operator, range, collective, memory; else a slice alone
  category VARCHAR,
  name VARCHAR,
  start_ns BIGINT,
  end_ns BIGINT, -- NULL: it never ended
  process VARCHAR,
  thread BIGINT,
  device VARCHAR,
  track_name VARCHAR, -- what to call its row among those of the process and device: queue 1, stream 7
  stream BIGINT, -- number of the stream or queue
  correlation_id BIGINT, -- unique among all processes: see `one_id`
  external_id BIGINT,
  context_id BIGINT,
  callback_id BIGINT,
  bytes BIGINT,
  direction VARCHAR,
  grid_x BIGINT, -- in blocks
  grid_y BIGINT,
  grid_z BIGINT,
  block_x BIGINT,
  block_y BIGINT,
  block_z BIGINT,
  registers BIGINT,
  shared_memory_bytes BIGINT,
  static_shared_memory_bytes BIGINT,
  dynamic_shared_memory_bytes BIGINT,
  source_memory_kind VARCHAR, -- of a copy; of a memset: the memory it sets
  destination_memory_kind VARCHAR,
  is_unified BOOLEAN, -- of a copy: a migration of managed memory, at `address`
  queued_ns BIGINT,
  graph_id BIGINT,
  graph_node_id BIGINT,
  sync_kind VARCHAR,
  wait_on_event_id BIGINT,
  domain VARCHAR,
  address UBIGINT,
  device_kind VARCHAR, -- of the memory of a memory event
  device_ordinal BIGINT, -- likewise; -1: the host
  dispatch VARCHAR, -- key its figures name it by
  args_json VARCHAR -- other values of the record
);

CREATE TABLE process_info (process VARCHAR, pid BIGINT, name VARCHAR, extra_json VARCHAR);

CREATE TABLE thread_info (process VARCHAR, thread BIGINT, name VARCHAR);

CREATE TABLE device_info (
  device VARCHAR,
  kind VARCHAR,
  ordinal BIGINT,
  name VARCHAR,
  vendor VARCHAR,
  uuid VARCHAR,
  memory_bytes BIGINT,
  n_compute_units BIGINT,
  clock_hz DOUBLE,
  peak_bytes_per_s DOUBLE,
  properties_json VARCHAR
);

-- Hardware counters, of dispatches or of none.
CREATE TABLE figure (
  seq BIGINT, dispatch VARCHAR, device VARCHAR, ordinal BIGINT, name VARCHAR, value DOUBLE,
  unit VARCHAR
);

-- Records that are not part of the timeline, kept verbatim.
CREATE TABLE leftover (seq BIGINT, kind VARCHAR, text VARCHAR);

CREATE TABLE not_used (reason VARCHAR, n BIGINT);

CREATE TABLE defect (kind VARCHAR, severity VARCHAR, count BIGINT, meaning VARCHAR);

-- For the check that nothing is lost: the records of the source, those of them that became part of
-- another's row, and rows of core tables that are not a record of their own.
CREATE TABLE record_count (source VARCHAR, n BIGINT);

CREATE TABLE merged (reason VARCHAR, n BIGINT);

CREATE TABLE derived (table_name VARCHAR, n BIGINT);
