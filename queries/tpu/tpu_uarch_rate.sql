/* ---
name = "tpu_uarch_rate"
version = 1
title = "uArch rate per TPU core and operation"
help = """
The share of executed operations that are needed. Operations are counted from the shapes in register
images (mode 2, descriptors). In modes 0 and 1 no shapes are recorded, so the rate is NULL there,
not 100 %. Synchronization is excluded. Peak efficiency is the time the operations would take at the
chip's peak, divided by the time they took. A time window contains the commands that run in it,
whole.
"""
grain = ["trace_id", "core", "type", "function"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "type", "function", "n_commands", "n_counted", "alg_ops",
  "uarch_ops", "uarch_rate", "alg_cycles", "cycles", "peak_share",
]

[column]
core.help = "Core"
type.help = "Command type, with one name for all chips and capture modes"
function.help = "Function; NULL: unknown"
n_counted = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of commands with known operations" }
alg_ops.help = "Operations required by the algorithm, of counted commands; NULL: none counted"
uarch_rate.help = "alg_ops / uarch_ops; NULL if uarch_ops is 0 or unknown"
cycles.help = "Sum of the cycles of all commands"
peak_share.help = "alg_cycles / cycles of the counted commands; NULL: none"

[column.uarch_ops]
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations executed by the hardware, with dimensions rounded up"

[column.alg_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Minimum cycles at the chip's peak"

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
