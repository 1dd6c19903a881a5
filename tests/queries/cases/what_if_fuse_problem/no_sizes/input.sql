-- input: shared/dpro_three_tensors.sql
-- input: shared/dpro_types.sql
-- parameters: clusters=net/MatMul+gradient_tape/net/a
UPDATE graph_node SET inputs_json = replace(inputs_json, '100, 50', '');
