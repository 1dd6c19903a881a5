/* ---
name = "tpu_op_summary"
version = 1
title = "TPU operations by engine, type and function: how often, how long, bytes, rates"
help = """
Types and functions have one name for all chips and capture modes; source_name is the capture's own, the
first of several in the alphabet.
"""
grain = ["trace_id", "engine", "type", "function"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type of command; NULL: not known"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Function; NULL: not known"

[[column]]
name = "source_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name as captured"

[[column]]
name = "is_sync"
type = "BOOLEAN"
unit = "bool"
help = "Whether it only sends, waits or does nothing"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of their durations"

[[column]]
name = "engine_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Of the same sum over all commands of the engine, on all cores; NULL when that is 0"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest"

[[column]]
name = "mean_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Sum of their cycles"

[[column]]
name = "stall_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Waiting for memory; NULL: not counted"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Moved"

[[column]]
name = "bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "bytes / total_ns; NULL when that is 0"

[[column]]
name = "alg_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations the algorithm needs; NULL: not known"

[[column]]
name = "uarch_rate"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "alg_ops / operations the hardware does; NULL: not known"

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
