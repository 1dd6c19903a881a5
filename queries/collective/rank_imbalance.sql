/* ---
name = "rank_imbalance"
version = 2
title = "Step time per rank by activity, and deviation from the mean of all ranks"
help = """
The work of a step is the device work launched in it (links of kind step), summed over all devices
of the rank. Steps of different ranks are the same step if they have the same number in one run.
Durations are compared, not times, so clock offsets do not matter. A positive deviation is above the
mean. A rank with more compute and less exposed communication than the others is one they wait for.
Steps without device work have no row. A time window contains the steps that run in it on the host,
whole; they are compared with the step of the same number on all ranks, whenever that runs.
"""
grain = ["trace_id", "step_id"]
requires = { schema = ">=1", queries = ["whole_step_activity@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "step_id", "step", "n_ranks", "span_ns", "compute_ns",
  "exposed_communication_ns", "exposed_memory_ns", "idle_ns", "span_deviation_ns",
  "compute_deviation_ns", "exposed_communication_deviation_ns", "idle_deviation_ns",
  "compute_imbalance",
]

[column]
step_id.help = "Step"
span_ns.help = "Time from the start of its first operation on a device to the end of the last"
idle_ns.help = "Rest of span_ns, in which no operation of the step runs"

[column.n_ranks]
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Number of traces of the run that have the step; NULL: the step has no number"

[column.span_deviation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "span_ns minus its mean over the ranks that have the step; NULL: the step has no number"

[column.compute_deviation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "compute_ns minus its mean over the ranks that have the step; NULL: the step has no number"

[column.exposed_communication_deviation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "exposed_communication_ns minus its mean over the ranks that have the step; NULL: the step has no number"

[column.idle_deviation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "idle_ns minus its mean over the ranks that have the step; NULL: the step has no number"

[column.compute_imbalance]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Largest compute_ns of all ranks / their mean - 1: the cost of the slowest rank; NULL: no step number, or no compute"

[changes]
2 = "in a time window, steps of other ranks outside of it count"
1 = "first version"
--- */
WITH in_step AS (
  SELECT
    t.run_id,
    a.trace_id,
    t.rank,
    a.step_id,
    s.number AS step,
    sum(a.end_ns - a.start_ns)::BIGINT AS span_ns,
    sum(a.compute_ns)::BIGINT AS compute_ns,
    sum(a.exposed_communication_ns)::BIGINT AS exposed_communication_ns,
    sum(a.exposed_memory_ns)::BIGINT AS exposed_memory_ns,
    sum(a.end_ns - a.start_ns - a.busy_ns)::BIGINT AS idle_ns
  FROM whole_step_activity() AS a
  JOIN whole_step AS s ON s.slice_id = a.step_id
  JOIN trace AS t ON t.id = a.trace_id
  GROUP BY t.run_id, a.trace_id, t.rank, a.step_id, s.number
),
mean AS (
  SELECT
    run_id,
    step,
    count(DISTINCT trace_id) AS n_ranks,
    avg(span_ns) AS span_ns,
    avg(compute_ns) AS compute_ns,
    avg(exposed_communication_ns) AS exposed_communication_ns,
    avg(idle_ns) AS idle_ns,
    max(compute_ns) AS max_compute_ns
  FROM in_step
  GROUP BY run_id, step
)
SELECT
  i.run_id,
  i.trace_id,
  i.rank,
  i.step_id,
  i.step,
  m.n_ranks,
  i.span_ns,
  i.compute_ns,
  i.exposed_communication_ns,
  i.exposed_memory_ns,
  i.idle_ns,
  i.span_ns - m.span_ns AS span_deviation_ns,
  i.compute_ns - m.compute_ns AS compute_deviation_ns,
  i.exposed_communication_ns - m.exposed_communication_ns AS exposed_communication_deviation_ns,
  i.idle_ns - m.idle_ns AS idle_deviation_ns,
  m.max_compute_ns / nullif(m.compute_ns, 0) - 1 AS compute_imbalance
FROM in_step AS i
SEMI JOIN step AS s ON s.slice_id = i.step_id
LEFT JOIN mean AS m ON m.run_id = i.run_id AND m.step = i.step
ORDER BY i.run_id, i.step, i.rank, i.trace_id, i.step_id
