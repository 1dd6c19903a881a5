-- The nodes in the layout that tw_importers/graph reads.
CREATE VIEW node_text AS SELECT seq, name, inputs, outputs FROM raw_node;
