/* ---
name = "tpu_engine_step"
version = 2
title = "Busy time contributed by each command to its engine, and the gap before it"
help = """
Commands of an engine in order of start; where commands overlap, the time counts for the one that
began first. busy_ns and work_ns of an engine therefore add up to the union of its intervals, and
the intervals [work_from_ns, end_ns) of commands with work_ns above 0 are disjoint and cover it.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "trace_id", "slice_id", "engine", "core", "port", "start_ns", "end_ns", "is_sync", "cycles",
  "busy_ns", "work_ns", "work_from_ns", "gap_ns", "gap_from_ns",
]

[column]
slice_id.help = "Command"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; not before the start"
cycles = { type = "BIGINT", unit = "cycle", nullable = true, help = "Duration in cycles of the engine's counter" }
busy_ns.help = "Time of the command not covered by preceding commands"
work_ns.help = "Time of the command in which no preceding command worked; 0 for synchronization"

[column.work_from_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Start of work_ns, which ends at end_ns; NULL: only synchronizes"

[column.gap_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from the end of all preceding commands to the start, 0 if they overlap; NULL for the first"

[column.gap_from_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "End of all preceding commands; NULL for the first"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
-- Sorts narrow rows: an engine is a number until the end.
WITH numbered_engine AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    row_number() OVER (ORDER BY trace_id, engine, core, port) AS engine_n
  FROM tpu_operation
  GROUP BY trace_id, engine, core, port
),
operation AS (
  SELECT o.id, p.engine_n, coalesce(o.kind = 'sync', false) AS is_sync
  FROM tpu_operation AS o
  JOIN numbered_engine AS p
    ON p.trace_id = o.trace_id
    AND p.engine = o.engine
    AND p.core IS NOT DISTINCT FROM o.core
    AND p.port IS NOT DISTINCT FROM o.port
),
record AS (
  SELECT operation_id, slice_id, ts, dur, start_cycle, end_cycle FROM tpu_tiu_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur, start_cycle, end_cycle FROM tpu_dma_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur, start_cycle, end_cycle FROM tpu_dma_bm1688_record
  UNION ALL
  SELECT operation_id, slice_id, ts, dur, start_cycle, end_cycle FROM tpu_cdma_record
),
work AS (
  SELECT
    o.engine_n,
    r.slice_id,
    r.ts AS start_ns,
    r.ts + greatest(r.dur, 0) AS end_ns,
    o.is_sync,
    ((CAST(r.end_cycle AS BIGINT) - r.start_cycle) & 4294967295) + 1 AS cycles
  FROM record AS r
  JOIN operation AS o ON o.id = r.operation_id
),
-- Both windows are the same, so rows are sorted once.
paced AS (
  SELECT
    *,
    lag(end_ns) OVER (PARTITION BY engine_n ORDER BY start_ns, end_ns, slice_id) AS last_end_ns,
    lag(CASE WHEN NOT is_sync THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY engine_n ORDER BY start_ns, end_ns, slice_id
    ) AS last_work_end_ns
  FROM work
),
-- Engines on which a command ends before an earlier one. On the others, nearly all, the end of all
-- previous commands is that of the previous one, which is much faster to compute.
unordered AS (
  SELECT DISTINCT engine_n FROM paced WHERE end_ns < last_end_ns
),
sorted AS (
  SELECT p.*, p.last_end_ns AS free_ns, p.last_work_end_ns AS work_free_ns
  FROM paced AS p
  LEFT JOIN unordered AS o ON o.engine_n = p.engine_n
  WHERE o.engine_n IS NULL
  UNION ALL
  SELECT
    p.*,
    max(p.end_ns) OVER (
      PARTITION BY p.engine_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    max(CASE WHEN NOT p.is_sync THEN p.end_ns END) OVER (
      PARTITION BY p.engine_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  FROM paced AS p
  JOIN unordered AS o ON o.engine_n = p.engine_n
)
SELECT
  p.trace_id,
  s.slice_id,
  p.engine,
  p.core,
  p.port,
  s.start_ns,
  s.end_ns,
  s.is_sync,
  s.cycles,
  greatest(s.end_ns - greatest(s.start_ns, coalesce(s.free_ns, s.start_ns)), 0) AS busy_ns,
  CASE
    WHEN s.is_sync THEN 0
    ELSE greatest(s.end_ns - greatest(s.start_ns, coalesce(s.work_free_ns, s.start_ns)), 0)
  END AS work_ns,
  CASE WHEN NOT s.is_sync THEN greatest(s.start_ns, coalesce(s.work_free_ns, s.start_ns)) END
    AS work_from_ns,
  CASE WHEN s.free_ns IS NOT NULL THEN greatest(s.start_ns - s.free_ns, 0) END AS gap_ns,
  s.free_ns AS gap_from_ns
FROM sorted AS s
JOIN numbered_engine AS p ON p.engine_n = s.engine_n
