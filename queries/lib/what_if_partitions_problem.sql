/* ---
name = "what_if_partitions_problem"
version = 1
title = "Why gradients of a run cannot be cut into other parts"
help = """
No row: they can. Without sizes, what the recording lacks for any; otherwise also what is wrong with the requested ones.
"""
grain = ["kind"]
requires = { schema = ">=18", queries = ["gradient_part_node@1", "gradient_part_rate@1"] }
columns = ["kind", "problem", "remedy"]

[param.sizes]
type = "VARCHAR"
default = ""
help = "Bytes of a part: of all tensors, or of each as 3=65536,4+5=32768"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of messages; 0: as fitted to the recorded ones"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none, 2_size, 3_rate; of requested sizes 4_number, 5_unknown, 6_twice, 7_small" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
WITH part AS MATERIALIZED (
  SELECT tensors, any_value(tensor_bytes) AS bytes FROM gradient_part_node() GROUP BY tensors
),
requested AS MATERIALIZED (
  SELECT
    text, CASE WHEN contains(text, '=') THEN trim(split_part(text, '=', 1)) ELSE '' END AS tensors,
    TRY_CAST(CASE WHEN contains(text, '=') THEN split_part(text, '=', 2) ELSE text END AS BIGINT) AS part_bytes
  FROM (SELECT trim(unnest(string_split($sizes::VARCHAR, ','))) AS text)
  WHERE $sizes::VARCHAR <> ''
)
SELECT '1_none' AS kind, 'no servers reduce the gradients of the run' AS problem,
  'Sizes of parts require a dPRO trial with BytePS, and the logs of its servers.' AS remedy
WHERE NOT EXISTS (FROM part)
UNION ALL
SELECT '2_size', 'the size of tensor ' || min(tensors) || ' is not recorded',
  'Import the trial with the metadata.json of its ranks.'
FROM part
WHERE bytes IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '3_rate', 'no two of the recorded parts differ by a factor of 2 in size, so they give no rate',
  'Give the rate of a message: bytes_per_s, or --bytes-per-s, as in --bytes-per-s 1GB/s.'
FROM gradient_part_rate()
WHERE kind = 'PUSH_REQ' AND NOT has_sizes AND $bytes_per_s::DOUBLE = 0
HAVING count(*) > 0
UNION ALL
SELECT '4_number', 'sizes contain ' || min(text) || ', which is not a size in bytes', 'Write sizes as 65536, or 3=65536,4+5=32768.'
FROM requested
WHERE part_bytes IS NULL OR part_bytes <= 0
HAVING count(*) > 0
UNION ALL
SELECT '5_unknown', 'sizes name ' || count(*) || ' tensors that the run does not have, such as ' || min(tensors),
  '`tw query "FROM gradient_part_node()"` lists the tensors.'
FROM requested
WHERE tensors <> '' AND tensors NOT IN (SELECT tensors FROM part)
HAVING count(*) > 0
UNION ALL
SELECT '6_twice', 'sizes name ' || min(CASE tensors WHEN '' THEN 'all tensors' ELSE 'tensor ' || tensors END) || ' twice',
  'Name every tensor once.'
FROM (SELECT tensors FROM requested GROUP BY tensors HAVING count(*) > 1)
HAVING count(*) > 0
UNION ALL
SELECT '7_small', 'parts of ' || min(r.part_bytes) || ' bytes cut tensor ' || min(p.tensors) || ' into more than 1024',
  'Request larger parts.'
FROM requested AS r
JOIN part AS p ON r.tensors IN ('', p.tensors)
WHERE r.part_bytes > 0 AND p.bytes / r.part_bytes > 1024
HAVING count(*) > 0
ORDER BY kind
