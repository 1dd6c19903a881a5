/* ---
name = "rank_step"
version = 3
title = "Step time, exposed communication and waiting of each rank in each step"
help = """
One row for each step of each rank, to find the ranks and steps that are slow: as a heat map on pages
and in workbooks. A collective on a device belongs to the step that launched it, one on the host to
the step in which it began. Device figures are sums over the devices of the rank. A time window
contains the steps that run in it on the host, with all their work and collectives, whenever these run.
"""
grain = ["trace_id", "step_id"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_window@1", "whole_collective_wait@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "step_id", "step", "host_ns", "device_ns",
  "exposed_communication_ns", "wait_ns",
]

[column]
step_id.help = "Step"
host_ns = { nullable = false, help = "Duration of the step on the host" }
exposed_communication_ns = { nullable = true, help = "Time in which only communication kernels of the step run; NULL: the step launched no device work" }

[column.device_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from the start of the step's first operation on a device to the end of the last; NULL: the step launched no device work"

[column.wait_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Wait for the last rank in synchronizing collectives of the step; NULL: no collective of the step can be compared"

[changes]
3 = "in a time window, steps have the waits in all their collectives"
2 = "a collective on a device that no step launched belongs to no step"
1 = "first version"
--- */
WITH on_device AS (
  SELECT
    step_id,
    sum(end_ns - start_ns)::BIGINT AS device_ns,
    sum(exposed_communication_ns)::BIGINT AS exposed_communication_ns
  FROM step_activity()
  GROUP BY step_id
),
member AS (
  SELECT w.slice_id, w.trace_id, w.wait_ns, s.side, s.ts, k.process_id, l.from_id AS step_id
  FROM whole_collective_wait() AS w
  JOIN whole_collective AS s ON s.slice_id = w.slice_id
  JOIN track AS k ON k.id = s.track_id
  LEFT JOIN whole_link AS l
    ON l.to_id = w.slice_id AND l.kind = 'step' AND l.link_set = 'default'
),
wait AS (
  SELECT coalesce(m.step_id, p.step_id) AS step_id, sum(m.wait_ns)::BIGINT AS wait_ns
  FROM member AS m
  LEFT JOIN step_window() AS p
    ON m.side = 'host'
    AND p.trace_id = m.trace_id
    AND p.process_id IS NOT DISTINCT FROM m.process_id
    AND p.start_ns <= m.ts
    AND p.end_ns > m.ts
  GROUP BY coalesce(m.step_id, p.step_id)
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.slice_id AS step_id,
  s.number AS step,
  greatest(s.dur, 0) AS host_ns,
  d.device_ns,
  d.exposed_communication_ns,
  w.wait_ns
FROM step AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN on_device AS d ON d.step_id = s.slice_id
LEFT JOIN wait AS w ON w.step_id = s.slice_id
ORDER BY t.run_id, s.number, t.rank, s.trace_id, s.slice_id
