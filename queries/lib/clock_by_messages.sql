/* ---
name = "clock_by_messages"
version = 1
title = "Clock offsets of `tw link --clock messages`: the smallest with which no receive ends before its send"
help = """
Of all offsets with which no receive ends before its send, those with the least sum of squares (message_clock):
dPRO's mode 1.
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
help = "messages; NULL: no messages between hosts"

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  offset_ns,
  NULL::BIGINT AS uncertainty_ns,
  CASE WHEN offset_ns IS NOT NULL THEN 'messages' END AS method,
  NULL::DOUBLE AS drift
FROM message_clock(p_run_id := $run_id::BIGINT, p_objective := 1)
ORDER BY trace_id
