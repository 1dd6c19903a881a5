-- Graphs that were linked with a timeline: an execution trace says what each operator read and wrote, a
-- device trace when it ran and what it launched. A linked graph is a graph of its own, of kind linked,
-- which belongs to the trace of the execution trace. Its host nodes refer to those they stand for, its
-- device nodes to the host node that launched them, and neither copies their texts.
-- node_id numbers the nodes of a linked graph from 0: host nodes in the order of the execution trace's
-- ids, each followed by its device work in order of time.

ALTER TABLE graph ADD COLUMN link_set VARCHAR;
COMMENT ON COLUMN graph.link_set IS '[text] of a linked graph: default, or the tool whose rules it follows, such as chakra-1.0; NULL otherwise';
ALTER TABLE graph ADD COLUMN of_graph_id BIGINT;
COMMENT ON COLUMN graph.of_graph_id IS '[ref graph.id] of a linked graph: the execution trace it was made from; NULL otherwise';
ALTER TABLE graph ADD COLUMN device_trace_id BIGINT;
COMMENT ON COLUMN graph.device_trace_id IS '[ref trace.id] of a linked graph: the trace whose slices its nodes are; NULL otherwise';
COMMENT ON COLUMN graph.kind IS '[text] execution_trace, chakra, linked, dpro, cluster, ...';

ALTER TABLE graph_node ADD COLUMN of_node_id BIGINT;
COMMENT ON COLUMN graph_node.of_node_id IS '[ref graph_node.id] in a linked graph: the node of the execution trace whose inputs, outputs and attributes it has; of device work, the one that launched it; NULL otherwise';
ALTER TABLE graph_node ADD COLUMN exclusive_us DOUBLE;
COMMENT ON COLUMN graph_node.exclusive_us IS '[us] in a linked graph: dur_ns less what operators inside of it took; in sets of other tools with their rounding; NULL where it was not linked';
ALTER TABLE graph_node ADD COLUMN link_rule VARCHAR;
COMMENT ON COLUMN graph_node.link_rule IS '[text] in a linked graph: how its slice, or of device work its parent, was found: record_function_id, order, containment, external_id, latest, none; NULL otherwise';
ALTER TABLE graph_node ADD COLUMN unlinked_reason VARCHAR;
COMMENT ON COLUMN graph_node.unlinked_reason IS '[text] in a linked graph: why a host node has no slice, or why device work hangs elsewhere than under the operator that launched it; NULL where all is as it should be';
COMMENT ON COLUMN graph_node.start_ns IS '[ns] start the graph itself states, on its own clock; in a linked graph: as the device trace''s file states it';
COMMENT ON COLUMN graph_edge.kind IS '[text] control: parent to child; data; sync: what a call waited for; inter_thread: what another thread did before; stream_order: device work before the next of its stream; group_order: a collective before the next of its group';
