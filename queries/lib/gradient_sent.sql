/* ---
name = "gradient_sent"
version = 1
title = "Time that ranks communicate each group of gradients"
help = """
Of dPRO trials: copies, sends and receives of the replay, added up as if none ran beside another; without waiting for
other ranks or groups.
"""
grain = ["trace_id", "tensors"]
requires = { schema = ">=18", queries = ["replay_node@3"] }
scale = "run"
columns = ["run_id", "trace_id", "rank", "tensors", "dur_ns"]

[column]
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors of the group, ascending, as in 3+4" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Sum of durations" }

[changes]
1 = "first version"
--- */
SELECT run_id, trace_id, any_value(rank) AS rank, tensors, sum(dur_ns) AS dur_ns
FROM (
  SELECT run_id, trace_id, rank, dur_ns, nullif(regexp_extract(name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors
  FROM replay_node()
  WHERE kind NOT IN ('operator', 'Sync', 'QUEUE')
)
WHERE tensors IS NOT NULL
GROUP BY run_id, trace_id, tensors
ORDER BY trace_id, tensors
