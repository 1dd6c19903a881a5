/* ---
name = "tpu_gap"
version = 2
title = "Longest gaps of TPU engines, with the commands around them"
help = """
A gap is a time between two commands of an engine in which none of its commands runs. Idle time
before the first and after the last command is in tpu_engine_summary. A time window contains the
commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port", "start_ns"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "start_ns", "end_ns", "gap_ns",
  "before_slice_id", "before_name", "after_slice_id", "after_name", "kernel_name",
]

[param.top]
type = "BIGINT"
unit = "count"
default = 50
min = 1
help = "Maximum number of rows per trace"

[column]
start_ns.help = "Start of the gap, on the time axis of slice.ts"
end_ns.help = "End of the gap"
before_name = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the command before the gap" }
after_slice_id = { type = "BIGINT", unit = "ref slice.id", help = "Command after the gap" }
after_name = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the command after the gap" }
kernel_name.help = "Kernel of the command after the gap"

[column.before_slice_id]
type = "BIGINT"
unit = "ref slice.id"
help = "Command before the gap; the first of several that end together"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
WITH gap AS (
  SELECT trace_id, engine, core, port, slice_id, gap_from_ns, start_ns, gap_ns
  FROM tpu_engine_step()
  WHERE gap_ns > 0
),
-- Sorting all rows is slow, so the top-th longest of each trace is found first.
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
-- Only the requested rows are joined with all commands.
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
