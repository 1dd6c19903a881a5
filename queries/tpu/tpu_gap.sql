/* ---
name = "tpu_gap"
version = 2
title = "The longest gaps of TPU engines, and between which commands they lie"
help = """
A gap is a time in which no command of the engine runs, between two of its commands. Idle time before
the first and behind the last command is in tpu_engine_summary.
"""
grain = ["trace_id", "engine", "core", "port", "start_ns"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }

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
2 = "reads less; the same figures"
1 = "first version"
--- */
WITH gap AS (
  SELECT trace_id, engine, core, port, slice_id, gap_from_ns, start_ns, gap_ns
  FROM tpu_engine_step()
  WHERE gap_ns > 0
),
-- Sorting all gaps would take long: the top-th longest of each trace is found first.
edge AS (
  SELECT trace_id, list_min(max(gap_ns, $top::BIGINT)) AS least_ns
  FROM gap
  GROUP BY trace_id
),
ranked AS (
  SELECT
    g.*,
    row_number() OVER (
      PARTITION BY g.trace_id
      ORDER BY g.gap_ns DESC, g.gap_from_ns, g.engine, g.core, g.port
    ) AS place
  FROM gap AS g
  JOIN edge AS e ON e.trace_id = g.trace_id AND g.gap_ns >= e.least_ns
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
),
-- The few that are asked for, so that nothing is joined with all commands.
named AS (
  SELECT slice_id, name, kernel_name
  FROM tpu_command
  WHERE slice_id IN (SELECT slice_id FROM before UNION ALL SELECT before_slice_id FROM before)
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
JOIN named AS f ON f.slice_id = b.before_slice_id
JOIN named AS a ON a.slice_id = g.slice_id
JOIN trace AS t ON t.id = g.trace_id
ORDER BY t.run_id, t.rank, g.trace_id, g.gap_ns DESC, g.gap_from_ns, g.engine, g.core, g.port
