/* ---
name = "tpu_low_uarch_rate"
version = 1
title = "TIU commands whose uArch rate is low: those that waste most come first"
help = """
The rate as a number, for each command; what the hardware does beyond what is needed comes from dimensions
that do not fill its lanes. Wasted cycles are the command's cycles times the share of its operations
that nobody needs. Synchronisation and commands of unknown shape have no rate and no row.
"""
grain = ["slice_id"]
requires = { schema = ">=9" }

[param.below]
type = "DOUBLE"
unit = "ratio"
default = 0.4
min = 0
max = 1
help = "Only commands of a rate below this"

[param.top]
type = "BIGINT"
unit = "count"
default = 100
min = 1
help = "So many of each trace"

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
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length"

[[column]]
name = "type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Type of command"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Function"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name as captured"

[[column]]
name = "kernel_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel"

[[column]]
name = "alg_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Operations the algorithm needs"

[[column]]
name = "uarch_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operations the hardware does"

[[column]]
name = "uarch_rate"
type = "DOUBLE"
unit = "ratio"
check = ">= 0"
help = "alg_ops / uarch_ops"

[[column]]
name = "wasted_cycles"
type = "DOUBLE"
unit = "cycle"
nullable = true
check = ">= 0"
help = "cycles * (1 - uarch_rate)"

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
