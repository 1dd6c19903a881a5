/* ---
name = "what_if_daydream_problem"
version = 1
title = "Why communication of a run cannot be modelled as Daydream does"
help = "No row: it can. Otherwise all nodes of the run would be dropped. Gradients without sizes (BytePS) take no time, as in dPRO."
grain = ["problem"]
requires = { schema = ">=18", queries = ["dpro_tensor@1"] }
columns = ["problem", "remedy"]

[column]
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
SELECT 'the run has no groups of gradients that daydream models' AS problem,
  'It requires a dPRO trial.' AS remedy
WHERE NOT EXISTS (FROM dpro_tensor())
ORDER BY problem
