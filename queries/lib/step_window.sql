/* ---
name = "step_window"
version = 1
title = "Disjoint time windows of steps on the host"
help = """
An instant belongs to the step that contains it; of several, to the one that began last. A step
nested in another therefore splits it and may have several windows. An unfinished step lasts until
the next one of its process begins, or to the end of the trace. A process without recorded steps has
the steps of the only process that has some; if several have steps, it has none.
"""
grain = ["trace_id", "process_id", "start_ns"]
scale = "trace"
columns = ["trace_id", "process_id", "start_ns", "end_ns", "step_id", "step"]

[column]
process_id.help = "Process the window applies to; NULL: slices without a process"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; after the start"
step_id.help = "Slice of the step"

[changes]
1 = "first version"
--- */
WITH span AS (
  SELECT
    s.trace_id,
    k.process_id,
    s.slice_id AS step_id,
    s.number AS step,
    s.ts AS start_ns,
    CASE
      WHEN s.dur = -1 THEN coalesce(
        min(s.ts) OVER (
          PARTITION BY s.trace_id, k.process_id
          ORDER BY s.ts
          RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ),
        t.end_ts + 1
      )
      ELSE s.ts + greatest(s.dur, 0)
    END AS end_ns
  FROM whole_step AS s
  JOIN track AS k ON k.id = s.track_id
  JOIN trace AS t ON t.id = s.trace_id
),
-- Overlapping steps are compared with each other; most steps are alone in their group.
reach AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id, process_id
      ORDER BY start_ns, step_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM span
  WHERE end_ns > start_ns
),
grouped AS (
  SELECT
    *,
    sum(CASE WHEN start_ns < reach_ns THEN 0 ELSE 1 END) OVER (
      PARTITION BY trace_id, process_id
      ORDER BY start_ns, step_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS group_n
  FROM reach
),
boundary AS (
  SELECT trace_id, process_id, group_n, start_ns AS at_ns FROM grouped
  UNION
  SELECT trace_id, process_id, group_n, end_ns AS at_ns FROM grouped
),
piece AS (
  SELECT
    trace_id,
    process_id,
    group_n,
    at_ns AS start_ns,
    lead(at_ns) OVER (PARTITION BY trace_id, process_id, group_n ORDER BY at_ns) AS end_ns
  FROM boundary
),
ranked AS (
  SELECT
    p.trace_id,
    p.process_id,
    p.start_ns,
    p.end_ns,
    g.step_id,
    g.step,
    row_number() OVER (
      PARTITION BY p.trace_id, p.process_id, p.start_ns
      ORDER BY g.start_ns DESC, g.end_ns, g.step_id
    ) AS place
  FROM piece AS p
  JOIN grouped AS g
    ON g.trace_id = p.trace_id
    AND g.process_id IS NOT DISTINCT FROM p.process_id
    AND g.group_n = p.group_n
    AND g.start_ns <= p.start_ns
    AND g.end_ns > p.start_ns
),
own AS (
  SELECT trace_id, process_id, start_ns, end_ns, step_id, step
  FROM ranked
  WHERE place = 1
),
single AS (
  SELECT trace_id, min(process_id) AS process_id
  FROM own
  GROUP BY trace_id
  HAVING min(coalesce(process_id, -1)) = max(coalesce(process_id, -1))
),
other AS (
  SELECT p.trace_id, p.id AS process_id
  FROM process AS p
  JOIN single AS o ON o.trace_id = p.trace_id AND o.process_id IS DISTINCT FROM p.id
  UNION ALL
  SELECT trace_id, NULL AS process_id FROM single WHERE process_id IS NOT NULL
)
SELECT trace_id, process_id, start_ns, end_ns, step_id, step
FROM own
UNION ALL
SELECT w.trace_id, o.process_id, w.start_ns, w.end_ns, w.step_id, w.step
FROM own AS w
JOIN other AS o ON o.trace_id = w.trace_id
