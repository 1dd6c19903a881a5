/* ---
name = "clock_by_recorded"
version = 1
title = "Clock offsets of `tw link --clock recorded`: recorded times are compared as they are"
help = """
dPRO's mode -1.
"""
grain = ["trace_id"]
requires = { schema = ">=17" }
scale = "trace"
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
help = "Offset to add to the trace's clock: 0"

[column.method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "recorded"

[changes]
1 = "first version"
--- */
SELECT
  id AS trace_id,
  0::BIGINT AS offset_ns,
  NULL::BIGINT AS uncertainty_ns,
  'recorded' AS method,
  NULL::DOUBLE AS drift
FROM trace
WHERE run_id = $run_id::BIGINT AND kind = 'timeline'
ORDER BY trace_id
