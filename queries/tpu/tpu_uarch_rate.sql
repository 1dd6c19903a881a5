/* ---
name = "tpu_uarch_rate"
version = 1
title = "How much of what each TIU does is needed: uArch rate by core and operation"
help = """
Operations are counted from the shapes in register images (mode 2, descriptors). In modes 0 and 1 no
shapes are recorded, so the rate is NULL there, not 100 %. Synchronisation is left out. Peak efficiency
is the time the operations could take at the chip's peak, of the time they took.
"""
grain = ["trace_id", "core", "type", "function"]
requires = { schema = ">=9" }

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
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type of command, one name for all chips and capture modes"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Function, likewise; NULL: not known"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[[column]]
name = "n_counted"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Of these, commands whose operations are known"

[[column]]
name = "alg_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations the algorithm needs, of those; NULL: none is known"

[[column]]
name = "uarch_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations the hardware does for them, dimensions rounded up"

[[column]]
name = "uarch_rate"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "alg_ops / uarch_ops; NULL when that is 0 or not known"

[[column]]
name = "alg_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "The least they could take at the chip's peak"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Length of all commands"

[[column]]
name = "peak_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "alg_cycles / cycles of the commands counted; NULL: none"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    c.trace_id,
    c.core,
    c.type,
    c.function,
    count(*) AS n_commands,
    sum(c.cycles)::BIGINT AS cycles,
    count(c.alg_ops) AS n_counted,
    sum(c.alg_ops)::BIGINT AS alg_ops,
    sum(c.uarch_ops)::BIGINT AS uarch_ops,
    sum(c.alg_cycles)::BIGINT AS alg_cycles,
    sum(CASE WHEN c.alg_ops IS NOT NULL THEN c.cycles END)::BIGINT AS counted_cycles
  FROM tpu_command AS c
  WHERE c.engine = 'TIU' AND c.kind IS DISTINCT FROM 'sync'
  GROUP BY c.trace_id, c.core, c.type, c.function
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.core,
  s.type,
  s.function,
  s.n_commands,
  s.n_counted,
  s.alg_ops,
  s.uarch_ops,
  s.alg_ops / nullif(s.uarch_ops, 0) AS uarch_rate,
  s.alg_cycles,
  s.cycles,
  s.alg_cycles / nullif(s.counted_cycles, 0) AS peak_share
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
ORDER BY t.run_id, t.rank, s.trace_id, s.core, s.cycles DESC, s.type, s.function
