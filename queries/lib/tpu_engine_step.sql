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
help = "Where work_ns begins; it ends at end_ns"

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
  greatest(start_ns, coalesce(work_free_ns, start_ns)) AS work_from_ns,
  greatest(start_ns - free_ns, 0) AS gap_ns,
  free_ns AS gap_from_ns
FROM (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id, engine, core, port
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS free_ns,
    max(CASE WHEN NOT is_sync THEN end_ns END) OVER (
      PARTITION BY trace_id, engine, core, port
      ORDER BY start_ns, end_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS work_free_ns
  FROM tpu_work()
)
