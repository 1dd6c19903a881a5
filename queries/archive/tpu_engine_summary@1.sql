/* ---
name = "tpu_engine_summary"
version = 1
title = "How busy each TPU engine is: work, synchronisation, idle time, gaps"
help = """
An engine works while one of its commands computes or moves data; it synchronises while only sends,
waits and the like run; else it is idle. The three add up to span_ns, which is that of the whole
capture, from the first start to the last end on any engine, so that engines compare. Gaps lie between
commands of the engine; idle time before its first and behind its last is no gap.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9", queries = ["tpu_engine_step@1"] }

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
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[[column]]
name = "n_sync"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Of these, sends, waits and other synchronisation"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the last"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the first start to the last end of the capture, any engine"

[[column]]
name = "work_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A command computes or moves data: the union of their intervals"

[[column]]
name = "sync_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Only synchronisation runs"

[[column]]
name = "idle_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Nothing runs"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "work_ns / span_ns; NULL when that is 0"

[[column]]
name = "idle_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "idle_ns / span_ns; NULL when that is 0"

[[column]]
name = "n_gaps"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Idle intervals between its commands"

[[column]]
name = "longest_gap_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "The longest of these; 0 without any"

[[column]]
name = "cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Sum over the commands; overlapping ones count twice. NULL: not known"

[[column]]
name = "work_cycles"
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "The same without synchronisation"

[changes]
1 = "first version"
--- */
WITH step AS (
  SELECT * FROM tpu_engine_step()
),
engine AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    count(*) AS n_commands,
    count(*) FILTER (WHERE is_sync) AS n_sync,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(busy_ns)::BIGINT AS busy_ns,
    sum(work_ns)::BIGINT AS work_ns,
    count(*) FILTER (WHERE gap_ns > 0) AS n_gaps,
    coalesce(max(gap_ns), 0) AS longest_gap_ns,
    sum(cycles)::BIGINT AS cycles,
    sum(CASE WHEN NOT is_sync THEN cycles ELSE 0 END)::BIGINT AS work_cycles
  FROM step
  GROUP BY trace_id, engine, core, port
),
span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS span_ns
  FROM engine
  GROUP BY trace_id
)
SELECT
  t.run_id,
  e.trace_id,
  t.rank,
  e.engine,
  e.core,
  e.port,
  e.n_commands,
  e.n_sync,
  e.start_ns,
  e.end_ns,
  s.span_ns,
  e.work_ns,
  e.busy_ns - e.work_ns AS sync_ns,
  s.span_ns - e.busy_ns AS idle_ns,
  e.work_ns / nullif(s.span_ns, 0) AS utilization,
  (s.span_ns - e.busy_ns) / nullif(s.span_ns, 0) AS idle_share,
  e.n_gaps,
  e.longest_gap_ns,
  e.cycles,
  e.work_cycles
FROM engine AS e
JOIN span AS s ON s.trace_id = e.trace_id
JOIN trace AS t ON t.id = e.trace_id
ORDER BY t.run_id, t.rank, e.trace_id, e.core, e.port, e.engine
