/* ---
name = "disc_iteration_slice"
version = 1
title = "Iterations of replayed clusters, as slices for a timeline"
help = """
One slice for each iteration, from its first copy to the end of its last work, on a track above the streams
of the replay's process. Exports of timelines add them.
"""
grain = ["trace_id", "iteration"]
requires = { schema = ">=22", queries = ["disc_iteration_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "iteration", "process_id", "track_name", "sort_index", "start_ns", "dur_ns",
  "name", "category", "args_json",
]

[column]
iteration = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of the iteration, from 0" }
process_id.help = "Process of the replay"
track_name = { type = "VARCHAR", unit = "text", help = "Name of the track" }
sort_index = { type = "BIGINT", unit = "count", help = "Place of the track among those of the process: before its streams" }
start_ns.help = "Start of its first copy"
dur_ns.help = "Until the end of its last work on the device"
name.help = "Number of the iteration, and whether it is the measured one"
category.help = "cluster_iteration"
args_json = { type = "VARCHAR", unit = "json", help = "Function, kernels, copies and their times" }

[changes]
1 = "first version"
--- */
SELECT
  any_value(o.run_id) AS run_id,
  o.trace_id,
  o.iteration,
  any_value(k.process_id) AS process_id,
  'iterations of ' || coalesce(any_value(o.function), 'a cluster') AS track_name,
  (min(coalesce(k.sort_index, 0)) - 1)::BIGINT AS sort_index,
  min(o.ts) AS start_ns,
  (max(o.ts + o.dur_ns) - min(o.ts))::BIGINT AS dur_ns,
  'iteration ' || o.iteration || CASE WHEN bool_or(o.is_measured) THEN ' (measured)' ELSE ' (warm-up)' END AS name,
  'cluster_iteration' AS category,
  json_object(
    'function', any_value(o.function),
    'n_kernels', count(*) FILTER (o.kind = 'kernel'),
    'kernel_ns', coalesce(sum(o.dur_ns) FILTER (o.kind = 'kernel'), 0)::BIGINT,
    'n_copies', count(*) FILTER (o.direction = 'HtoD'),
    'copied_bytes', coalesce(sum(o.bytes) FILTER (o.direction = 'HtoD'), 0)::BIGINT
  )::VARCHAR AS args_json
FROM disc_iteration_op() AS o
JOIN gpu_op AS g ON g.slice_id = o.slice_id
JOIN track AS k ON k.id = g.track_id
GROUP BY o.trace_id, o.iteration
ORDER BY o.trace_id, o.iteration
