/* ---
name = "tpu_engine_summary"
version = 2
title = "Work, synchronization, idle time and gaps per TPU engine"
help = """
An engine works while one of its commands computes or moves data; it synchronizes while only sends,
waits and the like run; otherwise it is idle. The three add up to span_ns, the time of the whole
capture from the first start to the last end on any engine, so engines are comparable. Gaps lie
between commands of the engine; idle time before the first and after the last command is not a gap.
A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "n_commands", "n_sync", "start_ns",
  "end_ns", "span_ns", "work_ns", "sync_ns", "idle_ns", "utilization", "idle_share", "n_gaps",
  "longest_gap_ns", "cycles", "work_cycles",
]

[column]
start_ns.help = "Start of the first command, on the time axis of slice.ts"
end_ns.help = "End of the last command"
span_ns.help = "Time from the first start to the last end of the capture, any engine"
work_ns.help = "Time in which a command computes or moves data: the union of their intervals"
sync_ns.help = "Time in which only synchronization runs"
utilization.help = "work_ns / span_ns; NULL if span_ns is 0"
idle_share.help = "idle_ns / span_ns; NULL if span_ns is 0"
n_gaps = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of idle intervals between its commands" }
longest_gap_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Longest gap; 0 without gaps" }
cycles.help = "Sum of the cycles; overlapping commands count twice. NULL: unknown"

[column.n_sync]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of sends, waits and other synchronization commands"

[column.work_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
check = ">= 0"
help = "Sum of the cycles, without synchronization"

[changes]
2 = "same figures, reads less"
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
