-- input: shared/training_step.sql
-- parameters: parts=0-1@2
UPDATE graph_node SET inputs_json = NULL, outputs_json = NULL;
