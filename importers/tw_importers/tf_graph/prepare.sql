-- Edges between nodes, by name. In: `node`, `library` (read.py).
-- Out: `edge`, `event`, `origin`, `record_count`, `unused`, `problem`.

-- The node that a name stands for: of several, the first.
CREATE TABLE named AS
SELECT name, min(seq) AS seq, count(*) AS n FROM node GROUP BY name;

-- An input is the name of a node, which `:1` may follow, the number of its output; or `^name`: it
-- only has to run before.
CREATE TABLE input AS
SELECT
  seq AS to_seq,
  ordinal,
  starts_with(text, '^') AS is_control,
  regexp_replace(regexp_replace(text, '^\^', ''), ':\d+$', '') AS name,
  TRY_CAST(nullif(regexp_extract(text, ':(\d+)$', 1), '') AS BIGINT) AS output
FROM (
  SELECT seq, unnest(inputs) AS text, generate_subscripts(inputs, 1) - 1 AS ordinal FROM node
);

CREATE TABLE edge AS
SELECT
  n.seq AS from_seq,
  i.to_seq,
  if(i.is_control, 'control', 'data') AS kind,
  i.ordinal,
  i.output
FROM input AS i
JOIN named AS n USING (name)
ORDER BY i.to_seq, i.ordinal;

CREATE VIEW event AS SELECT seq FROM node;

CREATE TABLE origin AS SELECT 0 AS first_ns, 0 AS last_ns;

CREATE TABLE record_count AS
SELECT 'nodes' AS source, count(*) AS n FROM node
UNION ALL
SELECT 'functions', n FROM library;

CREATE TABLE unused AS
SELECT 'functions of the library' AS reason, n FROM library WHERE n > 0;

CREATE TABLE problem AS
SELECT 'missing_input' AS kind, 'warning' AS severity, count(*) AS count,
  'inputs that name no node of the graph, without an edge' AS meaning
FROM input ANTI JOIN named USING (name)
UNION ALL
SELECT 'repeated_name', 'warning', sum(n - 1)::BIGINT,
  'nodes with the name of an earlier one, which inputs of that name mean'
FROM named WHERE n > 1 HAVING count(*) > 0;
