-- input: shared/dpro_three_tensors.sql
-- parameters: clusters=net/MatMul+gradient_tape/net/a
DELETE FROM graph_node;
