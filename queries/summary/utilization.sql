/* ---
name = "utilization"
version = 2
title = "Busy share per device"
help = """
The part of the time from the start of the first to the end of the last operation of a device in
which any kernel, copy or memset runs. Overlapping operations count once; waits are not work. A
device without work has no row. In a time window the figures are those of the part of that time
inside the window, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_activity@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "n_ops", "start_ns", "end_ns", "span_ns",
  "busy_ns", "utilization", "compute_ns", "communication_ns", "memory_ns",
]

[column]
n_ops = { check = ">= 0", help = "Number of kernels, copies and memsets; 0 only in a time window" }
start_ns.help = "Start of the first operation, or of the window if that is later, on the time axis of slice.ts"
end_ns.help = "End of the last operation, or of the window if that is earlier, on the time axis of slice.ts"
span_ns.help = "Time from the start of the device's first operation to the end of its last"
busy_ns.help = "Time in which any operation runs"

[changes]
2 = "in a time window, idle time at both ends of the window counts; n_ops may be 0"
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.n_ops,
  a.start_ns,
  a.end_ns,
  a.end_ns - a.start_ns AS span_ns,
  a.busy_ns,
  a.busy_ns / nullif(a.end_ns - a.start_ns, 0) AS utilization,
  a.compute_ns,
  a.communication_ns,
  a.memory_ns
FROM device_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id
