-- Matches executions with clusters, and counts records.
-- In: the tables of read.py. Out: `called`, `edge`, `event`, `origin`, `unused`, `problem`.

-- TensorFlow's words for types in logs.
CREATE OR REPLACE TEMP MACRO type_of(word) AS (
  CASE word
    WHEN 'float' THEN 'float32' WHEN 'double' THEN 'float64' WHEN 'half' THEN 'float16' ELSE word
  END
);

CREATE TABLE called AS
WITH signature AS (
  SELECT
    cluster_n,
    list(data_type ORDER BY ordinal) AS types,
    list(len(shape) ORDER BY ordinal) AS ranks
  FROM argument
  GROUP BY cluster_n
)
SELECT
  r.run_n,
  any_value(r.at_us) AS at_us,
  any_value(r.thread) AS thread,
  any_value(r.shapes) AS shapes,
  any_value(r.types) AS types,
  CASE WHEN count(s.cluster_n) = 1 THEN any_value(s.cluster_n) END AS cluster_n,
  CASE count(s.cluster_n) WHEN 0 THEN 'none' WHEN 1 THEN 'unique' ELSE 'ambiguous' END AS match
FROM run AS r
LEFT JOIN signature AS s
  ON s.types = list_transform(r.types, lambda t: type_of(t))
  AND s.ranks = list_transform(r.shapes, lambda d: len(d)::BIGINT)
GROUP BY r.run_n;

-- Inputs are `name:output:number`, `name`, or `^name` for control.
CREATE TABLE edge AS
SELECT
  i.cluster_n,
  producer.node_n AS from_n,
  i.node_n AS to_n,
  CASE WHEN starts_with(i.input, '^') THEN 'control' ELSE 'data' END AS kind,
  i.ordinal
FROM (
  SELECT
    cluster_n, node_n, function,
    unnest(inputs) AS input,
    generate_subscripts(inputs, 1) - 1 AS ordinal
  FROM node
) AS i
JOIN (
  SELECT cluster_n, function, name, min(node_n) AS node_n
  FROM node
  GROUP BY cluster_n, function, name
) AS producer
  ON producer.cluster_n = i.cluster_n AND producer.function = i.function
  AND producer.name = split_part(ltrim(i.input, '^'), ':', 1);

CREATE VIEW event AS
SELECT cluster_n AS seq FROM cluster
UNION ALL
SELECT node_n FROM node
UNION ALL
SELECT run_n FROM run;

CREATE TABLE origin AS SELECT 0::BIGINT AS first_ns, 0::BIGINT AS last_ns;

CREATE TABLE unused (reason VARCHAR, n BIGINT);

CREATE TABLE problem (kind VARCHAR, severity VARCHAR, count BIGINT, meaning VARCHAR);
