-- input: shared/host_communication.sql
-- No dPRO trial.
SELECT 1;
