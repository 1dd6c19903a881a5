-- Tensors of the nodes of a graph, from the JSON of their inputs and outputs; without any lock.
-- In: `node_text (seq, name, inputs, outputs)`, the last two objects with lists of values, shapes,
-- types and perhaps strides. Out: `use`, `tensor`, `group_text`, `process_group`.

-- Arguments that are tensors, or lists with tensors in them. A tensor is written as
-- [tensor, storage, offset, elements, bytes an element, device]. (JSON functions print values without
-- blanks, however the file has them; so equal ones are equal texts.)
CREATE TABLE argument AS
WITH io AS (
  SELECT seq, false AS is_output, inputs AS text FROM node_text WHERE inputs LIKE '{%Tensor(%'
  UNION ALL
  SELECT seq, true, outputs FROM node_text WHERE outputs LIKE '{%Tensor(%'
),
parsed AS (
  SELECT seq, is_output, TRY(from_json(
    text,
    '{"values": ["JSON"], "shapes": ["JSON"], "types": ["VARCHAR"], "strides": ["JSON"]}'
  )) AS io
  FROM io
)
SELECT seq, is_output, argument, io.values[argument + 1]::VARCHAR AS value,
  io.types[argument + 1] AS type,
  io.shapes[argument + 1]::VARCHAR AS shape,
  io.strides[argument + 1]::VARCHAR AS stride
FROM (
  SELECT seq, is_output, io, unnest(range(len(io.types))) AS argument
  FROM parsed
)
WHERE contains(io.types[argument + 1], 'Tensor(');

-- Each tensor of each argument. The leaves of a list's type and of its shape are in the same order;
-- an empty list is one leaf of both.
CREATE MACRO leaves(type) AS list_filter(
  regexp_extract_all(
    type, 'Tensor\((?:[^()]|\([^()]*\))*\)|(?:GenericList|Tuple)\[\]|\w+'
  ),
  lambda leaf: leaf NOT IN ('GenericList', 'Tuple')
);
CREATE MACRO brackets(text) AS regexp_extract_all(text, '\[[^\[\]]*\]');
CREATE MACRO at_tensors(texts, types) AS CASE WHEN len(texts) = len(types) THEN
  list_filter(texts, lambda t, i: starts_with(types[i], 'Tensor(')) END;

CREATE TABLE use AS
WITH list AS (
  SELECT seq, is_output, argument, types, brackets(shape) AS shapes,
    brackets(stride) AS strides,
    -- A quote in a JSON string has a backslash before it: nothing inside one looks like this.
    regexp_extract_all(value, '\[(?:-?\d+,){5}"[^",\[\]]*"\]') AS tensors,
    list_filter(types, lambda t: starts_with(t, 'Tensor(')) AS dtypes
  FROM (SELECT *, leaves(type) AS types FROM argument WHERE NOT starts_with(type, 'Tensor('))
),
element AS (
  SELECT seq, is_output, argument, unnest(range(len(tensors))) AS ordinal, tensors,
    CASE WHEN len(dtypes) = len(tensors) THEN dtypes END AS dtypes,
    at_tensors(shapes, types) AS shapes, at_tensors(strides, types) AS strides
  FROM list
)
SELECT seq, is_output, argument, 0 AS ordinal, value AS text, type, shape, stride
FROM argument
WHERE starts_with(type, 'Tensor(')
UNION ALL
SELECT seq, is_output, argument, ordinal, tensors[ordinal + 1], dtypes[ordinal + 1],
  shapes[ordinal + 1], strides[ordinal + 1]
FROM element;
DROP TABLE argument;

-- The distinct ones, in the order they are first seen: where the same tensor is seen with another
-- shape it is another row.
CREATE TABLE tensor AS
WITH seen AS (
  SELECT text, type, shape, stride, min(seq) AS seq, from_json(text, '["VARCHAR"]') AS parts
  FROM use
  GROUP BY text, type, shape, stride
)
SELECT
  row_number() OVER (ORDER BY seq, text, type, shape, stride) - 1 AS n,
  text,
  type,
  shape,
  stride,
  TRY_CAST(parts[1] AS BIGINT) AS tensor_id,
  TRY_CAST(parts[2] AS BIGINT) AS storage_id,
  TRY_CAST(parts[3] AS BIGINT) AS storage_offset,
  TRY_CAST(parts[4] AS BIGINT) AS n_elements,
  TRY_CAST(parts[5] AS BIGINT) AS element_bytes,
  parts[6] AS device,
  nullif(regexp_extract(type, '^Tensor\((.*)\)$', 1), '') AS data_type
FROM seen;

-- Groups of ranks: what starts the recording on a thread names all there are, as JSON in a string. Where
-- Python would not write the list around it so, Chakra's consumers cut two characters off both its ends.
CREATE TABLE group_text AS
SELECT
  seq,
  coalesce(
    TRY(json_extract_string(inputs, '$.values[0]')),
    regexp_extract(TRY(json_extract_string(inputs, '$.values')), '^\[''(.*)''\]$', 1, 's')
  ) AS text
FROM node_text
WHERE contains(name, 'process_group:init') AND inputs LIKE '{%';

CREATE TABLE process_group AS
SELECT
  row_number() OVER (ORDER BY min(seq), min(place)) - 1 AS n,
  text,
  json_extract_string(text, '$.pg_name') AS name,
  json_extract_string(text, '$.pg_desc') AS description,
  json_extract_string(text, '$.backend_config') AS backend,
  TRY_CAST(json_extract_string(text, '$.group_size') AS BIGINT) AS n_ranks,
  json_extract(text, '$.ranks')::VARCHAR AS ranks,
  TRY_CAST(json_extract_string(text, '$.group_count') AS BIGINT) AS n_groups
FROM (
  SELECT seq, unnest(groups)::VARCHAR AS text, generate_subscripts(groups, 1) AS place
  FROM (SELECT seq, TRY(from_json(text, '["JSON"]')) AS groups FROM group_text)
)
GROUP BY text;
