/* ---
name = "dpro_iteration"
version = 1
title = "Iteration times of a dPRO trial, by rank and step"
help = """
An iteration lasts from the first operator of a step to the end of the operator that begins last;
communication does not count. After an operator whose name contains input_barrier it begins again, with the next forward
operator. A last step of a rank without backward operators is incomplete and left out. The mean over ranks of each step that all ranks
have, averaged over steps, is the iteration
time of the trial; if steps differ by more than 10 % (standard deviation), it is the median. dPRO
builds its graph from the step that is closest to it.
"""
grain = ["trace_id", "step"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_recorded_event@1"] }
scale = "run"
computed_once = true
columns = ["run_id", "trace_id", "rank", "process", "step", "start_ns", "dur_ns", "run_dur_ns", "is_typical"]

[column]
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Start of the first operator, on the clock of the first host" }
dur_ns = { type = "DOUBLE", unit = "ns", help = "Duration" }
run_dur_ns = { type = "DOUBLE", unit = "ns", help = "Iteration time of the trial" }
is_typical = { type = "BOOLEAN", unit = "bool", help = "Whether the step is the closest to it" }

[changes]
1 = "first version"
--- */
WITH event AS (
  SELECT
    run_id, trace_id, rank, process, step, slice_id, operator, start_ns, start_ns + dur_ns AS end_ns,
    row_number() OVER in_step AS n,
    count(CASE WHEN contains(operator, 'input_barrier') THEN 1 END) OVER in_step AS n_barriers,
    count(CASE WHEN contains(operator, 'input_barrier') THEN 1 END) OVER (PARTITION BY trace_id, step) AS all_barriers
  FROM dpro_recorded_event()
  WHERE phase <> 'Comm'
  WINDOW in_step AS (
    PARTITION BY trace_id, step ORDER BY start_ns, operator, slice_id ROWS UNBOUNDED PRECEDING
  )
),
began AS (
  SELECT
    run_id,
    trace_id,
    rank,
    process,
    step,
    coalesce(
      min(start_ns) FILTER (
        all_barriers > 0 AND n_barriers = all_barriers AND contains(operator, 'FW')
        AND NOT contains(operator, 'input_barrier')
      ),
      min(start_ns)
    ) AS start_ns,
    arg_max(end_ns, (start_ns, operator, slice_id)) AS end_ns,
    bool_or(n > 1 AND contains(operator, 'BW')) AS has_backward
  FROM event
  GROUP BY run_id, trace_id, rank, process, step
),
iteration AS (
  SELECT run_id, trace_id, rank, process, step, start_ns, end_ns - start_ns AS dur_ns
  FROM began
  QUALIFY has_backward OR step < max(step) OVER (PARTITION BY trace_id)
    OR count(*) OVER (PARTITION BY trace_id) = 1
),
of_step AS (
  SELECT run_id, step, avg(dur_ns) AS dur_ns
  FROM iteration
  GROUP BY run_id, step
  QUALIFY count(*) = max(count(*)) OVER (PARTITION BY run_id)
),
of_run AS (
  SELECT
    run_id,
    CASE
      WHEN stddev_pop(dur_ns) > 0.1 * avg(dur_ns) THEN median(dur_ns)
      ELSE avg(dur_ns)
    END AS dur_ns
  FROM of_step
  GROUP BY run_id
),
typical AS (
  SELECT s.run_id, arg_min(s.step, (round(abs(s.dur_ns - r.dur_ns), 3), s.step)) AS step
  FROM of_step AS s
  JOIN of_run AS r ON r.run_id = s.run_id
  GROUP BY s.run_id
)
SELECT
  i.run_id,
  i.trace_id,
  i.rank,
  i.process,
  i.step,
  i.start_ns,
  i.dur_ns,
  r.dur_ns AS run_dur_ns,
  i.step IS NOT DISTINCT FROM t.step AS is_typical
FROM iteration AS i
JOIN of_run AS r ON r.run_id = i.run_id
JOIN typical AS t ON t.run_id = i.run_id
ORDER BY i.trace_id, i.step
