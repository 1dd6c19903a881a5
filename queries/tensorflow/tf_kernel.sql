/* ---
name = "tf_kernel"
version = 1
title = "Device work of TensorFlow by operator"
help = """
Kernels, copies and memsets that end in the sessions that count, by the operator that launched them
(gpu_op_cause).
"""
grain = ["trace_id", "operation", "kind", "name"]
requires = { schema = ">=1", queries = ["tf_session_of@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "operation", "kind", "name", "n_calls", "total_ns", "mean_ns",
  "bytes",
]

[param.skip_sessions]
type = "BIGINT[]"
default = [1, 2]
help = "Numbers of sessions that do not count: initialisation and the first run"

[column]
operation.help = "Operator; NULL: not known"
kind.help = "kernel, memcpy or memset"
name.help = "Name of the work"
n_calls = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of executions" }
total_ns.help = "Sum of durations"
bytes.help = "Bytes copied or set; NULL: not recorded"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  o.name AS operation,
  g.kind,
  g.name,
  count(*) AS n_calls,
  sum(g.dur)::BIGINT AS total_ns,
  avg(g.dur) AS mean_ns,
  sum(g.bytes)::BIGINT AS bytes
FROM gpu_op AS g
JOIN trace AS t ON t.id = g.trace_id
LEFT JOIN gpu_op_cause AS c ON c.slice_id = g.slice_id
LEFT JOIN whole_cpu_op AS o ON o.slice_id = c.cpu_op_id
LEFT JOIN tf_session_of() AS i ON i.slice_id = g.slice_id
WHERE g.kind <> 'sync' AND g.dur >= 0
  AND (i.session IS NULL OR NOT list_contains($skip_sessions::BIGINT[], i.session))
GROUP BY t.run_id, g.trace_id, t.rank, o.name, g.kind, g.name
ORDER BY g.trace_id, total_ns DESC, operation NULLS LAST, g.kind, g.name
