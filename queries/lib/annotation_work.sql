/* ---
name = "annotation_work"
version = 2
title = "Pairs of host annotation and device work it caused"
help = """
An annotation caused the work whose launch lies in it on its own thread, also in nested annotations
or in others that it crosses. annotation_extent defines when annotations end that never did. A step
caused the work launched during it by any thread of its process (links of kind step, by launch).
Work without a recorded launch has no row.
"""
grain = ["annotation_id", "slice_id"]
requires = { schema = ">=1", queries = ["annotation_extent@1", "launched_op@1"] }
scale = "trace"
columns = ["annotation_id", "slice_id", "is_self"]

[column]
annotation_id = { type = "BIGINT", unit = "ref slice.id", help = "Annotation or step" }
slice_id.help = "Kernel, copy or memset"
is_self = { type = "BOOLEAN", unit = "bool", help = "Whether it is the innermost: of all that contain the call, the last to begin" }

[changes]
2 = "by time on the thread: ranges that cross others and start/end ranges have all their work"
1 = "first version"
--- */
-- Threads are 2^64 ns apart, so that one key orders all of them. A call of duration 0 at the end of an
-- annotation lies outside.
WITH call AS (
  SELECT
    l.slice_id,
    coalesce(k.thread_id, -l.call_track_id) * 18446744073709551616 + l.call_ts AS start_key,
    coalesce(k.thread_id, -l.call_track_id) * 18446744073709551616
      + l.call_ts + greatest(l.call_dur, 0) + CASE WHEN l.call_dur > 0 THEN 0 ELSE 1 END AS end_key
  FROM launched_op() AS l
  LEFT JOIN track AS k ON k.id = l.call_track_id
  WHERE l.call_ts IS NOT NULL
),
named AS (
  SELECT e.slice_id, e.thread_key, e.start_ns, e.end_ns
  FROM annotation_extent() AS e
  ANTI JOIN whole_step AS s ON s.slice_id = e.slice_id
),
-- As many slots of equal length as the thread has annotations: nested ones are in few slots each.
thread_slot AS (
  SELECT
    thread_key,
    min(start_ns) AS first_ns,
    (max(end_ns) - min(start_ns)) // count(*) + 1 AS slot_ns
  FROM named
  GROUP BY thread_key
),
in_slot AS (
  SELECT
    n.slice_id,
    n.thread_key,
    n.start_ns,
    n.end_ns,
    unnest(
      range((n.start_ns - t.first_ns) // t.slot_ns, (n.end_ns - t.first_ns) // t.slot_ns + 1)
    ) AS slot
  FROM named AS n
  JOIN thread_slot AS t ON t.thread_key = n.thread_key
),
-- The annotations open where one starts. Those around a call are among the ones open at the last start
-- before it: few rows are sorted and compared, however many calls there are.
start_point AS (
  SELECT DISTINCT
    n.thread_key, n.start_ns, (n.start_ns - t.first_ns) // t.slot_ns AS slot,
    n.thread_key * 18446744073709551616 + n.start_ns AS start_key
  FROM named AS n
  JOIN thread_slot AS t ON t.thread_key = n.thread_key
),
-- Materialized, so that no call is compared with the annotations of all threads.
open_at AS MATERIALIZED (
  SELECT p.start_key, a.slice_id, a.thread_key * 18446744073709551616 + a.end_ns AS end_key
  FROM start_point AS p
  JOIN in_slot AS a
    ON a.thread_key = p.thread_key
    AND a.slot = p.slot
    AND a.start_ns <= p.start_ns
    AND a.end_ns > p.start_ns
),
placed AS (
  SELECT slice_id, end_key, start_key, NULL AS point_key FROM call
  UNION ALL
  SELECT NULL, NULL, start_key, start_key FROM start_point
),
placed_call AS (
  SELECT
    slice_id,
    end_key,
    max(point_key) OVER (ORDER BY start_key RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      AS point_key
  FROM placed
),
around AS (
  SELECT o.slice_id AS annotation_id, c.slice_id
  FROM placed_call AS c
  JOIN open_at AS o ON o.start_key = c.point_key AND o.end_key >= c.end_key
),
innermost AS (
  SELECT from_id AS inner_id, to_id AS slice_id
  FROM whole_link
  WHERE kind = 'annotation'
    AND link_set = 'default'
)
SELECT a.annotation_id, a.slice_id, coalesce(a.annotation_id = i.inner_id, false) AS is_self
FROM around AS a
LEFT JOIN innermost AS i ON i.slice_id = a.slice_id
UNION ALL
SELECT l.from_id, l.to_id, i.slice_id IS NULL
FROM whole_link AS l
LEFT JOIN innermost AS i ON i.slice_id = l.to_id
WHERE l.kind = 'step'
  AND l.rule = 'launch'
  AND l.link_set = 'default'
