/* ---
name = "link_annotation"
version = 2
title = "Links from annotations to the device work launched inside them"
help = """
From the innermost host annotation that contains the causing call, on the call's thread: of all that
contain it, the last to begin. annotation_work has all of them, and annotation_extent defines when
annotations end that never did. Steps are excluded; they have their own links (link_step).
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["annotation", "gpu_op"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the annotation"
to_id.help = "Slice of the device work"
kind.help = "annotation"
rule.help = "containment"
confidence.help = "Confidence of the launch link"

[changes]
2 = "by time on the thread: of crossing ranges the last to begin, start/end ranges too"
1 = "first version"
--- */
-- Every annotation around a call also contains the last one to begin before the call on its track, unless
-- that one contains the call itself. So the parents of that one lead to the innermost. A call of
-- duration 0 at the end of an annotation lies outside.
WITH RECURSIVE thread_of AS MATERIALIZED (
  SELECT id AS track_id, thread_id
  FROM track
  WHERE trace_id = $trace_id::BIGINT
),
last_end AS (
  SELECT trace_id, max(range_ns) AS range_ns, max(call_ns) AS call_ns
  FROM (
    SELECT trace_id, max(ts + greatest(dur, 0)) AS range_ns, NULL::BIGINT AS call_ns
    FROM annotation
    WHERE trace_id = $trace_id::BIGINT
      AND side = 'host'
      AND coalesce(style, 'push_pop') <> 'mark'
    GROUP BY trace_id
    UNION ALL
    SELECT trace_id, NULL, max(ts + greatest(dur, 0))
    FROM launch
    WHERE trace_id = $trace_id::BIGINT
    GROUP BY trace_id
  )
  GROUP BY trace_id
),
named AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT
      a.slice_id,
      coalesce(k.thread_id, -a.track_id) AS thread_key,
      a.track_id,
      a.ts AS start_ns,
      CASE
        WHEN a.dur <> -1 THEN a.ts + greatest(a.dur, 0)
        WHEN a.style IS NULL THEN greatest(a.ts, e.range_ns, e.call_ns)
        ELSE greatest(a.ts, e.range_ns)
      END AS end_ns
    FROM annotation AS a
    LEFT JOIN thread_of AS k ON k.track_id = a.track_id
    LEFT JOIN last_end AS e ON e.trace_id = a.trace_id
    ANTI JOIN step AS s ON s.slice_id = a.slice_id AND s.trace_id = $trace_id::BIGINT
    WHERE a.trace_id = $trace_id::BIGINT
      AND a.side = 'host'
  )
  WHERE end_ns > start_ns
),
-- The nearest annotation above each, other slices skipped.
search AS (
  SELECT s.id AS slice_id, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM slice AS s
  SEMI JOIN named AS n ON n.slice_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
  UNION ALL
  SELECT r.slice_id, s.parent_id, a.slice_id IS NOT NULL
  FROM slice AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN named AS a ON a.slice_id = s.parent_id
  WHERE NOT r.is_found
    AND s.trace_id = $trace_id::BIGINT
    AND s.parent_id IS NOT NULL
),
above AS MATERIALIZED (
  SELECT r.slice_id, r.at_id AS above_id, n.end_ns AS above_end_ns
  FROM search AS r
  JOIN named AS n ON n.slice_id = r.at_id
  WHERE r.is_found
),
first_at AS (
  SELECT
    track_id,
    start_ns,
    max_by(slice_id, (-end_ns, slice_id)) AS slice_id,
    min(end_ns) AS end_ns
  FROM named
  GROUP BY track_id, start_ns
),
work AS MATERIALIZED (
  SELECT g.slice_id, l.from_id AS call_id, l.confidence
  FROM gpu_op AS g
  JOIN link AS l ON l.to_id = g.slice_id
  CROSS JOIN (SELECT 1 FROM named LIMIT 1) AS any_named
  WHERE g.trace_id = $trace_id::BIGINT
    AND g.kind <> 'sync'
    AND l.trace_id = $trace_id::BIGINT
    AND l.kind = 'launch'
    AND l.link_set = 'default'
),
-- Climbing from all calls would take long. Where no annotation of the track begins or ends during the
-- four milliseconds (2^22 ns) that a call lies in, it has the annotation of their first instant.
border AS (
  SELECT track_id, start_ns >> 22 AS part_n FROM named
  UNION
  SELECT track_id, end_ns >> 22 FROM named
),
call AS (
  SELECT
    l.slice_id AS call_id,
    n.track_id,
    n.is_only,
    l.ts AS start_ns,
    l.ts + greatest(l.dur, 0) + CASE WHEN l.dur > 0 THEN 0 ELSE 1 END AS end_ns
  FROM launch AS l
  SEMI JOIN work AS w ON w.call_id = l.slice_id
  LEFT JOIN thread_of AS k ON k.track_id = l.track_id
  JOIN (
    SELECT thread_key, track_id, count(*) OVER (PARTITION BY thread_key) = 1 AS is_only
    FROM (SELECT DISTINCT thread_key, track_id FROM named)
  ) AS n ON n.thread_key = coalesce(k.thread_id, -l.track_id)
  WHERE l.trace_id = $trace_id::BIGINT
),
placed AS MATERIALIZED (
  SELECT
    c.call_id,
    c.track_id,
    c.is_only,
    CASE WHEN c.is_alone THEN c.start_ns ELSE c.start_ns - (c.start_ns & 4194303) END AS start_ns,
    CASE WHEN c.is_alone THEN c.end_ns ELSE c.start_ns - (c.start_ns & 4194303) + 1 END AS end_ns
  FROM (
    SELECT c.*, b.track_id IS NOT NULL OR (c.start_ns >> 22) <> (c.end_ns >> 22) AS is_alone
    FROM call AS c
    LEFT JOIN border AS b ON b.track_id = c.track_id AND b.part_n = (c.start_ns >> 22)
  ) AS c
),
ancestor AS (
  SELECT c.track_id, c.start_ns, c.end_ns, f.slice_id AS at_id, f.end_ns >= c.end_ns AS is_found
  FROM (SELECT DISTINCT track_id, start_ns, end_ns FROM placed) AS c
  ASOF JOIN first_at AS f ON f.track_id = c.track_id AND c.start_ns >= f.start_ns
  UNION ALL
  SELECT c.track_id, c.start_ns, c.end_ns, a.above_id, a.above_end_ns >= c.end_ns
  FROM above AS a
  JOIN ancestor AS c ON c.at_id = a.slice_id
  WHERE NOT c.is_found
),
around AS (
  SELECT p.call_id, p.is_only, c.at_id
  FROM placed AS p
  JOIN (SELECT * FROM ancestor WHERE is_found) AS c
    ON c.track_id = p.track_id AND c.start_ns = p.start_ns AND c.end_ns = p.end_ns
)
SELECT
  a.annotation_id AS from_id,
  w.slice_id AS to_id,
  'annotation' AS kind,
  'containment' AS rule,
  w.confidence
FROM work AS w
JOIN (
  SELECT call_id, at_id AS annotation_id
  FROM around
  WHERE is_only
  UNION ALL
  SELECT a.call_id, max_by(a.at_id, (n.start_ns, -n.end_ns, a.at_id))
  FROM around AS a
  JOIN named AS n ON n.slice_id = a.at_id
  WHERE NOT a.is_only
  GROUP BY a.call_id
) AS a ON a.call_id = w.call_id
ORDER BY to_id
