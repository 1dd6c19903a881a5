/* ---
name = "what_if_precision_problem"
version = 2
title = "Why operators of a run cannot be predicted in 16 bits"
help = """
No row: they can. What the recording lacks, names of operators that the run does not have in 32 bits, and
a cost model that does not exist, or is of another device.
"""
grain = ["kind"]
requires = { schema = ">=26", queries = ["precision_operator@1", "precision_ratio@2", "precision_use@2"] }
columns = ["kind", "problem", "remedy"]

[param.operators]
type = "VARCHAR"
default = "*"
help = "Names or patterns, separated by commas"

[param.model]
type = "VARCHAR"
default = ""
help = "Cost model"

[param.cast_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of casts; 0: as precision_use says"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none, 2_cast, 3_size, 4_unknown, 5_model, 6_device" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
2 = "models of another device"
1 = "first version"
--- */
WITH operator AS MATERIALIZED (
  SELECT DISTINCT operator, is_able FROM precision_operator() WHERE is_float32
),
use AS MATERIALIZED (FROM precision_use()),
pattern AS (
  SELECT DISTINCT trim(unnest(string_split($operators::VARCHAR, ','))) AS text
),
-- what is known of the devices of the trial: their model, or only that they are GPUs
device_of_run AS (
  SELECT DISTINCT d.kind, CASE WHEN NOT regexp_matches(d.name, '^GPU [0-9]+$') THEN d.name END AS name
  FROM device AS d
  SEMI JOIN graph AS g ON g.trace_id = d.trace_id AND g.kind = 'dpro'
),
fitted AS (
  SELECT DISTINCT unnest(string_split(devices, ', ')) AS name
  FROM precision_ratio()
  WHERE model = $model::VARCHAR
),
unknown AS (
  SELECT p.text
  FROM pattern AS p
  WHERE NOT EXISTS (FROM operator AS o WHERE o.operator = p.text OR o.is_able AND o.operator GLOB p.text)
)
SELECT '1_none' AS kind, 'the run has no operators whose types and shapes are recorded in 32 bits' AS problem,
  'Other precisions require a dPRO trial with the metadata.json of its ranks.' AS remedy
WHERE NOT EXISTS (FROM operator)
UNION ALL
SELECT '2_cast', 'no element-wise operator of the run tells how long a cast takes',
  'Give the rate of casts: cast_bytes_per_s, or --cast-bytes-per-s.'
WHERE EXISTS (FROM operator) AND $cast_bytes_per_s::DOUBLE = 0
  AND EXISTS (FROM use WHERE rate_bytes_per_s IS NULL)
UNION ALL
SELECT '3_size', 'sizes of tensors are not recorded: ' || count(DISTINCT tensor) || ', such as that of ' || min(tensor),
  'Import the trial with the metadata.json of its ranks.'
FROM use
WHERE n_elements IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '4_unknown', 'the run has no operator ' || min(text) || ' that can compute in 16 bits',
  '`tw query "FROM precision_operator()"` lists the operators.'
FROM unknown
WHERE EXISTS (FROM operator)
HAVING count(*) > 0
UNION ALL
SELECT '5_model', 'no cost model ' || $model::VARCHAR || ' says how long operators take in 16 bits',
  'Fit one: `tw model fit precision`.'
WHERE $model::VARCHAR <> '' AND NOT EXISTS (FROM precision_ratio() WHERE model = $model::VARCHAR)
UNION ALL
SELECT '6_device', 'cost model ' || $model::VARCHAR || ' was fitted on ' || f.names || ', but the run was recorded on ' || r.name,
  'Fit one to runs on that device: `tw model fit precision --run RUN --as NAME`.'
FROM (
  SELECT min(coalesce(d.name, 'a GPU')) AS name
  FROM device_of_run AS d
  WHERE CASE
    WHEN d.name IS NULL THEN d.kind = 'gpu' AND NOT EXISTS (FROM fitted WHERE name <> 'host')
    ELSE d.name NOT IN (SELECT name FROM fitted)
  END
) AS r
CROSS JOIN (SELECT string_agg(name, ', ' ORDER BY name) AS names FROM fitted) AS f
WHERE r.name IS NOT NULL AND f.names IS NOT NULL
ORDER BY kind
