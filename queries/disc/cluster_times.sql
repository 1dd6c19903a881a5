/* ---
name = "cluster_times"
version = 1
title = "Calls of clusters and their time on the host, as the runtime recorded them"
help = """
One row for each signature of a cluster that was called: a cluster is compiled for types and ranks. Counts
and times are those of the whole process (source totals), else sums of the calls that were timed (source
calls), of which there may be fewer. Compiled code runs on the device after its call has returned: run_ns
is what the host waits. Most time first.
"""
grain = ["trace_id", "function_id", "signature"]
requires = { schema = ">=24" }
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "function_id", "signature", "match", "source",
  "n_calls", "n_runs", "run_ns", "n_tensorflow_runs", "tensorflow_ns", "call_ns", "call_share",
  "lookup_ns", "n_fallbacks", "compile_status", "compile_queue_ns", "compile_ns",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", nullable = true, help = "Cluster; NULL: none of the dumped ones" }
function.help = "Name of the function"
function_id = { type = "VARCHAR", unit = "text", help = "Session, name and hash of the function's attributes" }
signature = { type = "VARCHAR", unit = "text", help = "Hash of names, types, ranks and constants" }
match = { type = "VARCHAR", unit = "text", help = "How the cluster was found: signature, function; none" }
source = { type = "VARCHAR", unit = "text", help = "totals: counted by the process; calls: sums of timed calls" }
n_calls = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Calls" }
n_runs = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Calls that ran compiled code" }
run_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Sum of their durations" }
n_tensorflow_runs = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Calls that TensorFlow ran instead" }
tensorflow_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Sum of their durations" }
call_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Sum of the durations of all calls" }
call_share = { type = "DOUBLE", unit = "ratio", nullable = true, help = "Share of call_ns of the trace" }
lookup_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Part of call_ns: search for compiled code, and compilation where the call waits for it" }
n_fallbacks = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Timed calls in which TensorFlow took over; NULL: no call was timed" }
compile_status = { type = "VARCHAR", unit = "text", nullable = true, help = "pass_on_compile, fail_on_compile, ...; NULL: not recorded" }
compile_queue_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Time in the queue of the compiler" }
compile_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Time of the compiler" }

[changes]
1 = "first version"
--- */
WITH timed AS (
  SELECT
    trace_id,
    function_id,
    signature,
    any_value(function) AS function,
    any_value(disc_cluster_id) AS disc_cluster_id,
    any_value(match) AS match,
    count(*) AS n_calls,
    count(run_ns) AS n_runs,
    sum(run_ns)::BIGINT AS run_ns,
    count(tensorflow_ns) AS n_tensorflow_runs,
    sum(tensorflow_ns)::BIGINT AS tensorflow_ns,
    sum(call_ns)::BIGINT AS call_ns,
    sum(lookup_ns)::BIGINT AS lookup_ns,
    count(fallback_at_ns) AS n_fallbacks
  FROM disc_call_time
  GROUP BY trace_id, function_id, signature
),
-- Totals count every call; there may be totals without times, and times of a process that was killed.
called AS (
  SELECT
    trace_id,
    disc_cluster_id,
    function,
    function_id,
    signature,
    match,
    'totals' AS source,
    n_calls,
    n_runs,
    run_ns,
    n_tensorflow_runs,
    tensorflow_ns,
    call_ns,
    lookup_ns,
    compile_status,
    compile_queue_ns,
    compile_ns
  FROM disc_cluster_total
  UNION ALL
  SELECT
    t.trace_id,
    t.disc_cluster_id,
    t.function,
    t.function_id,
    t.signature,
    t.match,
    'calls',
    t.n_calls,
    t.n_runs,
    coalesce(t.run_ns, 0),
    t.n_tensorflow_runs,
    coalesce(t.tensorflow_ns, 0),
    t.call_ns,
    t.lookup_ns,
    NULL,
    NULL,
    NULL
  FROM timed AS t
  LEFT JOIN disc_cluster_total AS s
    ON s.trace_id = t.trace_id AND s.function_id = t.function_id AND s.signature = t.signature
  WHERE s.id IS NULL
)
SELECT
  r.run_id,
  c.trace_id,
  c.disc_cluster_id,
  c.function,
  c.function_id,
  c.signature,
  c.match,
  c.source,
  c.n_calls,
  c.n_runs,
  c.run_ns,
  c.n_tensorflow_runs,
  c.tensorflow_ns,
  c.call_ns,
  c.call_ns / nullif(sum(c.call_ns) OVER (PARTITION BY c.trace_id), 0)::DOUBLE AS call_share,
  c.lookup_ns,
  t.n_fallbacks,
  c.compile_status,
  c.compile_queue_ns,
  c.compile_ns
FROM called AS c
JOIN trace AS r ON r.id = c.trace_id
LEFT JOIN timed AS t
  ON t.trace_id = c.trace_id AND t.function_id = c.function_id
  AND t.signature = c.signature
ORDER BY r.run_id, c.trace_id, c.call_ns DESC NULLS LAST, c.function_id, c.signature
