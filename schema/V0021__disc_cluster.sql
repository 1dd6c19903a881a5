-- Clusters of operations that a compiler dumped with the values of their arguments, to be replayed.

-- A dumped cluster
CREATE TABLE disc_cluster (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  graph_id BIGINT, -- [ref graph.id] its operations; NULL: the program is missing or unreadable
  function VARCHAR, -- [text] name of the function
  device_type VARCHAR, -- [text] MLIR_GPU or MLIR_CPU
  graph_hash VARCHAR, -- [text] equal for clusters that compute the same, whatever their names
  signature_hash VARCHAR, -- [text] equal if kinds, types and ranks of arguments, and constants, are equal as well
  func_hash VARCHAR, -- [text] hash of the signature in the compiler, which includes names
  graph_def_version BIGINT, -- [count] version of the format of the graph
  n_nodes BIGINT, -- [count] number of nodes of all its functions
  program VARCHAR, -- [text] file name of the program; NULL: missing
  program_sha256 VARCHAR, -- [text] SHA-256 of the program; NULL: not read
  data VARCHAR, -- [text] file name of the archive with the values; NULL: none belongs to it
  data_sha256 VARCHAR, -- [text] SHA-256 of the archive; NULL: not read
  host VARCHAR, -- [text] machine
  pid BIGINT, -- [source id] process
  thread_id BIGINT, -- [source id] thread that dumped it
  dumped_at_ns BIGINT, -- [ns] time of the dump, since the epoch
  compile_ns BIGINT, -- [ns] from the writing of the program to the end of the compilation; NULL: not logged
  pair_method VARCHAR NOT NULL, -- [text] how program and archive were found to belong together: content, name, only; none
  status VARCHAR NOT NULL, -- [text] replayable, or the first problem
  environment_json VARCHAR -- [json] environment variables of the program, if asked for
);

-- An argument of a dumped cluster
CREATE TABLE disc_cluster_argument (
  disc_cluster_id BIGINT NOT NULL, -- [ref disc_cluster.id] cluster
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  ordinal BIGINT NOT NULL, -- [count] position among the arguments, from 0
  kind VARCHAR NOT NULL, -- [text] constant, parameter, fixed_shape, host, resource, ...
  placement VARCHAR, -- [text] where a replay puts it: const, cpu or gpu
  data_type VARCHAR, -- [text] element type
  shape_json VARCHAR, -- [json] shape of the dumped value; NULL: unknown rank
  bytes BIGINT, -- [byte] size of the value; NULL: no value
  member VARCHAR, -- [text] file of the value in the archive
  sha256 VARCHAR, -- [text] SHA-256 of that file
  min_value DOUBLE, -- [text] least value; NULL: no numbers
  max_value DOUBLE, -- [text] greatest value; NULL: no numbers
  n_nan BIGINT, -- [count] values that are not a number
  n_zero BIGINT -- [count] values that are 0
);

-- An execution of a cluster, as logged, with its shapes
CREATE TABLE disc_cluster_call (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  disc_cluster_id BIGINT, -- [ref disc_cluster.id] cluster, where types and ranks are those of one only
  called_at_ns BIGINT, -- [ns] time, since the epoch
  thread_id BIGINT, -- [source id] thread; NULL: not logged
  shapes_json VARCHAR NOT NULL, -- [json] shapes of the inputs
  types_json VARCHAR NOT NULL, -- [json] types of the inputs
  match VARCHAR NOT NULL -- [text] unique, ambiguous or none: clusters with these types and ranks
);
