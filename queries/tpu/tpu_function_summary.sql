/* ---
name = "tpu_function_summary"
version = 1
title = "TIU commands by core and function type, as in the vendor's workbook"
help = """
Function types are in order of first appearance, followed by a row of the core. A command of unknown
size counts as one operation in alg_ops and uarch_ops, as in the vendor's workbook; n_unknown counts
such commands. cycles of a core, to which cycles_share refers, are without those of wait commands,
which have a row of their type nevertheless, so shares of cycles may add up to more than 1. A time
window contains the commands that run in it, whole.
"""
grain = ["trace_id", "core", "is_total", "function_type"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "is_total", "function_type", "n_commands", "n_unknown",
  "alg_ops", "alg_ops_share", "alg_cycles", "alg_cycles_share", "uarch_ops", "uarch_rate",
  "uarch_ops_share", "cycles", "cycles_share",
]

[column]
core.help = "Core"
is_total = { type = "BOOLEAN", unit = "bool", help = "Whether the row is of all commands of the core" }
function_type.help = "Type as captured; NULL: unknown, or the row of the core"
n_unknown = { type = "BIGINT", unit = "count", check = ">= 0", help = "Commands of unknown size" }
alg_ops = { nullable = false, help = "Operations required by the algorithm; 1 for a command of unknown size" }
alg_ops_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share of alg_ops of the core; NULL if that is 0" }
alg_cycles = { type = "BIGINT", unit = "cycle", check = ">= 0", help = "Minimum cycles at the chip's peak; 0 for a command of unknown size" }
alg_cycles_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share of alg_cycles of the core; NULL if that is 0" }
uarch_ops = { type = "BIGINT", unit = "count", check = ">= 0", help = "Operations executed by the hardware; 1 for a command of unknown size" }
uarch_rate.help = "alg_ops / uarch_ops; NULL if uarch_ops is 0"
uarch_ops_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share of uarch_ops of the core; NULL if that is 0" }
cycles.help = "Sum of the cycles; in the row of the core without wait commands"
cycles_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "cycles / cycles of the core; NULL if that is 0" }

[changes]
1 = "first version"
--- */
WITH command AS (
  SELECT
    trace_id,
    coalesce(core, submit_core) AS core,
    category,
    stream_n,
    coalesce(alg_ops, 1) AS alg_ops,
    coalesce(uarch_ops, 1) AS uarch_ops,
    coalesce(alg_cycles, 0) AS alg_cycles,
    CASE WHEN alg_ops IS NULL THEN 1 ELSE 0 END AS is_unknown,
    cycles,
    CASE WHEN function = 'wait' THEN 0 ELSE cycles END AS work_cycles
  FROM tpu_command
  WHERE engine = 'TIU'
),
total AS (
  SELECT
    trace_id,
    core,
    count(*) AS n_commands,
    sum(is_unknown)::BIGINT AS n_unknown,
    sum(alg_ops)::BIGINT AS alg_ops,
    sum(alg_cycles)::BIGINT AS alg_cycles,
    sum(uarch_ops)::BIGINT AS uarch_ops,
    sum(work_cycles)::BIGINT AS cycles
  FROM command
  GROUP BY trace_id, core
),
line AS (
  SELECT
    trace_id,
    core,
    false AS is_total,
    category AS function_type,
    min(stream_n) AS first_n,
    count(*) AS n_commands,
    sum(is_unknown)::BIGINT AS n_unknown,
    sum(alg_ops)::BIGINT AS alg_ops,
    sum(alg_cycles)::BIGINT AS alg_cycles,
    sum(uarch_ops)::BIGINT AS uarch_ops,
    sum(cycles)::BIGINT AS cycles
  FROM command
  GROUP BY trace_id, core, category
  UNION ALL
  SELECT
    trace_id,
    core,
    true AS is_total,
    NULL AS function_type,
    NULL AS first_n,
    n_commands,
    n_unknown,
    alg_ops,
    alg_cycles,
    uarch_ops,
    cycles
  FROM total
)
SELECT
  t.run_id,
  l.trace_id,
  t.rank,
  l.core,
  l.is_total,
  l.function_type,
  l.n_commands,
  l.n_unknown,
  l.alg_ops,
  l.alg_ops / nullif(a.alg_ops, 0) AS alg_ops_share,
  l.alg_cycles,
  l.alg_cycles / nullif(a.alg_cycles, 0) AS alg_cycles_share,
  l.uarch_ops,
  l.alg_ops / nullif(l.uarch_ops, 0) AS uarch_rate,
  l.uarch_ops / nullif(a.uarch_ops, 0) AS uarch_ops_share,
  l.cycles,
  l.cycles / nullif(a.cycles, 0) AS cycles_share
FROM line AS l
JOIN total AS a ON a.trace_id = l.trace_id AND a.core IS NOT DISTINCT FROM l.core
JOIN trace AS t ON t.id = l.trace_id
ORDER BY t.run_id, t.rank, l.trace_id, l.core, l.is_total, l.first_n, l.function_type
