/* ---
name = "tpu_sync_wait"
version = 1
title = "Synchronization time of TPU engines by kernel: sends, waits and others"
help = """
Time is the sum of durations. share is of the span of the capture. A time window contains the
commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port", "kernel_name", "function"]
requires = { schema = ">=9", queries = ["tpu_work@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "kernel_name", "function", "n_commands",
  "total_ns", "max_ns", "share",
]

[column]
kernel_name.help = "Kernel; NULL: outside kernels, or unknown"
function.help = "wait, send, nop, ...; NULL: unknown"

[column.share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "total_ns / span of the capture; NULL if that is 0"

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
