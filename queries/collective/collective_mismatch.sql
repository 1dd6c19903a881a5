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
portable = false
columns = [
  "run_id", "group_key", "group_name", "group_description", "is_p2p", "sequence_number", "ordinal",
  "rank", "trace_id", "problem", "found", "expected", "python_line", "expected_line", "n_agreeing",
  "is_first", "from_rank", "to_rank",
]

[column]
group_name.help = "Process group"
is_p2p = { type = "BOOLEAN", unit = "bool", help = "Whether it is a send or receive" }
sequence_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the collective in the group; of sends and receives their position between the two ranks" }
ordinal = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Position among coalesced operations of one number, from 1" }
rank = { nullable = false, help = "Rank that differs" }
trace_id.help = "Trace of the rank"
problem = { type = "VARCHAR", unit = "text", check = "IN ('missing', 'order', 'operation', 'size', 'type', 'state')", help = "Gravest difference" }
found = { type = "VARCHAR", unit = "text", nullable = true, help = "Operation of the rank, with shapes, types and state; NULL: missing" }
expected = { type = "VARCHAR", unit = "text", help = "Operation of the other ranks" }
python_line = { type = "VARCHAR", unit = "text", nullable = true, help = "Line of the call; of a missing one the line of the last call of the rank" }
expected_line = { type = "VARCHAR", unit = "text", nullable = true, help = "Line of the call on the lowest other rank" }
n_agreeing = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of ranks that agree on what is expected" }
is_first = { type = "BOOLEAN", unit = "bool", help = "Whether it is of the first collective with a problem in the group, or of the first message between two ranks" }
from_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank that sends; NULL: a collective" }
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
