-- input: shared/recursive_operators.sql
UPDATE cpu_op SET input_dims_json = '[[2,3]]', input_type_json = '["float"]' WHERE slice_id IN (1, 3);
UPDATE cpu_op SET input_dims_json = '[[4]]', input_type_json = '["float"]' WHERE slice_id = 4;
