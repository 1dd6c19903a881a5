/* ---
name = "breakdown"
version = 1
title = "Compute, exposed communication, exposed memory and idle time per device"
help = """
Every instant from the start of the first to the end of the last operation of a device belongs to
exactly one of the four parts, so they add up to the span. Compute takes precedence: communication
is exposed where no compute kernel overlaps it, a copy or memset where neither does. In a time
window the figures are those of the part of that span inside the window, so disjoint windows add up
to the whole.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_activity@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "span_ns", "compute_ns",
  "exposed_communication_ns", "exposed_memory_ns", "idle_ns", "compute_share",
  "exposed_communication_share", "exposed_memory_share", "idle_share",
]

[column]
span_ns.help = "Time from the start of the device's first operation to the end of its last"
compute_share.help = "compute_ns / span_ns"
idle_share.help = "idle_ns / span_ns"

[column.exposed_communication_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_communication_ns / span_ns"

[column.exposed_memory_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_memory_ns / span_ns"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.end_ns - a.start_ns AS span_ns,
  a.compute_ns,
  a.exposed_communication_ns,
  a.exposed_memory_ns,
  a.end_ns - a.start_ns - a.busy_ns AS idle_ns,
  a.compute_ns / nullif(a.end_ns - a.start_ns, 0) AS compute_share,
  a.exposed_communication_ns / nullif(a.end_ns - a.start_ns, 0) AS exposed_communication_share,
  a.exposed_memory_ns / nullif(a.end_ns - a.start_ns, 0) AS exposed_memory_share,
  (a.end_ns - a.start_ns - a.busy_ns) / nullif(a.end_ns - a.start_ns, 0) AS idle_share
FROM device_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id
