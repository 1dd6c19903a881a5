/* ---
name = "link_hand_over"
version = 3
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
3 = "same links, faster where threads pause often"
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
-- Most operators and calls lie in an operator above them, and begin and end no pause. Where operators
-- are not one range of ids, or one has no end, all of them count.
operator AS MATERIALIZED (
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
  SELECT track_id, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT s.track_id, s.ts, s.dur
    FROM slice AS s
    JOIN operator AS o ON o.trace_id = s.trace_id AND s.id BETWEEN o.first_id AND o.last_id
    WHERE s.trace_id = $trace_id::BIGINT
      AND (s.parent_id BETWEEN o.first_id AND o.last_id) IS NOT TRUE
    UNION ALL
    SELECT track_id, ts, dur
    FROM cpu_op
    WHERE trace_id = $trace_id::BIGINT
      AND trace_id NOT IN (SELECT trace_id FROM operator)
    UNION ALL
    SELECT track_id, ts, dur
    FROM launch
    WHERE trace_id = $trace_id::BIGINT
      AND slice_id IN (SELECT slice_id FROM outside)
  )
  WHERE dur > 0
    AND track_id IN (SELECT track_id FROM partner)
),
annotated AS MATERIALIZED (
  SELECT slice_id, track_id, ts AS start_ns, ts + dur AS end_ns
  FROM annotation
  WHERE trace_id = $trace_id::BIGINT
    AND side = 'host'
    AND dur > 0
    AND track_id IN (SELECT track_id FROM partner)
),
-- Where a thread begins to run operators or calls after a pause, and when those before all ended. Of
-- slices that begin at once, the first in the order of the window has the time before all.
block AS MATERIALIZED (
  SELECT track_id, start_ns, before_ns
  FROM (
    SELECT
      track_id,
      start_ns,
      max(end_ns) OVER (
        PARTITION BY track_id ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS before_ns
    FROM outer_activity
  )
  WHERE before_ns IS NULL OR before_ns < start_ns
),
-- Annotations of a thread, and those of its partners.
beside AS MATERIALIZED (
  SELECT slice_id, track_id, start_ns, end_ns FROM annotated
  UNION ALL
  SELECT a.slice_id, p.other_id, a.start_ns, a.end_ns
  FROM annotated AS a
  JOIN partner AS p ON p.track_id = a.track_id
),
-- When the thread paused before the first block after an annotation. Of the blocks that begin in four
-- milliseconds in which no annotation ends, the first is enough.
annotation_pause AS MATERIALIZED (
  SELECT
    a.slice_id,
    a.track_id,
    a.start_ns,
    b.start_ns AS next_ns,
    CASE WHEN b.track_id IS NULL THEN l.end_ns ELSE b.before_ns END AS before_ns
  FROM beside AS a
  ASOF LEFT JOIN (
    SELECT track_id, min(start_ns) AS start_ns, arg_min_null(before_ns, start_ns) AS before_ns
    FROM block
    GROUP BY track_id, start_ns >> 22
    UNION ALL
    SELECT b.track_id, b.start_ns, b.before_ns
    FROM block AS b
    SEMI JOIN beside AS a ON a.track_id = b.track_id AND (a.end_ns >> 22) = (b.start_ns >> 22)
  ) AS b ON b.track_id = a.track_id AND a.end_ns <= b.start_ns
  LEFT JOIN (
    SELECT track_id, max(end_ns) AS end_ns FROM outer_activity GROUP BY track_id
  ) AS l ON l.track_id = a.track_id
),
-- Annotations during which no thread of a pair runs operators or calls.
lone AS MATERIALIZED (
  SELECT a.slice_id, a.track_id, a.start_ns, a.end_ns, e.next_ns, e.before_ns
  FROM annotated AS a
  JOIN annotation_pause AS e ON e.slice_id = a.slice_id AND e.track_id = a.track_id
  WHERE a.slice_id NOT IN (SELECT slice_id FROM annotation_pause WHERE before_ns > start_ns)
),
pause AS MATERIALIZED (
  SELECT b.track_id, b.before_ns, b.start_ns AS after_ns
  FROM block AS b
  ANTI JOIN lone AS a ON a.track_id = b.track_id AND a.next_ns = b.start_ns
  UNION ALL
  SELECT track_id, before_ns, start_ns
  FROM (
    SELECT
      track_id,
      start_ns,
      greatest(before_ns, max(end_ns) OVER (
        PARTITION BY track_id, next_ns
        ORDER BY start_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )) AS before_ns
    FROM (
      SELECT track_id, start_ns, end_ns, next_ns, before_ns FROM lone
      UNION ALL
      SELECT DISTINCT track_id, next_ns, next_ns, next_ns, before_ns
      FROM lone
      WHERE next_ns IS NOT NULL
    )
  )
  WHERE before_ns IS NULL OR before_ns < start_ns
),
running AS NOT MATERIALIZED (
  SELECT slice_id, track_id, start_ns, end_ns FROM activity
  UNION ALL
  SELECT slice_id, track_id, start_ns, end_ns FROM lone
),
stop AS MATERIALIZED (
  SELECT track_id, before_ns AS end_ns FROM pause WHERE before_ns IS NOT NULL
  UNION ALL
  SELECT track_id, max(end_ns) FROM running GROUP BY track_id
),
waiting AS (
  SELECT p.track_id, p.before_ns, p.after_ns, o.other_id
  FROM pause AS p
  JOIN partner AS o ON o.track_id = p.track_id
),
-- A pause that ends within the four milliseconds in which it begins counts where the other stops in
-- them, too. Of the stops in four milliseconds in which no such pause ends, the last is enough.
stopped_part AS MATERIALIZED (
  SELECT track_id, end_ns >> 22 AS part_n, max(end_ns) AS end_ns FROM stop GROUP BY ALL
),
candidate AS MATERIALIZED (
  SELECT w.*
  FROM waiting AS w
  LEFT JOIN stopped_part AS s ON s.track_id = w.other_id AND s.part_n = (w.after_ns >> 22)
  WHERE s.track_id IS NOT NULL
    OR (w.before_ns >> 22 = w.after_ns >> 22) IS NOT TRUE
),
handed AS MATERIALIZED (
  SELECT w.track_id, w.after_ns, e.track_id AS other_id, e.end_ns
  FROM candidate AS w
  ASOF JOIN (
    SELECT track_id, end_ns FROM stopped_part
    UNION ALL
    SELECT s.track_id, s.end_ns
    FROM stop AS s
    SEMI JOIN candidate AS w ON w.other_id = s.track_id AND (w.after_ns >> 22) = (s.end_ns >> 22)
  ) AS e ON e.track_id = w.other_id AND e.end_ns <= w.after_ns
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
