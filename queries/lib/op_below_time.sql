/* ---
name = "op_below_time"
version = 1
title = "Time of operators that their direct children take, by name"
help = """
Of each call, the durations of its direct children of any category, at most its own duration. Negative
durations, including those of unfinished slices, count as 0 ns. In a time window, calls that run in it
count, with the parts inside the window. Names of calls without children have no row.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=13" }
scale = "trace"
computed_once = true
columns = ["trace_id", "name", "below_ns"]

[column]
name.help = "Operator name"
below_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time of the calls that is not self time" }

[changes]
1 = "first version"
--- */
SELECT c.trace_id, c.name, sum(least(c.inside_ns, b.below_ns))::BIGINT AS below_ns
FROM (
  SELECT
    o.slice_id,
    o.trace_id,
    o.name,
    greatest(least(o.ts + o.dur, w.to_ns) - greatest(o.ts, w.from_ns), 0) AS inside_ns
  FROM cpu_op AS o
  CROSS JOIN time_window AS w
) AS c
JOIN (
  SELECT
    s.parent_id AS slice_id,
    sum(greatest(least(s.ts + s.dur, w.to_ns) - greatest(s.ts, w.from_ns), 0))::BIGINT AS below_ns
  FROM slice AS s
  CROSS JOIN time_window AS w
  WHERE s.parent_id IS NOT NULL
  GROUP BY s.parent_id
) AS b ON b.slice_id = c.slice_id
GROUP BY c.trace_id, c.name
