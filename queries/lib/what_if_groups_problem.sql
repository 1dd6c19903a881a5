/* ---
name = "what_if_groups_problem"
version = 1
title = "Why gradients of a run cannot be reduced in other groups"
help = """
No row: they can. Without groups, what the recording lacks for any; otherwise
also what is wrong with the requested ones.
"""
grain = ["kind"]
requires = { schema = ">=18", queries = ["gradient_rate@2", "gradient_tensor@1", "replay_node@3"] }
columns = ["kind", "problem", "remedy"]

[param.groups]
type = "VARCHAR"
default = ""
help = "Numbers of the tensors of each group, as 0+1,2"

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of sends; 0: as fitted to the recorded groups"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none, 2_servers, 3_size, 4_rate; of requested groups 5_number, 6_unknown, 7_twice, 8_missing" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
WITH gradient AS MATERIALIZED (
  SELECT tensor_id, any_value(bytes) AS bytes, any_value(tensors) AS tensors
  FROM gradient_tensor()
  GROUP BY tensor_id
),
part_node AS MATERIALIZED (SELECT kind FROM replay_node()),
requested AS MATERIALIZED (
  SELECT unnest(string_split_regex(replace($groups::VARCHAR, ' ', ''), '[+,]')) AS text
  WHERE $groups::VARCHAR <> ''
),
named AS (
  SELECT TRY_CAST(text AS BIGINT) AS tensor_id, count(*) AS n FROM requested GROUP BY ALL
)
SELECT '1_none' AS kind, 'the run has no recorded groups of gradients' AS problem,
  'Other groups require a dPRO trial with NCCL.' AS remedy
WHERE NOT EXISTS (FROM gradient) AND NOT EXISTS (FROM part_node WHERE kind = 'PUSH_REQ')
UNION ALL
SELECT '2_servers', 'servers reduce the gradients of the run, tensor by tensor',
  'Request other sizes of parts: partitions(sizes = 65536).'
WHERE NOT EXISTS (FROM gradient) AND EXISTS (FROM part_node WHERE kind = 'PUSH_REQ')
UNION ALL
SELECT '3_size', 'the size of tensor ' || min(tensor_id) || ' is not recorded',
  'Import the trial with the metadata.json of its ranks.'
FROM gradient
WHERE bytes IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '4_rate',
  CASE WHEN max(n_groups) = 1 THEN 'the run reduces all gradients in one group, and one size gives no rate'
    ELSE 'no two of the ' || max(n_groups) || ' recorded groups differ by a factor of 2 in size, so they give no rate'
  END,
  'Give the rate of a send, as in --bytes-per-s 1GB/s, or bytes_per_s = 1e9 in the what-if.'
FROM gradient_rate()
WHERE stage = 'send' AND NOT has_sizes AND $bytes_per_s::DOUBLE = 0
HAVING count(*) > 0
UNION ALL
SELECT '5_number', 'groups contain ' || min(text) || ', which is not the number of a tensor',
  'Write groups as 0+1,2.'
FROM requested
WHERE TRY_CAST(text AS BIGINT) IS NULL
HAVING count(*) > 0
UNION ALL
SELECT '6_unknown', 'groups name ' || count(*) || ' tensors that the run does not have, such as ' || min(n.tensor_id),
  '`tw query gradient_tensor` lists the tensors.'
FROM named AS n
WHERE n.tensor_id IS NOT NULL AND n.tensor_id NOT IN (SELECT tensor_id FROM gradient)
HAVING count(*) > 0
UNION ALL
SELECT '7_twice', 'groups name ' || count(*) || ' tensors twice, such as ' || min(tensor_id),
  'Name every tensor once.'
FROM named
WHERE n > 1 AND tensor_id IS NOT NULL
HAVING count(*) > 0
UNION ALL
SELECT '8_missing', 'groups lack ' || count(*) || ' tensors of the run, such as ' || min(t.tensor_id),
  'Name every tensor once.'
FROM gradient AS t
WHERE EXISTS (FROM requested) AND t.tensor_id NOT IN (SELECT tensor_id FROM named WHERE tensor_id IS NOT NULL)
HAVING count(*) > 0
ORDER BY kind
