-- Matches executions with clusters, and counts records.
-- In: the tables of read.py. Out: `matched`, `edge`, `call_time`, `counted`, `event`, `origin`, `unused`,
-- `problem`.

-- TensorFlow's words for types in logs.
CREATE OR REPLACE TEMP MACRO type_of(word) AS (
  CASE word
    WHEN 'float' THEN 'float32' WHEN 'double' THEN 'float64' WHEN 'half' THEN 'float16' ELSE word
  END
);

CREATE TABLE matched AS
WITH signature AS (
  SELECT
    cluster_n,
    list(data_type ORDER BY ordinal) AS types,
    list(len(shape) ORDER BY ordinal) AS ranks
  FROM argument
  GROUP BY cluster_n
)
SELECT
  r.inputs_n,
  any_value(r.shapes) AS shapes,
  any_value(r.types) AS types,
  CASE WHEN count(s.cluster_n) = 1 THEN any_value(s.cluster_n) END AS cluster_n,
  CASE count(s.cluster_n) WHEN 0 THEN 'none' WHEN 1 THEN 'unique' ELSE 'ambiguous' END AS match
FROM run_inputs AS r
LEFT JOIN signature AS s
  ON s.types = list_transform(r.types, lambda t: type_of(t))
  AND s.ranks = list_transform(r.shapes, lambda d: len(d)::BIGINT)
GROUP BY r.inputs_n;

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

-- Signatures and functions of the dumped clusters; a program that was compiled in the background has
-- no signature.
CREATE TABLE known AS
SELECT printf('%016x', try_cast(func_hash AS UBIGINT)) AS word, 'signature' AS match, min(cluster_n) AS cluster_n
FROM cluster
WHERE func_hash IS NOT NULL
GROUP BY word
UNION ALL
SELECT function, 'function', min(cluster_n)
FROM cluster
WHERE func_hash IS NULL
  AND function IS NOT NULL
GROUP BY function
HAVING count(*) = 1;

-- `0_cluster_1_1234567890abcdef`: session, function, and hash of its attributes.
CREATE OR REPLACE TEMP MACRO function_of(id) AS (
  nullif(regexp_extract(id, '^[0-9]+_(.+)_[0-9a-f]{16}$', 1), '')
);
-- Microseconds since the epoch; 0: not reached.
CREATE OR REPLACE TEMP MACRO moment(text) AS (
  CASE WHEN try_cast(text AS BIGINT) BETWEEN 1 AND 9000000000000000
    THEN try_cast(text AS BIGINT) * 1000 END
);

CREATE TABLE call_time AS
SELECT
  c.rowid AS call_n,
  c.func_id,
  function_of(c.func_id) AS function,
  coalesce(c.signature, '') AS signature,
  try_cast(c.call_idx AS BIGINT) AS call_index,
  moment(c.tao_launch_op_begin) AS called_at,
  moment(c.tao_launch_op_end) - moment(c.tao_launch_op_begin) AS call_ns,
  moment(c.cache_compile_begin) AS lookup_at,
  moment(c.cache_compile_end) - moment(c.cache_compile_begin) AS lookup_ns,
  moment(c.exec_run_begin) AS run_at,
  moment(c.exec_run_end) - moment(c.exec_run_begin) AS run_ns,
  moment(c.func_run_begin) AS tensorflow_at,
  moment(c.func_run_end) - moment(c.func_run_begin) AS tensorflow_ns,
  moment(c.enter_fallback) AS fallback_at,
  nullif(nullif(trim(c.other_tags), ''), '-') AS note,
  coalesce(s.cluster_n, f.cluster_n) AS cluster_n,
  coalesce(s.match, f.match, 'none') AS match
FROM call_text AS c
LEFT JOIN known AS s ON s.match = 'signature' AND s.word = c.signature
LEFT JOIN known AS f ON f.match = 'function' AND f.word = function_of(c.func_id)
WHERE nullif(c.func_id, '') IS NOT NULL;

CREATE TABLE counted AS
SELECT
  t.rowid AS total_n,
  t.*,
  function_of(t.func_id) AS function,
  coalesce(s.cluster_n, f.cluster_n) AS cluster_n,
  coalesce(s.match, f.match, 'none') AS match
FROM total AS t
LEFT JOIN known AS s ON s.match = 'signature' AND s.word = t.signature
LEFT JOIN known AS f ON f.match = 'function' AND f.word = function_of(t.func_id);

CREATE VIEW event AS
SELECT cluster_n AS seq FROM cluster
UNION ALL
SELECT node_n FROM node
UNION ALL
SELECT run_n FROM run
UNION ALL
SELECT rowid FROM call_text
UNION ALL
SELECT rowid FROM total
UNION ALL
SELECT rowid FROM process
UNION ALL
SELECT rowid FROM session
UNION ALL
SELECT rowid FROM operation
UNION ALL
SELECT rowid FROM torch_file;

CREATE TABLE origin AS SELECT 0::BIGINT AS first_ns, 0::BIGINT AS last_ns;

CREATE TABLE unused AS
SELECT 'lines of call times without a function' AS reason, count(*) AS n
FROM call_text
WHERE nullif(func_id, '') IS NULL
HAVING count(*) > 0;

CREATE TABLE problem (kind VARCHAR, severity VARCHAR, count BIGINT, meaning VARCHAR);
