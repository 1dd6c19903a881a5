/* ---
name = "tpu_engine_step"
version = 1
title = "What each command adds to the busy time of its engine, and the gap before it"
help = """
The commands of an engine in the order of their starts; of those that overlap, time counts for the
one that began first. So busy_ns and work_ns of an engine add up to the union of its intervals, and
[work_from_ns, end_ns) of all commands with work_ns above 0 lie apart and cover it.
"""
grain = ["slice_id"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

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
1 = "first version"
--- */
-- Both windows are the same, so that rows are sorted once.
WITH paced AS (
  SELECT
    *,
    lag(end_ns) OVER (
      PARTITION BY trace_id, engine, core, port ORDER BY start_ns, end_ns, slice_id
    ) AS last_end_ns,
    lag(CASE WHEN NOT is_sync THEN end_ns END IGNORE NULLS) OVER (
      PARTITION BY trace_id, engine, core, port ORDER BY start_ns, end_ns, slice_id
    ) AS last_work_end_ns
  FROM tpu_work()
),
-- Engines on which a command ends before one that began earlier. On the others, nearly all, the end
-- of all before is that of the one before, which is found much faster.
odd AS (
  SELECT DISTINCT trace_id, engine, core, port FROM paced WHERE end_ns < last_end_ns
),
sorted AS (
  SELECT p.*, p.last_end_ns AS free_ns, p.last_work_end_ns AS work_free_ns
  FROM paced AS p
  LEFT JOIN odd AS o
    ON o.trace_id = p.trace_id
    AND o.engine = p.engine
    AND o.core IS NOT DISTINCT FROM p.core
    AND o.port IS NOT DISTINCT FROM p.port
  WHERE o.trace_id IS NULL
  UNION ALL
  SELECT
    p.*,
    max(p.end_ns) OVER (
      PARTITION BY p.trace_id, p.engine, p.core, p.port
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    max(CASE WHEN NOT p.is_sync THEN p.end_ns END) OVER (
      PARTITION BY p.trace_id, p.engine, p.core, p.port
      ORDER BY p.start_ns, p.end_ns, p.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  FROM paced AS p
  JOIN odd AS o
    ON o.trace_id = p.trace_id
    AND o.engine = p.engine
    AND o.core IS NOT DISTINCT FROM p.core
    AND o.port IS NOT DISTINCT FROM p.port
)
SELECT
  trace_id,
  slice_id,
  engine,
  core,
  port,
  start_ns,
  end_ns,
  is_sync,
  cycles,
  greatest(end_ns - greatest(start_ns, coalesce(free_ns, start_ns)), 0) AS busy_ns,
  CASE
    WHEN is_sync THEN 0
    ELSE greatest(end_ns - greatest(start_ns, coalesce(work_free_ns, start_ns)), 0)
  END AS work_ns,
  CASE WHEN NOT is_sync THEN greatest(start_ns, coalesce(work_free_ns, start_ns)) END AS work_from_ns,
  CASE WHEN free_ns IS NOT NULL THEN greatest(start_ns - free_ns, 0) END AS gap_ns,
  free_ns AS gap_from_ns
FROM sorted
