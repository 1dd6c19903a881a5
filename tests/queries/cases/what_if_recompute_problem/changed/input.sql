-- input: shared/training_step.sql
-- parameters: parts=0-2@5
-- ones writes x, which mm takes.
UPDATE graph_node SET name = 'own_', inputs_json = (SELECT inputs_json FROM graph_node WHERE id = 100),
  outputs_json = (SELECT inputs_json FROM graph_node WHERE id = 100) WHERE id = 103;
