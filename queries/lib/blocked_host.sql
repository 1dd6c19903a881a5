/* ---
name = "blocked_host"
version = 1
title = "Intervals in which a host thread waits for a device"
help = """
Intervals of a thread in calls that return only after device work is done: calls named after
synchronization, copies that are not asynchronous by name, and copies that returned no earlier than
the copied data arrived, as copies of pageable memory do. Where such calls overlap, the later one
counts from the end of the earlier one.
"""
grain = ["track_id", "start_ns"]
scale = "trace"
columns = ["trace_id", "track_id", "start_ns", "end_ns", "before_ns"]

[column]
track_id.help = "Thread track"
start_ns.help = "Start of the wait, on the time axis of slice.ts"
end_ns.help = "End of the wait; after the start"
before_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of all earlier waits of the thread" }

[changes]
1 = "first version"
--- */
WITH copied AS (
  SELECT k.from_id AS call_id, max(g.ts + greatest(g.dur, 0)) AS end_ns
  FROM whole_gpu_op AS g
  JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  WHERE g.kind = 'memcpy'
  GROUP BY k.from_id
),
waiting_name AS (
  SELECT name
  FROM (SELECT DISTINCT name FROM whole_launch)
  WHERE name ILIKE '%synchronize%'
    OR name ILIKE '%queuefinish%'
    OR (name ILIKE '%memcpy%' AND NOT name ILIKE '%async%')
),
wait AS (
  SELECT l.trace_id, l.track_id, l.ts AS start_ns, l.ts + l.dur AS end_ns
  FROM whole_launch AS l
  LEFT JOIN waiting_name AS n ON n.name = l.name
  LEFT JOIN copied AS c ON c.call_id = l.slice_id
  WHERE l.dur > 0
    AND (n.name IS NOT NULL OR c.end_ns <= l.ts + l.dur)
),
reach AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY trace_id, track_id
      ORDER BY start_ns, end_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM wait
),
own AS (
  SELECT trace_id, track_id, greatest(start_ns, reach_ns) AS start_ns, end_ns
  FROM reach
  WHERE reach_ns IS NULL OR end_ns > reach_ns
)
SELECT
  trace_id,
  track_id,
  start_ns,
  end_ns,
  coalesce(
    sum(end_ns - start_ns) OVER (
      PARTITION BY trace_id, track_id
      ORDER BY start_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    0
  )::BIGINT AS before_ns
FROM own
