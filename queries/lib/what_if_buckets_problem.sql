/* ---
name = "what_if_buckets_problem"
version = 1
title = "Why gradients cannot be put into other buckets"
help = "No row: they can. Buckets of a change before are no recorded reductions, whose rate is known."
grain = ["kind"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
columns = ["kind", "problem", "remedy"]

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_twice" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
SELECT '1_twice' AS kind, 'an earlier change put the gradients into other buckets' AS problem, 'Give buckets once.' AS remedy
WHERE EXISTS (SELECT 1 FROM replay_node() AS n WHERE n.kind = 'bucket')
ORDER BY kind
