-- input: shared/two_runs.sql
-- parameters: a=tag:good b=latest
INSERT INTO tag VALUES ('good', 1, TIMESTAMP '2024-01-01');
