/* ---
name = "dpro_group"
version = 1
title = "Which tensors of a dPRO trial are communicated together"
help = """
Horovod fuses tensors into groups. A group is the name of a communication event in the typical step,
such as 3+4; of several names that contain a tensor the one seen first last counts, which
is the name in the events of NCCL.
"""
grain = ["run_id", "tensor_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_recorded_event@1", "dpro_iteration@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "tensor_id", "tensors", "n_loops", "n_channels", "n_ring_steps", "n_parts"]

[column]
tensor_id = { type = "BIGINT", unit = "source id", help = "Number of the tensor" }
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of its group, ascending" }
n_loops = { type = "BIGINT", unit = "count", nullable = true, help = "Loops of the group's communication; NULL: not recorded" }
n_channels = { type = "BIGINT", unit = "count", nullable = true, help = "Channels" }
n_ring_steps = { type = "BIGINT", unit = "count", nullable = true, help = "Steps of the ring" }
n_parts = { type = "BIGINT", unit = "count", nullable = true, help = "Slices of a chunk" }

[changes]
1 = "first version"
--- */
WITH event AS NOT MATERIALIZED (
  SELECT * FROM dpro_recorded_event() WHERE phase = 'Comm' AND stage <> 'Sync'
),
typical AS (
  SELECT run_id, min(step) AS step
  FROM dpro_iteration()
  WHERE is_typical
  GROUP BY run_id
),
seen AS (
  SELECT e.run_id, e.tensors, min((e.start_ns, 'Comm.' || e.tensors || '.' || e.stage)) AS place
  FROM event AS e
  JOIN typical AS t ON t.run_id = e.run_id AND t.step = e.step
  GROUP BY e.run_id, e.tensors
),
member AS (
  SELECT run_id, tensors, place, unnest(string_split(tensors, '+'))::BIGINT AS tensor_id
  FROM seen
),
-- of the first rank that recorded any
extent AS (
  SELECT
    run_id, tensors, process,
    max(loop) + 1 AS n_loops,
    max(channel) + 1 AS n_channels,
    max(ring_step) + 1 AS n_ring_steps,
    max(part) + 1 AS n_parts
  FROM event
  WHERE ring_step IS NOT NULL
  GROUP BY run_id, tensors, process
),
chosen AS (
  SELECT run_id, tensor_id, arg_max(tensors, place) AS tensors
  FROM member
  GROUP BY run_id, tensor_id
)
SELECT
  c.run_id,
  c.tensor_id,
  c.tensors,
  x.n_loops,
  x.n_channels,
  x.n_ring_steps,
  x.n_parts
FROM chosen AS c
LEFT JOIN (
  SELECT
    run_id, tensors,
    arg_min(n_loops, process) AS n_loops,
    arg_min(n_channels, process) AS n_channels,
    arg_min(n_ring_steps, process) AS n_ring_steps,
    arg_min(n_parts, process) AS n_parts
  FROM extent
  GROUP BY run_id, tensors
) AS x ON x.run_id = c.run_id AND x.tensors = c.tensors
ORDER BY c.run_id, c.tensor_id
