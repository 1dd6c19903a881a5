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
-- Most operators lie in an earlier one: in the order in which rows are stored, the operator that reaches
-- furthest so far, in the order of threads, covers them. Only the others are sorted. In another order, more
-- are sorted.
WITH reach AS (
  SELECT
    slice_id, trace_id, track_id, ts, dur, name,
    track_id::HUGEINT * 18446744073709551616 + (ts + dur) AS place
  FROM whole_cpu_op
  WHERE dur > 0
),
furthest AS (
  SELECT
    *,
    max(place) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS furthest_place,
    arg_max(ts, place) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS furthest_ts
  FROM reach
)
SELECT slice_id, trace_id, track_id, ts, dur, name, coalesce(ts >= reached_ns, true) AS is_outermost
FROM (
  SELECT
    slice_id, trace_id, track_id, ts, dur, name,
    max(ts + dur) OVER (
      PARTITION BY track_id ORDER BY ts, dur DESC, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reached_ns
  FROM furthest
  WHERE furthest_ts >= ts
    OR furthest_place < place
    -- Of another thread.
    OR furthest_place >= track_id::HUGEINT * 18446744073709551616 + 9223372036854775808
)
WHERE reached_ns IS NULL OR ts + dur > reached_ns
