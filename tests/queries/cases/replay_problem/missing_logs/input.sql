-- input: shared/dpro_byteps.sql
-- No operations of servers, no log of the second worker, and no key of one tensor.
DELETE FROM rpc WHERE peer IS NULL;
UPDATE process SET name = 'node_11' WHERE name = 'worker_1';
UPDATE rpc SET peer = 'node_11' WHERE peer = 'worker_1';
UPDATE rpc SET rpc_key = '105' WHERE rpc_key LIKE '%.5';
