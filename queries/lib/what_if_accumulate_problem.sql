/* ---
name = "what_if_accumulate_problem"
version = 1
title = "Why gradients cannot be accumulated"
help = """
No row: they can. The forward and backward pass must be known: those of dPRO trials, or of graphs with tensors.
"""
grain = ["kind"]
requires = { schema = ">=17", queries = ["memory_node@2", "memory_pass@1", "replay_node@3"] }
columns = ["kind", "problem", "remedy"]

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_none" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
SELECT '1_none' AS kind, 'the run has no backward pass whose operators are recorded' AS problem,
  'Import a dPRO trial, or an execution trace of a training step beside its timeline.' AS remedy
WHERE NOT EXISTS (FROM replay_node() WHERE kind = 'operator' AND contains(name, 'BW'))
  AND NOT EXISTS (SELECT 1 FROM memory_node() AS m JOIN memory_pass() AS p ON p.graph_id = m.graph_id)
ORDER BY kind
