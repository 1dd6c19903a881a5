/* ---
name = "clock_by_ring"
version = 1
title = "Clock offsets of `tw link --clock ring`: those that share transfer times equally around a ring"
help = """
Of all offsets with which no receive ends before its send, those with which neighbours on a ring have the
most equal least transfer times (message_clock): the drifts around the ring add up to 0, dPRO's mode 3.
"""
grain = ["trace_id"]
requires = { schema = ">=17", queries = ["message_clock@1"] }
scale = "run"
columns = ["trace_id", "offset_ns", "uncertainty_ns", "method", "drift"]

[param.run_id]
type = "BIGINT"
help = "Run whose clocks to compare"

[column]
drift.help = "Always NULL"

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset to add to the trace's clock; NULL: no messages between hosts"

[column.method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "ring; NULL: no messages between hosts"

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  offset_ns,
  NULL::BIGINT AS uncertainty_ns,
  CASE WHEN offset_ns IS NOT NULL THEN 'ring' END AS method,
  NULL::DOUBLE AS drift
FROM message_clock(p_run_id := $run_id::BIGINT, p_objective := 3)
ORDER BY trace_id
