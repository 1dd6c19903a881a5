/* ---
name = "process_group_class"
version = 1
title = "Kind of parallelism of each process group, with confidence and evidence"
help = """
Evidence is: words in the description of the group, such as those that DeviceMesh (mesh_dp), torchtitan
and Megatron give (0.9); all_gather and reduce_scatter in ranges of FSDP (0.9: fsdp), and all_reduce
there (0.8: data, of replicas); all_reduce where autograd accumulates gradients (0.8: data);
reduce_scatter in the backward pass only, with all_gather (0.7: fsdp), or also outside of it (0.6:
tensor, with sequence parallelism); all_reduce of other values in forward and backward passes (0.6:
tensor); sends and receives only (0.7: pipeline; if the rank sends to others than it receives from, 0.5:
pipeline or context); all_to_all (0.7: expert if it is uneven, else 0.5). Evidence for one class adds up
(1 - the product of what is missing to 1); of classes that exclude each other, the likelier is chosen,
with the chance that it alone is right. Equal ones are distinguished by the distance of neighbouring ranks, in
the usual order: tensor nearest, then context, expert, data, fsdp and pipeline. Without evidence the class is
NULL: a group of all ranks that only synchronizes, or one of a library that does not record groups and of
which a trace has several. Each rank's own recording decides; a time window hides none.
"""
grain = ["trace_id", "group_name"]
requires = { schema = ">=11", queries = ["group_class@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "group_name", "group_description", "group_size", "member_ranks",
  "rank_stride", "kinds", "n_calls", "class", "confidence", "evidence",
]

[column]
group_name = { nullable = false, help = "Process group, as collectives call it" }
member_ranks = { type = "BIGINT[]", unit = "count", nullable = true, help = "Ranks of the group; NULL: not recorded" }
rank_stride = { type = "BIGINT", unit = "count", nullable = true, help = "Distance of neighbouring ranks; NULL: not recorded, one rank, or uneven" }
kinds = { type = "VARCHAR[]", unit = "text", help = "Kinds of its communication, as in collective_op" }
n_calls = { check = ">= 0", help = "Recorded calls on the host" }
class = { nullable = true, check = "IN ('data', 'fsdp', 'tensor', 'pipeline', 'context', 'expert')", help = "Kind of parallelism; NULL: not enough evidence" }
confidence = { nullable = true, help = "NULL without a class" }
evidence = { nullable = true, help = "What says so, and what speaks against it; NULL: nothing" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  group_name,
  group_description,
  group_size,
  member_ranks,
  rank_stride,
  kinds,
  n_calls,
  class,
  confidence,
  evidence
FROM group_class()
ORDER BY run_id, rank, trace_id, group_name
