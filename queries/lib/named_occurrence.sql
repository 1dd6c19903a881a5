/* ---
name = "named_occurrence"
version = 1
title = "Occurrences of a range, operator or kernel by its name, or the steps, in order"
help = """
Host annotations other than marks, operators and kernels whose name is the given one, numbered from 1 in each
trace and device in order of start, whole. Without a name they are the steps. Unfinished ones are left out.
A time window hides none.
"""
grain = ["slice_id"]
scale = "trace"
columns = ["slice_id", "trace_id", "kind", "device_id", "iteration", "start_ns", "dur_ns"]

[param.name]
type = "VARCHAR"
nullable = true
help = "Name, as recorded; NULL: steps"

[column]
kind = { check = "IN ('step', 'range', 'operator', 'kernel')", help = "step, range, operator or kernel" }
device_id.help = "Device of a kernel; NULL: on the host, or not recorded"
iteration = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the occurrence" }
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"

[changes]
1 = "first version"
--- */
WITH found AS (
  SELECT slice_id, trace_id, 'step' AS kind, CAST(NULL AS BIGINT) AS device_id, ts, dur
  FROM whole_step
  WHERE $name::VARCHAR IS NULL
  UNION ALL
  SELECT slice_id, trace_id, 'range' AS kind, NULL AS device_id, ts, dur
  FROM whole_annotation
  WHERE name = $name::VARCHAR AND side = 'host' AND coalesce(style, 'push_pop') <> 'mark'
  UNION ALL
  SELECT slice_id, trace_id, 'operator' AS kind, NULL AS device_id, ts, dur
  FROM whole_cpu_op
  WHERE name = $name::VARCHAR
  UNION ALL
  SELECT slice_id, trace_id, 'kernel' AS kind, device_id, ts, dur
  FROM whole_gpu_op
  WHERE name = $name::VARCHAR AND kind = 'kernel'
)
SELECT
  slice_id,
  trace_id,
  kind,
  device_id,
  row_number() OVER (PARTITION BY trace_id, kind, device_id ORDER BY ts, slice_id) AS iteration,
  ts AS start_ns,
  dur AS dur_ns
FROM found
WHERE dur >= 0
ORDER BY trace_id, kind, device_id, ts, slice_id
