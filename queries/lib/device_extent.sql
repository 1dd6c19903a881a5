/* ---
name = "device_extent"
version = 1
title = "Time from the start of the first to the end of the last operation of a device"
help = """
Kernels, copies and memsets of the whole trace; in a time window, the part of that time inside the
window, whether work runs there or not. Devices without work, and those whose work lies all before
or all after the window, have no row.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["whole_device_op@1"] }
scale = "trace"
columns = ["trace_id", "device_id", "start_ns", "end_ns"]

[column]
start_ns.help = "Start of the first operation, or of the window if that is later"
end_ns.help = "End of the last operation, or of the window if that is earlier"

[changes]
1 = "first version"
--- */
WITH extent AS (
  SELECT trace_id, device_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM whole_device_op()
  GROUP BY trace_id, device_id
)
SELECT
  e.trace_id,
  e.device_id,
  greatest(e.start_ns, w.from_ns) AS start_ns,
  least(e.end_ns, w.to_ns) AS end_ns
FROM extent AS e
CROSS JOIN time_window AS w
WHERE e.start_ns < w.to_ns
  AND (e.end_ns > w.from_ns OR e.start_ns >= w.from_ns)
