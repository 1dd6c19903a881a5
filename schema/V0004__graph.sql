-- What was meant to happen: execution traces, dataflow graphs, clusters. Vocabulary: Chakra's.

-- One graph: an execution trace, a dataflow graph, a compiled cluster
CREATE TABLE graph (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  kind VARCHAR NOT NULL, -- [text] execution_trace, chakra, dpro, cluster, ...
  name VARCHAR, -- [text] name
  format_version VARCHAR, -- [text] schema version the source states
  start_ts BIGINT, -- [ns] when it was recorded, relative to trace.base_ns
  attributes_json VARCHAR -- [json] all else the source says of it, verbatim
);

-- A node of a graph
CREATE TABLE graph_node (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  graph_id BIGINT NOT NULL, -- [ref graph.id] the graph
  node_id UBIGINT, -- [source id] its id in the source
  parent_node_id UBIGINT, -- [source id] that of its parent in the source
  name VARCHAR, -- [text] name
  type VARCHAR, -- [text] Chakra's node types: COMP_NODE, COMM_COLL_NODE, ...; or the source's own
  op_schema VARCHAR, -- [text] operator schema
  record_function_id BIGINT, -- [source id] joins cpu_op.record_function_id
  sequence_number BIGINT, -- [source id] pairs forward and backward
  thread_id BIGINT, -- [source id] thread it ran on
  slice_id BIGINT, -- [ref slice.id] the slice it is seen as on the timeline
  start_ns BIGINT, -- [ns] start the graph itself states
  dur_ns BIGINT, -- [ns] duration the graph itself states
  device_kind VARCHAR, -- [text] cpu, gpu, comm, ...
  inputs_json VARCHAR, -- [json] inputs: values, shapes, types
  outputs_json VARCHAR, -- [json] outputs: values, shapes, types
  attributes_json VARCHAR -- [json] all else, typed: list of {name, type, value}
);

-- An edge of a graph
CREATE TABLE graph_edge (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  graph_id BIGINT NOT NULL, -- [ref graph.id] the graph
  from_node_id BIGINT NOT NULL, -- [ref graph_node.id] what must come first
  to_node_id BIGINT NOT NULL, -- [ref graph_node.id] what depends on it
  kind VARCHAR NOT NULL, -- [text] data, control, sync, inter_thread, stream_order
  ordinal BIGINT NOT NULL, -- [count] its place among the edges of to_node_id; replays break ties by it
  attributes_json VARCHAR -- [json] all else the source says of it
);

-- A tensor a graph names
CREATE TABLE tensor (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  graph_id BIGINT, -- [ref graph.id] the graph
  tensor_id BIGINT, -- [source id] its id in the source
  storage_id BIGINT, -- [source id] the storage it is a view of
  storage_offset BIGINT, -- [count] elements into that storage
  n_elements BIGINT, -- [count] elements
  element_bytes BIGINT, -- [byte] size of one element
  data_type VARCHAR, -- [text] element type
  shape_json VARCHAR, -- [json] shape
  stride_json VARCHAR, -- [json] strides
  device VARCHAR, -- [text] where it lives
  name VARCHAR -- [text] name, where it has one
);
