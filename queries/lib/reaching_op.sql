/* ---
name = "reaching_op"
version = 1
title = "Operators that end after all earlier ones of their thread"
help = """
Of each thread, in order of start: the operators that end after all operators that started before them, so
that operators nested in others are left out. The time in which the thread is in an operator is that of these
rows. Operators without duration, including unfinished ones, are left out. Those outside the time window are
in.
"""
grain = ["slice_id"]
requires = { schema = ">=13", queries = ["op_range@2"] }
scale = "trace"
computed_once = "reports"
columns = ["slice_id", "trace_id", "track_id", "ts", "dur", "name", "is_outermost"]

[column]
slice_id.help = "Operator"
track_id.help = "Track of the slice"
ts.help = "Start of the slice"
dur = { type = "BIGINT", unit = "ns", check = "> 0", help = "Duration of the slice" }
name.help = "Operator name"

[column.is_outermost]
type = "BOOLEAN"
unit = "bool"
help = "Whether all operators that started before it have ended"

[changes]
1 = "first version"
--- */
-- The table of operators lacks parents: it is read for traces only whose operators are no range of ids.
WITH id_range AS MATERIALIZED (
  SELECT trace_id, first_id, last_id, is_range
  FROM op_range()
),
-- Numbers instead of names: what follows sorts all of them.
op_name AS MATERIALIZED (
  SELECT name, row_number() OVER () AS name_n
  FROM (SELECT DISTINCT name FROM whole_cpu_op)
),
empty AS MATERIALIZED (
  SELECT slice_id
  FROM whole_cpu_op
  WHERE dur <= 0
),
-- Most operators lie in another one, which comes before them in the order below: only the others are
-- sorted.
reach AS (
  SELECT s.id AS slice_id, s.trace_id, s.track_id, s.ts, s.dur, s.name
  FROM whole_slice AS s
  JOIN id_range AS r ON r.trace_id = s.trace_id AND r.is_range
  WHERE s.dur > 0
    AND s.id BETWEEN r.first_id AND r.last_id
    AND (
      s.parent_id IS NULL
      OR s.parent_id < r.first_id
      OR s.parent_id > s.id
      OR s.parent_id IN (SELECT slice_id FROM empty)
    )
  UNION ALL
  SELECT o.slice_id, o.trace_id, o.track_id, o.ts, o.dur, o.name
  FROM whole_cpu_op AS o
  JOIN id_range AS r ON r.trace_id = o.trace_id AND NOT r.is_range
  WHERE o.dur > 0
)
SELECT a.slice_id, a.trace_id, a.track_id, a.ts, a.dur, n.name, coalesce(a.ts >= a.reached_ns, true) AS is_outermost
FROM (
  SELECT
    r.slice_id, r.trace_id, r.track_id, r.ts, r.dur, n.name_n,
    max(r.ts + r.dur) OVER (
      PARTITION BY r.track_id ORDER BY r.ts, r.dur DESC, r.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reached_ns
  FROM reach AS r
  JOIN op_name AS n ON n.name IS NOT DISTINCT FROM r.name
) AS a
JOIN op_name AS n ON n.name_n = a.name_n
WHERE a.reached_ns IS NULL OR a.ts + a.dur > a.reached_ns
