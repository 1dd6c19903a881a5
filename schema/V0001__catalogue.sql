-- What is in the warehouse and where it came from.
--
-- In every migration the comment behind a column becomes its COMMENT, and the comment lines
-- directly above CREATE TABLE become the table's. [unit] comes first: [ns], [byte], [count],
-- [bool], [ratio], [text], [json], [id] for the table's own key, [ref x.id] for a reference.
--
-- Ids: id = trace_id << 32 | n, n from 0 in stored order; unique in the warehouse, below 2^53.
-- There are no UNIQUE or FOREIGN KEY constraints: DuckDB enforces them with in-memory indexes over
-- every row, which would make the memory of an import grow with the file. `tw check` looks instead.

-- One job, on one or many ranks; measured, or predicted by a replay
CREATE TABLE run (
  id BIGINT NOT NULL, -- [id] counts up from 1
  name VARCHAR NOT NULL, -- [text] unique; how --run finds it
  kind VARCHAR NOT NULL, -- [text] measured or predicted
  job_id VARCHAR, -- [text] equal in all traces of one job, from the files; NULL when they do not say
  world_size BIGINT, -- [count] ranks of the job, from the files
  backend VARCHAR, -- [text] communication library: nccl, gloo, mpi, ...
  parent_run_id BIGINT, -- [ref run.id] the measured run a predicted one was made from
  created_at TIMESTAMP NOT NULL, -- [UTC] when its first trace was imported
  extra_json VARCHAR -- [json] anything else said of the run
);

-- One capture: one rank's, one device's or one machine's, imported from one or more files at once
CREATE TABLE trace (
  id BIGINT NOT NULL, -- [id] counts up from 1; the high bits of every id inside the trace
  run_id BIGINT NOT NULL, -- [ref run.id] the run it belongs to
  name VARCHAR NOT NULL, -- [text] unique within the run
  rank BIGINT, -- [count] its rank in the job; NULL when unknown
  host_name VARCHAR, -- [text] machine it was taken on, if the file says
  format VARCHAR NOT NULL, -- [text] kineto, chrome, chakra, nsys, ...
  format_version VARCHAR, -- [text] version the file states
  importer VARCHAR NOT NULL, -- [text] name of the importer
  importer_version BIGINT NOT NULL, -- [count] version of the importer
  tw_version VARCHAR NOT NULL, -- [text] version of the program
  imported_at TIMESTAMP NOT NULL, -- [UTC] when
  base_ns BIGINT NOT NULL, -- [ns] time of ts = 0 on the trace's own clock, since that clock's epoch
  source_base_ns BIGINT NOT NULL, -- [ns] what the file's own times are relative to; 0 when absolute
  start_ts BIGINT, -- [ns] first ts of the timeline; NULL when it is empty
  end_ts BIGINT, -- [ns] last end on the timeline
  clock_id BIGINT, -- [ref clock.id] the clock of ts; NULL when the file says nothing of clocks
  ts_style VARCHAR, -- [text] how the file prints ts: fixed3, shortest_float, shortest
  dur_style VARCHAR, -- [text] how the file prints dur: fixed3, shortest_float, shortest
  metadata_json VARCHAR, -- [json] the document without its events, verbatim
  extra_json VARCHAR -- [json] anything else said of the trace
);

-- A file a trace was read from
CREATE TABLE source_file (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace it became
  path VARCHAR NOT NULL, -- [text] as the user named it, made absolute
  member VARCHAR, -- [text] name inside an archive; NULL for a plain file
  role VARCHAR NOT NULL, -- [text] what part of the trace it is; trace for the usual single file
  n_bytes BIGINT NOT NULL, -- [byte] size of the file or member as stored
  n_content_bytes BIGINT NOT NULL, -- [byte] size after decompression
  sha256 VARCHAR NOT NULL -- [text] of the bytes as stored, hexadecimal
);

-- A clock domain of a trace, and its relation to the trace's reference clock
CREATE TABLE clock (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  name VARCHAR NOT NULL, -- [text] monotonic, boottime, realtime, gpu, tpu_core_3, ...
  frequency_hz DOUBLE, -- [Hz] ticks a second of the raw clock; NULL for clocks already in ns
  reference_clock_id BIGINT, -- [ref clock.id] what offset and drift are relative to; NULL: aligned time
  offset_ns BIGINT, -- [ns] to add to this clock's time at its base; NULL: not known, do not compare
  drift DOUBLE, -- [ratio] extra ns of the reference for each ns of this clock; NULL: taken as 0
  uncertainty_ns BIGINT, -- [ns] half width of the interval the true offset lies in; NULL: unknown
  method VARCHAR, -- [text] how offset and drift were found: file, collective, ntp, manual, ...
  extra_json VARCHAR -- [json] anything else said of the clock
);

-- A kind of defect found in a trace while importing, with its count
CREATE TABLE import_problem (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  kind VARCHAR NOT NULL, -- [text] short name, the same for every file
  severity VARCHAR NOT NULL, -- [text] error: something was lost; warning: repaired; note: odd
  count BIGINT NOT NULL, -- [count] how often
  "offset" BIGINT, -- [byte] of the first, in the decompressed file; NULL when it has no place
  example VARCHAR, -- [text] the first one, shortened
  meaning VARCHAR NOT NULL -- [text] what it is and what was done
);

-- A figure of an import: what was read, made, and not used
CREATE TABLE import_stat (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  name VARCHAR NOT NULL, -- [text] what is counted, e.g. events_read, slices, links, unused
  detail VARCHAR, -- [text] subdivision, e.g. the reason an event was not used; NULL for a total
  value DOUBLE NOT NULL, -- [see unit] the figure
  unit VARCHAR NOT NULL -- [text] count, byte, s
);

-- A label on a run, for --run tag:NAME
CREATE TABLE tag (
  name VARCHAR NOT NULL, -- [text] the label
  run_id BIGINT NOT NULL, -- [ref run.id] the run it is on
  created_at TIMESTAMP NOT NULL -- [UTC] when it was put there
);
