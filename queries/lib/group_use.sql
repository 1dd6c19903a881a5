/* ---
name = "group_use"
version = 1
title = "What each process group of a timeline is used for: kinds and places of its communication"
help = """
Groups are those that the profiler lists and those that communication names; a group without
communication has no kinds. Calls within a backward pass are in ranges of autograd or of FSDP's
backward; a gradient is one reduced where autograd accumulates it. Where communication names no group
and a trace has only one, it is the one's: its calls are then those of c10d. A time window hides none.
"""
scale = "trace"
computed_once = "reports"
grain = ["trace_id", "group_name"]
requires = { schema = ">=11", queries = ["collective_op@1"] }
columns = [
  "trace_id", "group_name", "group_description", "group_size", "member_ranks", "kinds", "n_calls",
  "n_gradients", "n_sharded", "n_replica_sums", "n_scattered", "n_scattered_backward",
  "n_summed_forward", "n_summed_backward", "n_uneven", "is_ring",
]

[column]
group_name = { nullable = false, help = "Process group, as collectives call it" }
member_ranks = { type = "BIGINT[]", unit = "count", nullable = true, help = "Ranks of the group; NULL: not recorded" }
kinds = { type = "VARCHAR[]", unit = "text", help = "Kinds of its communication, as in collective_op" }
n_calls = { check = ">= 0", help = "Recorded calls on the host" }
n_gradients = { type = "BIGINT", unit = "count", help = "Calls of all_reduce where autograd accumulates a gradient" }
n_sharded = { type = "BIGINT", unit = "count", help = "Calls of all_gather and reduce_scatter in ranges of FSDP" }
n_replica_sums = { type = "BIGINT", unit = "count", help = "Calls of all_reduce in ranges of FSDP" }
n_scattered = { type = "BIGINT", unit = "count", help = "Calls of reduce_scatter" }
n_scattered_backward = { type = "BIGINT", unit = "count", help = "Calls of reduce_scatter within a backward pass" }
n_summed_forward = { type = "BIGINT", unit = "count", help = "Calls of all_reduce outside of a backward pass" }
n_summed_backward = { type = "BIGINT", unit = "count", help = "Calls of all_reduce within a backward pass that are of no gradient, and not FSDP's" }
n_uneven = { type = "BIGINT", unit = "count", help = "Calls of all_to_all that send and receive different sizes" }
is_ring = { type = "BOOLEAN", unit = "bool", help = "Whether the rank sends to ranks other than those it receives from" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE named AS MATERIALIZED (
  SELECT
    c.slice_id, c.trace_id, c.group_name, c.group_description, o.group_size, c.name, c.side, o.kind,
    c.peer_rank, c.input_bytes, c.output_bytes,
    TRY_CAST(c.group_ranks_json AS BIGINT[]) AS member_ranks
  FROM whole_collective AS c
  JOIN collective_op() AS o ON o.slice_id = c.slice_id
),
listed AS (
  SELECT
    trace_id, name AS group_name, description AS group_description, n_ranks AS group_size,
    TRY_CAST(ranks_json AS BIGINT[]) AS member_ranks
  FROM process_group
  WHERE graph_id IS NULL AND name IS NOT NULL
    AND trace_id NOT IN (SELECT trace_id FROM whole_recorded_collective)
  UNION ALL
  SELECT trace_id, group_name, group_description, group_size, member_ranks
  FROM named
  WHERE group_name <> ''
),
process_groups AS MATERIALIZED (
  SELECT
    trace_id, group_name,
    max(group_description) AS group_description,
    max(group_size) AS group_size,
    max(member_ranks) AS member_ranks
  FROM listed
  GROUP BY trace_id, group_name
),
-- Calls of libraries that record no group.
sole AS MATERIALIZED (
  SELECT trace_id, min(group_name) AS group_name
  FROM process_groups
  WHERE trace_id NOT IN (SELECT trace_id FROM named WHERE group_name <> '')
  GROUP BY trace_id
  HAVING count(*) = 1
),
c10d AS (
  SELECT
    o.slice_id, o.trace_id, s.group_name,
    regexp_replace(regexp_extract(o.name, '^c10d::([a-z_]+)', 1), '[^a-z]', '', 'g') AS word,
    o.input_dims_json
  FROM whole_cpu_op AS o
  JOIN sole AS s ON s.trace_id = o.trace_id
  WHERE o.name LIKE 'c10d::%'
),
call AS MATERIALIZED (
  SELECT
    slice_id, trace_id, group_name, kind, peer_rank, input_bytes, output_bytes, 'host' = side AS is_call
  FROM named
  WHERE group_name <> ''
  UNION ALL
  SELECT
    slice_id, trace_id, group_name,
    CASE
      WHEN word LIKE 'allreduce%' THEN 'all_reduce'
      WHEN word LIKE 'allgather%' THEN 'all_gather'
      WHEN word LIKE 'reducescatter%' THEN 'reduce_scatter'
      WHEN word LIKE 'alltoall%' THEN 'all_to_all'
      WHEN word LIKE 'recv%' THEN 'recv'
      ELSE word
    END,
    NULL,
    -- Elements of the two tensors of alltoall_base_.
    list_product(TRY_CAST(json_extract(input_dims_json, '$[1]') AS BIGINT[])),
    list_product(TRY_CAST(json_extract(input_dims_json, '$[0]') AS BIGINT[])),
    true
  FROM c10d
),
-- What lies around other slices, of all that is searched above the first parents.
around AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL
    AND is_leaf IS NULL
    AND trace_id IN (SELECT trace_id FROM call WHERE is_call)
),
upward AS (
  SELECT c.slice_id, s.parent_id AS at_id
  FROM whole_slice AS s
  JOIN call AS c ON c.slice_id = s.id
  WHERE c.is_call
    AND s.parent_id IS NOT NULL
  UNION ALL
  SELECT u.slice_id, s.parent_id
  FROM around AS s
  JOIN upward AS u ON u.at_id = s.id
),
above AS MATERIALIZED (
  SELECT slice_id, at_id
  FROM upward
  UNION ALL
  SELECT slice_id, slice_id
  FROM call
  WHERE is_call
),
call_context AS (
  SELECT
    u.slice_id,
    bool_or(s.name LIKE 'autograd::engine::evaluate_function:%' OR s.name LIKE 'FSDP::%backward%') AS is_backward,
    bool_or(s.name = 'autograd::engine::evaluate_function: torch::autograd::AccumulateGrad') AS is_gradient,
    bool_or(s.name LIKE 'FSDP::%' OR s.name LIKE 'FullyShardedDataParallel.%') AS is_fsdp
  FROM whole_slice AS s
  -- Always true: with conditions the estimate of these rows is small, so that they are hashed, and not
  -- all slices.
  JOIN (SELECT * FROM above WHERE at_id >= 0 AND slice_id >= 0) AS u ON u.at_id = s.id
  GROUP BY u.slice_id
),
used AS (
  SELECT
    c.trace_id,
    c.group_name,
    list_sort(list(DISTINCT c.kind)) AS kinds,
    count(*) FILTER (c.is_call) AS n_calls,
    count(*) FILTER (c.kind = 'all_reduce' AND p.is_gradient) AS n_gradients,
    count(*) FILTER (c.kind IN ('all_gather', 'reduce_scatter') AND p.is_fsdp) AS n_sharded,
    count(*) FILTER (c.kind = 'all_reduce' AND p.is_fsdp) AS n_replica_sums,
    count(*) FILTER (c.kind = 'reduce_scatter' AND c.is_call) AS n_scattered,
    count(*) FILTER (c.kind = 'reduce_scatter' AND p.is_backward) AS n_scattered_backward,
    count(*) FILTER (c.kind = 'all_reduce' AND c.is_call AND NOT p.is_backward) AS n_summed_forward,
    count(*) FILTER (c.kind = 'all_reduce' AND p.is_backward AND NOT (p.is_gradient OR p.is_fsdp)) AS n_summed_backward,
    count(*) FILTER (c.kind = 'all_to_all' AND c.input_bytes <> c.output_bytes) AS n_uneven,
    list_sort(list(DISTINCT c.peer_rank) FILTER (c.kind = 'send')) AS to_ranks,
    list_sort(list(DISTINCT c.peer_rank) FILTER (c.kind = 'recv')) AS from_ranks
  FROM call AS c
  LEFT JOIN call_context AS p ON p.slice_id = c.slice_id
  GROUP BY c.trace_id, c.group_name
)
SELECT
  g.trace_id,
  g.group_name,
  g.group_description,
  g.group_size,
  g.member_ranks,
  coalesce(u.kinds, []) AS kinds,
  coalesce(u.n_calls, 0) AS n_calls,
  coalesce(u.n_gradients, 0) AS n_gradients,
  coalesce(u.n_sharded, 0) AS n_sharded,
  coalesce(u.n_replica_sums, 0) AS n_replica_sums,
  coalesce(u.n_scattered, 0) AS n_scattered,
  coalesce(u.n_scattered_backward, 0) AS n_scattered_backward,
  coalesce(u.n_summed_forward, 0) AS n_summed_forward,
  coalesce(u.n_summed_backward, 0) AS n_summed_backward,
  coalesce(u.n_uneven, 0) AS n_uneven,
  coalesce(u.to_ranks <> u.from_ranks, false) AS is_ring
FROM process_groups AS g
LEFT JOIN used AS u ON u.trace_id = g.trace_id AND u.group_name = g.group_name
ORDER BY g.trace_id, g.group_name
