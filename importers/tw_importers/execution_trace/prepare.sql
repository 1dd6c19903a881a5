-- From the texts of nodes to typed rows, without any lock.
-- In: `node_text`, `header` (read.py), `group_text` (tw_importers/graph, which makes tensors and
-- process groups). Out: `node`, `edge`, `event`, `origin`, `unused`, `problem`. A text no parser takes
-- is NULL, and counted. The long texts of nodes stay in `node_text`, which is a file: they are copied
-- once, into the warehouse.

CREATE MACRO whole(text) AS regexp_full_match(text, '0|[1-9][0-9]{0,19}');
CREATE MACRO of_kind(text, bracket) AS starts_with(text, bracket);
CREATE MACRO attribute(attributes, attribute_name) AS
  list_filter(attributes, lambda a: a.name = attribute_name)[1].value;

-- Values that columns cannot represent exactly stay verbatim, under their key, in `extra`.
CREATE TABLE node AS
WITH typed AS (
  SELECT
    seq,
    is_flat,
    CASE WHEN whole(node_id) THEN TRY_CAST(node_id AS UBIGINT) END AS node_id,
    CASE WHEN whole(parent) THEN TRY_CAST(parent AS UBIGINT) END AS parent_id,
    CASE WHEN of_kind(name, '"') THEN TRY(json_extract_string(name, '$')) END AS name,
    of_kind(inputs, '{') AS has_inputs,
    of_kind(outputs, '{') AS has_outputs,
    of_kind(attributes, '[') AS has_attributes,
    CASE WHEN of_kind(attributes, '[') THEN TRY(
      from_json(attributes, '[{"name": "VARCHAR", "type": "VARCHAR", "value": "VARCHAR"}]')
    ) END AS typed_attributes,
    node_text.node_id AS node_id_text,
    node_text.parent AS parent_text,
    node_text.name AS name_text,
    node_text.inputs AS inputs_text,
    node_text.outputs AS outputs_text,
    node_text.attributes AS attributes_text,
    extra
  FROM node_text
)
SELECT
  seq,
  is_flat,
  node_id,
  parent_id,
  parent_text,
  name,
  has_inputs,
  has_outputs,
  has_attributes,
  has_attributes
    AND (typed_attributes IS NULL OR len(list_filter(typed_attributes, lambda a: a.name IS NULL)) > 0)
    AS has_invalid_attributes,
  TRY_CAST(attribute(typed_attributes, 'rf_id') AS BIGINT) AS record_function_id,
  TRY_CAST(attribute(typed_attributes, 'seq_id') AS BIGINT) AS sequence_number,
  TRY_CAST(attribute(typed_attributes, 'tid') AS BIGINT) AS thread_id,
  attribute(typed_attributes, 'op_schema') AS op_schema,
  nullif(concat_ws(
    ', ',
    CASE WHEN node_id IS NULL THEN '"id": ' || node_id_text END,
    CASE WHEN name IS NULL THEN '"name": ' || name_text END,
    CASE WHEN parent_id IS NULL
      THEN CASE WHEN is_flat THEN '"parent": ' ELSE '"ctrl_deps": ' END || parent_text END,
    CASE WHEN NOT has_inputs THEN '"inputs": ' || inputs_text END,
    CASE WHEN NOT has_outputs THEN '"outputs": ' || outputs_text END,
    CASE WHEN NOT has_attributes THEN '"attrs": ' || attributes_text END
  ), '') AS invalid_parts,
  extra
FROM typed;

-- A graph has no timeline. Its times are those of a clock that counts milliseconds.
CREATE TABLE graph AS
SELECT
  text AS attributes,
  TRY(json_extract_string(text, '$.schema')) AS schema,
  TRY_CAST(TRY(json_extract_string(text, '$.pid')) AS BIGINT) AS pid,
  CASE WHEN start_ms BETWEEN 0 AND 4000000000000 THEN start_ms * 1000000 END AS start_ns,
  (SELECT arg_min(is_flat, seq) FROM node) AS is_flat
FROM (
  SELECT text, TRY_CAST(TRY(json_extract_string(text, '$.start_ts')) AS BIGINT) AS start_ms
  FROM header
);

CREATE TABLE origin AS
SELECT coalesce(start_ns, 0) AS first_ns, coalesce(start_ns, 0) AS last_ns FROM graph;

-- Additions of linked traces: times in microseconds, device work, two more dependencies.
CREATE TABLE linked AS
SELECT
  seq,
  TRY(json_extract_string(extra, '$.cat')) AS category,
  TRY_CAST(round(TRY_CAST(TRY(json_extract(extra, '$.ts')) AS DECIMAL(38, 6)) * 1000) AS BIGINT)
    AS start_ns,
  TRY_CAST(
    round(TRY_CAST(TRY(json_extract(extra, '$.inclusive_dur')) AS DECIMAL(38, 6)) * 1000) AS BIGINT
  ) AS dur_ns,
  TRY_CAST(TRY(json_extract_string(extra, '$.exclusive_dur')) AS DOUBLE) AS exclusive_us,
  TRY_CAST(TRY(json_extract_string(extra, '$.inter_thread_dep')) AS UBIGINT) AS inter_thread,
  TRY(from_json(json_extract(extra, '$.sync_dep'), '["UBIGINT"]')) AS sync
