/* ---
name = "tpu_gap"
version = 1
title = "The longest gaps of TPU engines, and between which commands they lie"
help = """
A gap is a time in which no command of the engine runs, between two of its commands. Idle time before
the first and behind the last command is in tpu_engine_summary.
"""
grain = ["trace_id", "engine", "core", "port", "start_ns"]
requires = { schema = ">=9", queries = ["tpu_engine_step@1"] }

[param.top]
type = "BIGINT"
unit = "count"
default = 50
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
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the gap, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the gap"

[[column]]
name = "gap_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Length"

[[column]]
name = "before_slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "A command that ends where the gap begins, the first of several"

[[column]]
name = "before_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "after_slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command the gap ends with"

[[column]]
name = "after_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "kernel_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel that command belongs to"

[changes]
1 = "first version"
--- */
WITH gap AS (
  SELECT trace_id, engine, core, port, slice_id, gap_from_ns, start_ns, gap_ns
  FROM tpu_engine_step()
  WHERE gap_ns > 0
),
ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY trace_id ORDER BY gap_ns DESC, gap_from_ns, engine, core, port
    ) AS place
  FROM gap
),
longest AS (
  SELECT * FROM ranked WHERE place <= $top::BIGINT
),
before AS (
  SELECT g.slice_id, min(c.slice_id) AS before_slice_id
  FROM tpu_command AS c
  JOIN longest AS g
    ON g.trace_id = c.trace_id
    AND g.engine = c.engine
    AND g.core IS NOT DISTINCT FROM c.core
    AND g.port IS NOT DISTINCT FROM c.port
    AND g.gap_from_ns = c.ts + greatest(c.dur, 0)
  GROUP BY g.slice_id
)
SELECT
  t.run_id,
  g.trace_id,
  t.rank,
  g.engine,
  g.core,
  g.port,
  g.gap_from_ns AS start_ns,
  g.start_ns AS end_ns,
  g.gap_ns,
  b.before_slice_id,
  f.name AS before_name,
  g.slice_id AS after_slice_id,
  a.name AS after_name,
  a.kernel_name
FROM longest AS g
JOIN before AS b ON b.slice_id = g.slice_id
JOIN tpu_command AS f ON f.slice_id = b.before_slice_id
JOIN tpu_command AS a ON a.slice_id = g.slice_id
JOIN trace AS t ON t.id = g.trace_id
ORDER BY t.run_id, t.rank, g.trace_id, g.gap_ns DESC, g.gap_from_ns, g.engine, g.core, g.port
