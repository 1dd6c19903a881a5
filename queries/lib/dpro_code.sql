/* ---
name = "dpro_code"
version = 1
title = "Numbers of the nodes that dPRO's global graph can have"
help = """
A row for each operator of a rank, each message or operation of BytePS, and each group of tensors on each rank. The
stages of a group have the numbers from first_code on: Sync, QUEUE, the copies into and out of the
fusion buffer, then a send and a receive for each loop, ring step, part and channel, of which the last
changes fastest. Queries join nodes by these numbers: names are long texts.
"""
grain = ["first_code"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro' | rpc"], queries = ["dpro_byteps_edge@1", "dpro_group@1", "dpro_operation@2"] }
computed_once = true
columns = [
  "run_id", "trace_id", "rank", "process", "name", "tensors", "first_code", "n_codes", "n_loops",
  "n_ring_steps", "n_parts", "n_channels",
]

[column]
trace_id.nullable = true
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1, or of the link or server of BytePS" }
name = { type = "VARCHAR", unit = "text", help = "Name in dPRO, without the process: BW.name, or Comm.3+4 of a group" }
tensors = { type = "VARCHAR", unit = "text", nullable = true, help = "Numbers of the tensors of a group, ascending; NULL: no group of Horovod" }
first_code = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the node, or of the first stage of the group" }
n_codes = { type = "BIGINT", unit = "count", check = "> 0", help = "Numbers from first_code on" }
n_loops = { type = "BIGINT", unit = "count", nullable = true, help = "Loops of the group's communication; NULL: not recorded" }
n_ring_steps = { type = "BIGINT", unit = "count", nullable = true, help = "Steps of the ring" }
n_parts = { type = "BIGINT", unit = "count", nullable = true, help = "Slices of a chunk" }
n_channels = { type = "BIGINT", unit = "count", nullable = true, help = "Channels" }

[changes]
1 = "first version"
--- */
WITH rank AS (
  SELECT t.run_id, t.id AS trace_id, t.rank, g.name AS process
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
),
message AS (
  SELECT
    run_id,
    split_part(name, '->', 1) AS process,
    substr(name, strpos(name, '->') + 2) AS name
  FROM (
    SELECT run_id, from_name AS name FROM dpro_byteps_edge()
    UNION
    SELECT run_id, to_name FROM dpro_byteps_edge()
  )
),
coded AS (
  SELECT
    r.run_id, r.trace_id, r.rank, r.process, o.name, NULL AS tensors, 1 AS n_codes,
    NULL::BIGINT AS n_loops, NULL::BIGINT AS n_ring_steps, NULL::BIGINT AS n_parts,
    NULL::BIGINT AS n_channels
  FROM (SELECT DISTINCT trace_id, name FROM dpro_operation()) AS o
  JOIN rank AS r ON r.trace_id = o.trace_id
  UNION ALL
  SELECT
    r.run_id, r.trace_id, r.rank, r.process, 'Comm.' || g.tensors, g.tensors,
    4 + coalesce(2 * g.n_loops * g.n_ring_steps * g.n_parts * g.n_channels, 0),
    g.n_loops, g.n_ring_steps, g.n_parts, g.n_channels
  FROM (
    SELECT DISTINCT run_id, tensors, n_loops, n_ring_steps, n_parts, n_channels FROM dpro_group()
  ) AS g
  JOIN rank AS r ON r.run_id = g.run_id
  UNION ALL
  SELECT run_id, NULL, NULL, process, name, NULL, 1, NULL, NULL, NULL, NULL
  FROM message
  WHERE (run_id, process) NOT IN (SELECT (run_id, process) FROM rank)
)
SELECT
  run_id,
  trace_id,
  rank,
  process,
  name,
  tensors,
  (sum(n_codes) OVER (ORDER BY run_id, process, name, tensors NULLS FIRST ROWS UNBOUNDED PRECEDING)
    - n_codes)::BIGINT AS first_code,
  n_codes::BIGINT AS n_codes,
  n_loops,
  n_ring_steps,
  n_parts,
  n_channels
FROM coded
ORDER BY first_code
