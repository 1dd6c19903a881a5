/* ---
name = "tpu_low_uarch_rate"
version = 1
title = "TIU commands with a low uArch rate, by wasted cycles"
help = """
The rate as a number per command; excess hardware operations come from dimensions that do not fill
its lanes. Wasted cycles are the command's cycles times the share of unneeded operations.
Synchronization and commands of unknown shape have no rate and no row. A time window contains the
commands that run in it, whole.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "slice_id", "ts", "dur_ns", "type", "function", "name",
  "kernel_name", "alg_ops", "uarch_ops", "uarch_rate", "wasted_cycles",
]

[param.below]
type = "DOUBLE"
unit = "ratio"
default = 0.4
min = 0
max = 1
help = "Upper bound of the rate"

[param.top]
type = "BIGINT"
unit = "count"
default = 100
min = 1
help = "Maximum number of rows per trace"

[column]
core.help = "Core"
slice_id.help = "Command"
dur_ns.help = "Duration"
type.help = "Command type"
function.help = "Function"
name.help = "Name as captured"
kernel_name.help = "Kernel"
alg_ops = { nullable = false, help = "Operations required by the algorithm" }
uarch_ops = { type = "BIGINT", unit = "count", check = "> 0", help = "Operations executed by the hardware" }
uarch_rate = { nullable = false, help = "alg_ops / uarch_ops" }
wasted_cycles = { type = "DOUBLE", unit = "cycle", nullable = true, check = ">= 0", help = "cycles * (1 - uarch_rate)" }

[changes]
1 = "first version"
--- */
WITH rated AS (
  SELECT
    slice_id,
    alg_ops / uarch_ops AS rate,
    row_number() OVER (
      PARTITION BY trace_id
      ORDER BY cycles * (1 - alg_ops / uarch_ops) DESC NULLS LAST, slice_id
    ) AS place
  FROM tpu_command
  WHERE
    engine = 'TIU'
    AND kind IS DISTINCT FROM 'sync'
    AND uarch_ops > 0
    AND alg_ops / uarch_ops < $below::DOUBLE
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.core,
  c.slice_id,
  c.ts,
  greatest(c.dur, 0) AS dur_ns,
  c.type,
  c.function,
  c.source_name AS name,
  c.kernel_name,
  c.alg_ops,
  c.uarch_ops,
  r.rate AS uarch_rate,
  CASE WHEN c.cycles IS NOT NULL THEN greatest(c.cycles * (1 - r.rate), 0) END AS wasted_cycles
FROM rated AS r
JOIN tpu_command AS c ON c.slice_id = r.slice_id
JOIN trace AS t ON t.id = c.trace_id
WHERE r.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, c.trace_id, r.place
