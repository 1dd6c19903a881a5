/* ---
name = "cut_slice"
version = 1
title = "Slices that cross a border of the time window, with their self time inside it"
help = """
Self time is that outside direct children. Where children overlap, it is at most the duration of the
slice minus the sum of theirs: that much counts from the start of the slice on, so that the windows
of a trace add up to the self time of the whole slice. Without a time window there are no rows.
"""
grain = ["slice_id"]
scale = "trace"
columns = ["slice_id", "self_ns"]

[column]
self_ns.help = "Self time inside the window"

[changes]
1 = "first version"
--- */
WITH cut AS MATERIALIZED (
  SELECT
    s.id AS slice_id,
    s.trace_id,
    s.ts AS start_ns,
    s.ts + s.dur AS end_ns,
    greatest(w.from_ns, s.ts) AS from_ns,
    least(w.to_ns, s.ts + s.dur) AS to_ns
  FROM slice AS s
  CROSS JOIN (
    SELECT from_ns, to_ns
    FROM time_window
    WHERE from_ns > -9223372036854775807 OR to_ns < 9223372036854775807
  ) AS w
  WHERE s.dur > 0
    AND (s.ts < w.from_ns OR s.ts + s.dur > w.to_ns)
),
-- Without a time window none is cut, and nothing is read. (Materialized: the database would join all
-- slices first.)
lower_slice AS MATERIALIZED (
  SELECT parent_id, ts AS start_ns, ts + dur AS end_ns
  FROM whole_slice
  WHERE dur > 0 AND trace_id IN (SELECT trace_id FROM cut)
),
child AS (
  SELECT c.slice_id, c.from_ns, c.to_ns, s.start_ns, s.end_ns
  FROM lower_slice AS s
  JOIN cut AS c ON c.slice_id = s.parent_id
),
reach AS (
  SELECT
    *,
    max(end_ns) OVER (
      PARTITION BY slice_id
      ORDER BY start_ns, end_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM child
),
-- Time of children before each border of the window; overlapping children count once.
covered AS (
  SELECT
    slice_id,
    sum(end_ns - start_ns)::BIGINT AS below_ns,
    sum(
      greatest(least(end_ns, from_ns) - greatest(start_ns, coalesce(reach_ns, start_ns)), 0)
    )::BIGINT AS before_from_ns,
    sum(
      greatest(least(end_ns, to_ns) - greatest(start_ns, coalesce(reach_ns, start_ns)), 0)
    )::BIGINT AS before_to_ns
  FROM reach
  GROUP BY slice_id
),
passed AS (
  SELECT
    c.slice_id,
    greatest(c.end_ns - c.start_ns - coalesce(v.below_ns, 0), 0) AS self_ns,
    c.from_ns - c.start_ns - coalesce(v.before_from_ns, 0) AS until_from_ns,
    c.to_ns - c.start_ns - coalesce(v.before_to_ns, 0) AS until_to_ns
  FROM cut AS c
  LEFT JOIN covered AS v ON v.slice_id = c.slice_id
)
SELECT
  slice_id,
  least(until_to_ns, self_ns) - least(until_from_ns, self_ns) AS self_ns
FROM passed