FROM node
WHERE extra IS NOT NULL;

-- An id shared by two nodes refers to the first.
CREATE TABLE first_node AS
SELECT node_id, min(seq) AS seq
FROM node
WHERE node_id IS NOT NULL
GROUP BY node_id;

CREATE TABLE dependency AS
SELECT seq, 'control' AS kind, parent_id AS on_id, 0 AS n
FROM node
WHERE parent_id IS NOT NULL AND parent_id IS DISTINCT FROM node_id
UNION ALL
SELECT seq, 'control', unnest(ids), generate_subscripts(ids, 1) - 1
FROM (
  SELECT seq, TRY(from_json(parent_text, '["UBIGINT"]')) AS ids
  FROM node
  WHERE parent_id IS NULL AND parent_text LIKE '[%'
)
UNION ALL
SELECT seq, 'inter_thread', inter_thread, 0 FROM linked WHERE inter_thread IS NOT NULL
UNION ALL
SELECT seq, 'sync', unnest(sync), generate_subscripts(sync, 1) - 1 FROM linked;

CREATE TABLE edge AS
SELECT
  p.seq AS from_seq,
  d.seq AS to_seq,
  d.kind,
  row_number() OVER (PARTITION BY d.seq ORDER BY d.kind, d.n) - 1 AS ordinal
FROM dependency AS d
JOIN first_node AS p ON p.node_id = d.on_id
ORDER BY d.seq, ordinal;

CREATE VIEW event AS SELECT seq FROM node;

CREATE TABLE unused AS SELECT NULL::VARCHAR AS reason, NULL::BIGINT AS n LIMIT 0;

CREATE TABLE problem AS
SELECT 'no_node' AS kind, 'warning' AS severity, (count(*) = 0)::BIGINT AS count,
  'the list of nodes is empty' AS meaning
FROM node
UNION ALL
SELECT 'unknown_schema', 'note', count(*),
  'schema outside 1.0.1 to 1.1.1; read as the nearest one'
FROM graph
WHERE NOT regexp_full_match(coalesce(schema, ''), '1\.0\.[0-4]|1\.1\.[01]|1\.(0\.[0-4]|1\.[01])-chakra\..*')
UNION ALL
SELECT 'no_node_id', 'error', count(*),
  'nodes without an integer id; other nodes cannot depend on them'
FROM node
WHERE node_id IS NULL
UNION ALL
SELECT 'duplicate_node_id', 'warning', (SELECT count(node_id) FROM node) - count(*),
  'nodes with a duplicate id; dependencies refer to the first'
FROM first_node
UNION ALL
SELECT 'no_parent', 'warning', count(*), 'nodes without a parent'
FROM node
WHERE parent_text IS NULL
UNION ALL
SELECT 'own_parent', 'note', count(*), 'nodes other than the process that are their own parent'
FROM node
WHERE parent_id = node_id AND NOT contains(name, '|process]')
UNION ALL
SELECT 'dangling_dependency', 'warning', count(*), 'dependencies on missing nodes; skipped'
FROM dependency AS d
ANTI JOIN first_node AS p ON p.node_id = d.on_id
UNION ALL
SELECT 'later_parent', 'note', count(*), 'parents with a greater id than their child'
FROM node
WHERE parent_id > node_id
UNION ALL
SELECT 'odd_value', 'warning', count(*), 'nodes with a value of an unexpected type; kept in extra_json'
FROM node
WHERE invalid_parts IS NOT NULL
UNION ALL
SELECT 'unknown_key', 'note', count(*),
  'keys that the schema does not define; kept in extra_json: ' ||
    array_to_string(list_sort(list(DISTINCT key))[:8], ', ')
FROM (SELECT unnest(TRY(json_keys(extra))) AS key FROM node WHERE extra IS NOT NULL)
WHERE key NOT IN (
  'ts', 'inclusive_dur', 'exclusive_dur', 'inter_thread_dep', 'cat', 'ph', 'stream', 'pg_name',
  'sync_dep', 'order_dep', 'unlinked_reason'
)
UNION ALL
SELECT 'no_attributes', 'warning', count(*), 'nodes without attributes'
FROM node
WHERE NOT coalesce(has_attributes, false)
UNION ALL
SELECT 'odd_attributes', 'warning', count(*), 'nodes whose attributes are not a list of named values'
FROM node
WHERE has_invalid_attributes
UNION ALL
SELECT 'odd_process_groups', 'warning', count(*), 'process groups that are not a JSON list'
FROM group_text
WHERE TRY(from_json(text, '["JSON"]')) IS NULL;
