/* ---
name = "tpu_op_summary"
version = 1
title = "TPU operations by engine, type and function: count, duration, bytes and rates"
help = """
Types and functions have one name for all chips and capture modes; source_name is the name in the
capture, the first of several in alphabetical order. A time window contains the commands that run in
it, whole.
"""
grain = ["trace_id", "engine", "type", "function"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "type", "function", "source_name", "is_sync",
  "n_commands", "total_ns", "engine_share", "min_ns", "mean_ns", "max_ns", "cycles", "stall_cycles",
  "bytes", "bytes_per_s", "alg_ops", "uarch_rate",
]

[column]
type.help = "Command type; NULL: unknown"
function.help = "Function; NULL: unknown"
cycles.help = "Sum of the cycles"
bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes moved" }
bytes_per_s.help = "bytes / total_ns; NULL if total_ns is 0"

[column.engine_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of the total time of all commands of the engine, on all cores; NULL if that is 0"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    c.trace_id,
    c.engine,
    c.type,
    c.function,
    w.is_sync,
    min(c.source_name) AS source_name,
    count(*) AS n_commands,
    sum(w.end_ns - w.start_ns)::BIGINT AS total_ns,
    min(w.end_ns - w.start_ns) AS min_ns,
    avg(w.end_ns - w.start_ns) AS mean_ns,
    max(w.end_ns - w.start_ns) AS max_ns,
    sum(c.cycles)::BIGINT AS cycles,
    sum(c.stall_cycles)::BIGINT AS stall_cycles,
    coalesce(sum(c.bytes), 0)::BIGINT AS bytes,
    sum(c.alg_ops)::BIGINT AS alg_ops,
    sum(c.uarch_ops)::BIGINT AS uarch_ops
  FROM tpu_command AS c
  JOIN tpu_work() AS w ON w.slice_id = c.slice_id
  GROUP BY c.trace_id, c.engine, c.type, c.function, w.is_sync
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.engine,
  s.type,
  s.function,
  s.source_name,
  s.is_sync,
  s.n_commands,
  s.total_ns,
  s.total_ns / nullif(sum(s.total_ns) OVER (PARTITION BY s.trace_id, s.engine), 0) AS engine_share,
  s.min_ns,
  s.mean_ns,
  s.max_ns,
  s.cycles,
  s.stall_cycles,
  s.bytes,
  s.bytes * 1e9 / nullif(s.total_ns, 0) AS bytes_per_s,
  s.alg_ops,
  s.alg_ops / nullif(s.uarch_ops, 0) AS uarch_rate
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY
  t.run_id, t.rank, s.trace_id, s.engine, s.total_ns DESC, s.type, s.function, s.is_sync
