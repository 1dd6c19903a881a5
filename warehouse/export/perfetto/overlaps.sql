-- Tracks on which slices may overlap without nesting; others need no lanes. Of one part: a row per track
-- and depth.
-- The first slice that overlaps a sibling has the sibling's depth, so comparing slices of equal depth is
-- sufficient. This reads the stored table, not the view of the scope, because depths are computed for
-- whole tracks. Slices that never end, or end before they begin, are candidates too. On flat tracks,
-- nested slices overlap.
SELECT track_id, depth, is_flat, bool_or(is_odd) AS is_odd, min(ts) AS start_ts, max(end_ts) AS end_ts
FROM (
  SELECT
    e.track_id,
    e.depth,
    t.trace_id IS NOT NULL AS is_flat,
    e.ts,
    e.ts + e.dur AS end_ts,
    e.dur < 0
      OR (t.trace_id IS NOT NULL AND e.depth > 0)
      OR coalesce(
        e.ts < lag(e.ts + e.dur) OVER (PARTITION BY e.track_id, e.depth ORDER BY e.ts, e.id), false
      ) AS is_odd
  FROM {stored} AS e
  LEFT JOIN display_trace AS t ON t.trace_id = e.trace_id AND t.is_flat
  WHERE {in_part}
)
GROUP BY track_id, depth, is_flat
ORDER BY track_id, depth
