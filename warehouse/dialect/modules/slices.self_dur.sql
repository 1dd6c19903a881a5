-- The duration of each slice without that of its direct children.
CREATE PERFETTO VIEW slice_self_dur AS
SELECT s.id, s.dur - coalesce(c.below, 0) AS self_dur
FROM slice AS s
LEFT JOIN (
  SELECT parent_id, SUM(dur) AS below FROM slice WHERE parent_id IS NOT NULL GROUP BY parent_id
) AS c ON c.parent_id = s.id
