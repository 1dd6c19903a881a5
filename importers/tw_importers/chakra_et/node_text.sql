-- The nodes as what importers of graphs share wants them.
CREATE VIEW node_text AS SELECT seq, name, inputs, outputs FROM raw_node;
