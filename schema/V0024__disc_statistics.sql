-- What the runtime of a compiler counts and times of its clusters, and dumps that are not read.

-- A call of a cluster, with its times
CREATE TABLE disc_call_time (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  disc_cluster_id BIGINT, -- [ref disc_cluster.id] cluster; NULL: none of the dumped ones
  match VARCHAR NOT NULL, -- [text] how the cluster was found: signature, function; none
  function_id VARCHAR NOT NULL, -- [text] session, name and hash of the function's attributes
  function VARCHAR, -- [text] name of the function
  signature VARCHAR NOT NULL, -- [text] hash of names, types, ranks and constants; disc_cluster.func_hash, in hexadecimal digits
  call_index BIGINT, -- [count] number of the call among those of the signature, from 0
  called_at_ns BIGINT, -- [ns] start of the operation that calls it, since the epoch
  call_ns BIGINT, -- [ns] duration of that operation
  lookup_at_ns BIGINT, -- [ns] start of the search for the compiled code, since the epoch; NULL: not reached
  lookup_ns BIGINT, -- [ns] duration of the search, and of the compilation where the call waits for it
  run_at_ns BIGINT, -- [ns] start of the compiled code, since the epoch; NULL: not reached
  run_ns BIGINT, -- [ns] duration of the compiled code on the host
  tensorflow_at_ns BIGINT, -- [ns] start of the function in TensorFlow, since the epoch; NULL: not reached
  tensorflow_ns BIGINT, -- [ns] duration of the function in TensorFlow
  fallback_at_ns BIGINT, -- [ns] when TensorFlow took over, since the epoch; NULL: it did not
  note VARCHAR -- [text] what was recorded beside the times; NULL: nothing
);

-- Counts and times of a signature of a cluster, over a whole process
CREATE TABLE disc_cluster_total (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  disc_cluster_id BIGINT, -- [ref disc_cluster.id] cluster; NULL: none of the dumped ones
  match VARCHAR NOT NULL, -- [text] how the cluster was found: signature, function; none
  function_id VARCHAR NOT NULL, -- [text] session, name and hash of the function's attributes
  function VARCHAR, -- [text] name of the function
  signature VARCHAR NOT NULL, -- [text] hash of names, types, ranks and constants; disc_cluster.func_hash, in hexadecimal digits
  n_calls BIGINT, -- [count] calls
  first_compiled_call BIGINT, -- [count] number of the first call that had compiled code, from 0; -1: none
  n_runs BIGINT, -- [count] calls that ran the compiled code
  run_ns BIGINT, -- [ns] sum of their durations on the host
  n_tensorflow_runs BIGINT, -- [count] calls that ran the function in TensorFlow
  tensorflow_ns BIGINT, -- [ns] sum of their durations
  call_ns BIGINT, -- [ns] sum of the durations of the operations that call it
  lookup_ns BIGINT, -- [ns] sum of the durations of searches for the compiled code
  compile_status VARCHAR, -- [text] init, enqueued, compile_started, pass_on_compile, fail_on_compile, ...
  compile_queue_ns BIGINT, -- [ns] time in the queue of the compiler
  compile_ns BIGINT, -- [ns] time of the compiler
  shape_file VARCHAR, -- [text] file with the shapes of the first call; NA: none
  shape_text VARCHAR -- [text] its content: name, types, shapes and constants; NULL: not there
);

-- A process with clusters
CREATE TABLE disc_process (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  file VARCHAR NOT NULL, -- [text] file of the statistics: begin.txt if the process did not end
  began_at_ns BIGINT, -- [ns] start of the process, since the epoch
  ended_at_ns BIGINT, -- [ns] its end, since the epoch; NULL: it did not end
  gpu_model VARCHAR, -- [text] name of the first device
  n_gpus BIGINT, -- [count] number of devices
  version VARCHAR, -- [text] version of the runtime
  n_unsampled_calls BIGINT, -- [count] calls beyond the limit of shapes that are counted one by one
  other_json VARCHAR NOT NULL, -- [json] everything else but clusters, sessions and operations
  environment_json VARCHAR -- [json] environment variables, command line and folder, if asked for
);

-- A session of a process with clusters
CREATE TABLE disc_session (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  session BIGINT NOT NULL, -- [count] number of the session, from 0
  began_at_ns BIGINT, -- [ns] start, since the epoch
  ended_at_ns BIGINT, -- [ns] end, since the epoch
  elapsed_ns BIGINT, -- [ns] duration, as counted by the runtime
  saved_ns BIGINT, -- [ns] time saved by compiled code, as estimated by the runtime
  speedup DOUBLE -- [ratio] speedup over TensorFlow, as estimated by the runtime
);

-- Nodes of the graphs of a process by operation
CREATE TABLE disc_operation (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  op VARCHAR NOT NULL, -- [text] operation
  n_nodes BIGINT, -- [count] nodes
  n_unclustered BIGINT -- [count] nodes that are in no cluster
);

-- A file of a dump of PyTorch, or a member of it; its content is not read
CREATE TABLE disc_torch_file (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  dump VARCHAR NOT NULL, -- [text] folder of the dump
  kind VARCHAR, -- [text] graph: of all operations; cluster: of those of one engine
  file VARCHAR, -- [text] graph.pt is the module, 0.pt and so on its inputs; NULL: the dump is missing
  member VARCHAR, -- [text] member of the file, which is an archive; NULL: the file itself
  n_bytes BIGINT -- [byte] size
);
