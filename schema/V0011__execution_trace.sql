-- Execution traces: graphs beside the timeline of the same rank, and what their nodes compute on.

ALTER TABLE trace ADD COLUMN kind VARCHAR DEFAULT 'timeline';
COMMENT ON COLUMN trace.kind IS '[text] timeline; or graph: nodes and edges, nothing on the timeline';
ALTER TABLE trace ADD COLUMN rank_rule VARCHAR;
COMMENT ON COLUMN trace.rank_rule IS '[text] how rank was found: option, file, file_name, timeline (that of the timeline a graph was paired with); NULL: no rank, or imported by an earlier version';

ALTER TABLE trace ADD COLUMN timeline_trace_id BIGINT;
COMMENT ON COLUMN trace.timeline_trace_id IS '[ref trace.id] of a graph: the timeline recorded by the same process, in the same run; NULL: none was found, or several might be';
ALTER TABLE trace ADD COLUMN pair_rule VARCHAR;
COMMENT ON COLUMN trace.pair_rule IS '[text] how that timeline was found: process, by the process id; rank; run, the only one of the run';

ALTER TABLE graph ADD COLUMN pid BIGINT;
COMMENT ON COLUMN graph.pid IS '[source id] the operating system''s id of the process that recorded it';
ALTER TABLE graph ADD COLUMN node_layout VARCHAR;
COMMENT ON COLUMN graph.node_layout IS '[text] how the file writes its nodes: nested, with a list of attributes; flat, each attribute a key (schema 1.0.1)';
ALTER TABLE graph_node ADD COLUMN extra_json VARCHAR;
COMMENT ON COLUMN graph_node.extra_json IS '[json] keys of the node no other column has, as the file has them; those read into start_ns, dur_ns and edges included';

-- One use of a tensor by a node: an argument, or an element of one that is a list
CREATE TABLE tensor_use (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  graph_id BIGINT NOT NULL, -- [ref graph.id] the graph
  graph_node_id BIGINT NOT NULL, -- [ref graph_node.id] the node
  tensor_id BIGINT NOT NULL, -- [ref tensor.id] the tensor as this node sees it
  is_output BOOLEAN NOT NULL, -- [bool] whether the node gives it back
  argument BIGINT NOT NULL, -- [count] place of the argument among the node's inputs or outputs, from 0
  ordinal BIGINT NOT NULL -- [count] place among the tensors of that argument, from 0
);

-- A group of ranks that communicate, as a graph names it
CREATE TABLE process_group (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] the trace
  graph_id BIGINT, -- [ref graph.id] the graph
  name VARCHAR, -- [text] what collectives call it (pg_name)
  description VARCHAR, -- [text] what the program calls it (pg_desc)
  backend VARCHAR, -- [text] communication library, by device: nccl, cpu:gloo,cuda:nccl, ...
  n_ranks BIGINT, -- [count] ranks in it
  ranks_json VARCHAR, -- [json] list of its ranks; empty: all ranks of the job
  n_groups BIGINT, -- [count] groups there were when it was made (group_count)
  attributes_json VARCHAR -- [json] all the source says of it, verbatim
);
