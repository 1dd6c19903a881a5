/* ---
name = "tpu_engine_step"
version = 2
title = "What each command adds to the busy time of its engine, and the gap before it"
help = """
The commands of an engine in the order of their starts; of those that overlap, time counts for the
one that began first. So busy_ns and work_ns of an engine add up to the union of its intervals, and
[work_from_ns, end_ns) of all commands with work_ns above 0 lie apart and cover it.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

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
help = "Start, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End; not before the start"

[[column]]
name = "is_sync"
type = "BOOLEAN"
unit = "bool"
help = "Whether it only sends, waits or does nothing"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Length in cycles of its counter"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Its time in which no command before it ran"

[[column]]
name = "work_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Its time in which no command before it worked; 0 for those that only synchronise"

[[column]]
name = "work_from_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Where work_ns begins; it ends at end_ns. NULL: only synchronises"

[[column]]
name = "gap_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "From the end of all before it to its start, 0 when they overlap; NULL for the first"

[[column]]
name = "gap_from_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "End of all before it; NULL for the first"

[changes]
2 = "reads less; the same figures"
1 = "first version"
--- */
-- Rows are sorted with as little as can be: an engine is a number until the end.
WITH place AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    row_number() OVER (ORDER BY trace_id, engine, core, port) AS place_n
  FROM tpu_operation
  GROUP BY trace_id, engine, core, port
),
told AS (
  SELECT o.id, p.place_n, coalesce(o.kind = 'sync', false) AS is_sync
  FROM tpu_operation AS o
  JOIN place AS p
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
    o.place_n,
    r.slice_id,
    r.ts AS start_ns,
    r.ts + greatest(r.dur, 0) AS end_ns,
    o.is_sync,
    ((CAST(r.end_cycle AS BIGINT) - r.start_cycle) & 4294967295) + 1 AS cycles
  FROM record AS r
  JOIN told AS o ON o.id = r.operation_id
),
-- Both windows are the same, so that rows are sorted once.
paced AS (
  SELECT
    *,
    lag(end_ns) OVER (PARTITION BY place_n ORDER BY start_ns, end_ns, slice_id) AS last_end_ns,
    lag(CASE WHEN NOT is_sync THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY place_n ORDER BY start_ns, end_ns, slice_id
    ) AS last_work_end_ns
  FROM work
),
-- Engines on which a command ends before one that began earlier. On the others, nearly all, the end
-- of all before is that of the one before, which is found much faster.
odd AS (
  SELECT DISTINCT place_n FROM paced WHERE end_ns < last_end_ns
),
sorted AS (
  SELECT p.*, p.last_end_ns AS free_ns, p.last_work_end_ns AS work_free_ns
  FROM paced AS p
  LEFT JOIN odd AS o ON o.place_n = p.place_n
  WHERE o.place_n IS NULL
  UNION ALL
  SELECT
    p.*,
    max(p.end_ns) OVER (
      PARTITION BY p.place_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    max(CASE WHEN NOT p.is_sync THEN p.end_ns END) OVER (
      PARTITION BY p.place_n
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  FROM paced AS p
  JOIN odd AS o ON o.place_n = p.place_n
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
JOIN place AS p ON p.place_n = s.place_n
