/* ---
name = "tpu_sync_wait"
version = 1
title = "Where TPU engines wait: time in sends, waits and other synchronisation, by kernel"
help = """
Time is the sum of durations. share is of the span of the capture: what the engine could have done else.
"""
grain = ["trace_id", "engine", "core", "port", "kernel_name", "function"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "kernel_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel; NULL: outside of kernels, or not known"

[[column]]
name = "function"
type = "VARCHAR"
unit = "text"
nullable = true
help = "wait, send, nop, ...; NULL: not known"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of their durations"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "The longest"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "total_ns / span of the capture; NULL when that is 0"

[changes]
1 = "first version"
--- */
WITH span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS span_ns
  FROM tpu_work()
  GROUP BY trace_id
),
summed AS (
  SELECT
    trace_id,
    engine,
    core,
    port,
    kernel_name,
    function,
    count(*) AS n_commands,
    sum(greatest(dur, 0))::BIGINT AS total_ns,
    max(greatest(dur, 0)) AS max_ns
  FROM tpu_command
  WHERE kind = 'sync'
  GROUP BY trace_id, engine, core, port, kernel_name, function
)
SELECT
  t.run_id,
  w.trace_id,
  t.rank,
  w.engine,
  w.core,
  w.port,
  w.kernel_name,
  w.function,
  w.n_commands,
  w.total_ns,
  w.max_ns,
  w.total_ns / nullif(s.span_ns, 0) AS share
FROM summed AS w
JOIN span AS s ON s.trace_id = w.trace_id
JOIN trace AS t ON t.id = w.trace_id
ORDER BY
  t.run_id, t.rank, w.trace_id, w.total_ns DESC, w.engine, w.core, w.port, w.kernel_name, w.function
