/* ---
name = "tf_operation"
version = 1
title = "Operators of TensorFlow over its sessions"
help = """
Statistics of the operators that end in the sessions that count; all operators of traces without
sessions.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=1", queries = ["tf_session_of@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "name", "n_calls", "total_ns", "mean_ns", "min_ns", "max_ns",
]

[param.skip_sessions]
type = "BIGINT[]"
default = [1, 2]
help = "Numbers of sessions that do not count: initialisation and the first run"

[column]
name.help = "Name of the operator: of the node, or of its type"
n_calls = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of calls" }
total_ns.help = "Sum of durations"
min_ns = { type = "BIGINT", unit = "ns", help = "Shortest duration" }
max_ns = { type = "BIGINT", unit = "ns", help = "Longest duration" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  o.trace_id,
  t.rank,
  o.name,
  count(*) AS n_calls,
  sum(o.dur)::BIGINT AS total_ns,
  avg(o.dur) AS mean_ns,
  min(o.dur) AS min_ns,
  max(o.dur) AS max_ns
FROM cpu_op AS o
JOIN trace AS t ON t.id = o.trace_id
LEFT JOIN tf_session_of() AS i ON i.slice_id = o.slice_id
WHERE o.dur >= 0
  AND (i.session IS NULL OR NOT list_contains($skip_sessions::BIGINT[], i.session))
GROUP BY t.run_id, o.trace_id, t.rank, o.name
ORDER BY o.trace_id, mean_ns DESC, o.name
