/* ---
name = "link_hand_over"
version = 2
title = "Links between threads that hand over to each other"
help = """
The threads of the forward and the backward pass (links of kind forward_backward) run in turns. Where
operators, calls and annotations of one pause, and the other stops during the pause, the first continues
after it: from the outermost slice with which the other stopped to the first one after the pause.
Annotations during which operators or calls of either thread run do not count: a thread may wait in
them. Without devices, one thread runs both.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "link where kind = 'forward_backward'"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Last slice of the thread that handed over"
to_id.help = "First slice of the thread that continued"
kind.help = "hand_over"
rule.help = "pause"
confidence.help = "0.8"

[changes]
2 = "a thread is also busy in annotations during which neither thread runs operators or calls"
1 = "first version"
--- */
WITH gradient AS MATERIALIZED (
  SELECT l.from_id, l.to_id
  FROM link AS l
  WHERE l.trace_id = $trace_id::BIGINT
    AND l.kind = 'forward_backward'
    AND l.link_set = 'default'
    AND l.trace_id IN (SELECT DISTINCT trace_id FROM launch WHERE trace_id = $trace_id::BIGINT)
),
paired AS MATERIALIZED (
  SELECT o.slice_id, o.track_id
  FROM cpu_op AS o
  SEMI JOIN (
    SELECT from_id AS slice_id FROM gradient UNION ALL SELECT to_id FROM gradient
  ) AS g ON g.slice_id = o.slice_id
  WHERE o.trace_id = $trace_id::BIGINT
),
pair AS MATERIALIZED (
  SELECT DISTINCT f.track_id AS forward_id, b.track_id AS backward_id
  FROM gradient AS g
  JOIN paired AS b ON b.slice_id = g.to_id
  JOIN paired AS f ON f.slice_id = g.from_id
  WHERE f.track_id <> b.track_id
),
partner AS MATERIALIZED (
  SELECT forward_id AS track_id, backward_id AS other_id FROM pair
  UNION
  SELECT backward_id, forward_id FROM pair
),
activity AS NOT MATERIALIZED (
  SELECT slice_id, track_id, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT slice_id, track_id, ts, dur FROM cpu_op WHERE trace_id = $trace_id::BIGINT
    UNION ALL
    SELECT slice_id, track_id, ts, dur FROM launch WHERE trace_id = $trace_id::BIGINT
  )
  WHERE dur > 0
    AND track_id IN (SELECT track_id FROM partner)
),
-- What lies in an operator stored before it begins and ends no pause. In whatever order operators are
-- stored, leaving it out changes nothing: a run of them ends where the next one begins earlier.
run AS (
  SELECT
    track_id,
    start_ns,
    end_ns,
    sum((NOT coalesce(before_track_id = track_id AND before_start_ns <= start_ns, false))::BIGINT)
      OVER (ROWS UNBOUNDED PRECEDING) AS run_n
  FROM (
    SELECT
      track_id,
      ts AS start_ns,
      ts + dur AS end_ns,
      lag(track_id) OVER () AS before_track_id,
      lag(ts) OVER () AS before_start_ns
    FROM cpu_op
    WHERE trace_id = $trace_id::BIGINT AND dur > 0
  )
),
-- Most calls lie in an operator above them and begin and end no pause either. Where operators are not
-- one range of ids, or one has no end, all calls count as outside.
operator AS (
  SELECT trace_id, min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM cpu_op
  WHERE trace_id = $trace_id::BIGINT
  GROUP BY trace_id
  HAVING max(slice_id) - min(slice_id) + 1 = count(*) AND min(dur) >= 0
),
outside AS (
  SELECT s.id AS slice_id
  FROM slice AS s
  JOIN (
    SELECT trace_id, min(slice_id) AS first_id, max(slice_id) AS last_id
    FROM launch
    WHERE trace_id = $trace_id::BIGINT
    GROUP BY trace_id
  ) AS l ON l.trace_id = s.trace_id AND s.id BETWEEN l.first_id AND l.last_id
  LEFT JOIN operator AS o ON o.trace_id = s.trace_id
  WHERE s.trace_id = $trace_id::BIGINT
    AND (s.parent_id BETWEEN o.first_id AND o.last_id) IS NOT TRUE
),
outer_activity AS MATERIALIZED (
  SELECT track_id, start_ns, end_ns
  FROM (
    SELECT track_id, start_ns, end_ns, reach, lag(reach) OVER () AS before_reach
    FROM (
      SELECT *, max((run_n << 64) + end_ns) OVER (ROWS UNBOUNDED PRECEDING) AS reach
      FROM (SELECT track_id, start_ns, end_ns, run_n::HUGEINT AS run_n FROM run)
    )
  )
  WHERE (before_reach IS NULL OR reach > before_reach)
    AND track_id IN (SELECT track_id FROM partner)
  UNION ALL
  SELECT track_id, ts, ts + dur
  FROM launch
  WHERE trace_id = $trace_id::BIGINT
    AND dur > 0
    AND track_id IN (SELECT track_id FROM partner)
    AND slice_id IN (SELECT slice_id FROM outside)
),
-- Of slices that begin at once, the first in the order of the window has the time before all.
reach AS (
  SELECT
    track_id,
    start_ns,
    end_ns,
    max(end_ns) OVER (
      PARTITION BY track_id ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS before_ns
  FROM outer_activity
),
-- Times during which a thread runs operators or calls, without pauses.
busy AS MATERIALIZED (
  SELECT
    r.track_id,
    r.start_ns,
    coalesce(lead(r.before_ns) OVER (PARTITION BY r.track_id ORDER BY r.start_ns), l.end_ns) AS end_ns
  FROM reach AS r
  JOIN (SELECT track_id, max(end_ns) AS end_ns FROM outer_activity GROUP BY track_id) AS l
    ON l.track_id = r.track_id
  WHERE r.before_ns IS NULL OR r.before_ns < r.start_ns
),
annotated AS MATERIALIZED (
  SELECT slice_id, track_id, ts AS start_ns, ts + dur AS end_ns
  FROM annotation
  WHERE trace_id = $trace_id::BIGINT
    AND side = 'host'
    AND dur > 0
    AND track_id IN (SELECT track_id FROM partner)
),
crossed AS (
  SELECT a.slice_id
  FROM (
    SELECT slice_id, start_ns, end_ns, track_id FROM annotated
    UNION ALL
    SELECT a.slice_id, a.start_ns, a.end_ns, p.other_id
    FROM annotated AS a
    JOIN partner AS p ON p.track_id = a.track_id
  ) AS a
  ASOF JOIN busy AS b ON b.track_id = a.track_id AND a.end_ns > b.start_ns
  WHERE b.end_ns > a.start_ns
),
lone AS MATERIALIZED (
  SELECT slice_id, track_id, start_ns, end_ns
  FROM annotated
  WHERE slice_id NOT IN (SELECT slice_id FROM crossed)
),
pause AS MATERIALIZED (
  SELECT track_id, before_ns, start_ns AS after_ns
  FROM (
    SELECT
      track_id,
      start_ns,
      max(end_ns) OVER (
        PARTITION BY track_id ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS before_ns
    FROM (
      SELECT track_id, start_ns, end_ns FROM busy
      UNION ALL
      SELECT track_id, start_ns, end_ns FROM lone
    )
  )
  WHERE before_ns IS NULL OR before_ns < start_ns
),
running AS NOT MATERIALIZED (
  SELECT slice_id, track_id, start_ns, end_ns FROM activity
  UNION ALL
  SELECT slice_id, track_id, start_ns, end_ns FROM lone
),
stop AS (
  SELECT track_id, before_ns AS end_ns FROM pause WHERE before_ns IS NOT NULL
  UNION ALL
  SELECT track_id, max(end_ns) FROM running GROUP BY track_id
),
waiting AS (
  SELECT p.track_id, p.before_ns, p.after_ns, o.other_id
  FROM pause AS p
  JOIN partner AS o ON o.track_id = p.track_id
),
handed AS MATERIALIZED (
  SELECT w.track_id, w.after_ns, e.track_id AS other_id, e.end_ns
  FROM waiting AS w
  ASOF JOIN stop AS e ON e.track_id = w.other_id AND e.end_ns <= w.after_ns
  WHERE e.end_ns > coalesce(w.before_ns, e.end_ns - 1)
),
-- The outermost of the slices with which a thread stops.
last_slice AS (
  SELECT a.track_id, a.end_ns, min_by(a.slice_id, (a.start_ns, a.slice_id)) AS slice_id
  FROM running AS a
  SEMI JOIN handed AS h ON h.other_id = a.track_id AND h.end_ns = a.end_ns
  GROUP BY a.track_id, a.end_ns
),
next_slice AS (
  SELECT a.track_id, a.start_ns, min(a.slice_id) AS slice_id
  FROM running AS a
  SEMI JOIN handed AS h ON h.track_id = a.track_id AND h.after_ns = a.start_ns
  GROUP BY a.track_id, a.start_ns
)
SELECT
  max_by(e.slice_id, (h.end_ns, h.other_id)) AS from_id,
  n.slice_id AS to_id,
  'hand_over' AS kind,
  'pause' AS rule,
  0.8::DOUBLE AS confidence
FROM handed AS h
JOIN next_slice AS n ON n.track_id = h.track_id AND n.start_ns = h.after_ns
JOIN last_slice AS e ON e.track_id = h.other_id AND e.end_ns = h.end_ns
GROUP BY n.slice_id
ORDER BY to_id
