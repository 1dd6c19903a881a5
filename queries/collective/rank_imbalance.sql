/* ---
name = "rank_imbalance"
version = 1
title = "Where the time of each step goes on each rank, and how far that is from the mean of all ranks"
help = """
The work of a step is what was launched in it (links of kind step), on whatever device of the rank;
figures of several devices are added. Steps of different ranks are the same step if they have the
same number in one run: durations are compared, not times, so clocks do not matter. A positive
deviation is more than the mean. A rank with more compute and less exposed communication than the
others is one they wait for. Steps without device work have no row.
"""
grain = ["trace_id", "step_id"]
requires = { schema = ">=1", queries = ["step_activity@1"] }

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
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the step, as the source counts"

[[column]]
name = "n_ranks"
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Traces of the run that have the step; NULL: it has no number"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of its first operation on a device to the end of the last"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel runs"

[[column]]
name = "exposed_communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Communication runs and compute does not"

[[column]]
name = "exposed_memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset runs, and neither compute nor communication does"

[[column]]
name = "idle_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "The rest of span_ns: no operation of the step runs"

[[column]]
name = "span_deviation_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
help = "span_ns less its mean over the ranks that have the step; NULL: the step has no number"

[[column]]
name = "compute_deviation_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
help = "compute_ns less its mean over the ranks that have the step; NULL: the step has no number"

[[column]]
name = "exposed_communication_deviation_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
help = "exposed_communication_ns less its mean over the ranks that have the step; NULL: the step has no number"

[[column]]
name = "idle_deviation_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
help = "idle_ns less its mean over the ranks that have the step; NULL: the step has no number"

[[column]]
name = "compute_imbalance"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "The largest compute_ns of all ranks / their mean, less 1: what the slowest rank adds; NULL: no number, or no compute"

[changes]
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
  FROM step_activity() AS a
  JOIN step AS s ON s.slice_id = a.step_id
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
LEFT JOIN mean AS m ON m.run_id = i.run_id AND m.step = i.step
ORDER BY i.run_id, i.step, i.rank, i.trace_id, i.step_id
