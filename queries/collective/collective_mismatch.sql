/* ---
name = "collective_mismatch"
version = 1
title = "Operations of process groups that ranks call differently, or have not called"
help = """
From dumps of flight recorders. Collectives of a group are compared by their number, as most ranks
call them, of equally many those with the lowest rank; sends are compared with the receives of the
other side, in their order. Problems, the gravest of each operation: missing (other ranks have called
it), order (the rank calls it at another place), operation, size, type and state (only some ranks have
started or completed it). After the first problem of a group, the later ones may follow from it.
Ranks without a dump, and operations that a rank overwrote, are not compared. Compares the ranks in
scope; a time window hides none.
"""
grain = ["run_id", "group_key", "is_p2p", "sequence_number", "ordinal", "rank", "from_rank", "to_rank"]
requires = { schema = ">=27", queries = ["recorded_mismatch@1"] }
scale = "run"
columns = [
  "run_id", "group_key", "group_name", "group_description", "is_p2p", "sequence_number", "ordinal",
  "rank", "trace_id", "problem", "found", "expected", "python_line", "expected_line", "n_agreeing",
  "is_first", "from_rank", "to_rank",
]

[column]
group_name.help = "Process group"
sequence_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the collective in the group; of sends and receives their position between the two ranks" }
ordinal = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Position among coalesced operations of one number, from 1" }
rank = { nullable = false, help = "Rank that differs" }
trace_id.help = "Trace of the rank"
problem = { type = "VARCHAR", unit = "text", check = "IN ('missing', 'order', 'operation', 'size', 'type', 'state')", help = "Gravest difference" }
to_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank that receives; NULL: a collective" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  group_key,
  group_name,
  group_description,
  is_p2p,
  sequence_number,
  ordinal,
  rank,
  trace_id,
  problem,
  found,
  expected,
  python_line,
  expected_line,
  n_agreeing,
  is_first,
  from_rank,
  to_rank
FROM recorded_mismatch()
ORDER BY run_id, group_key, is_p2p, sequence_number, ordinal, from_rank, to_rank, rank
