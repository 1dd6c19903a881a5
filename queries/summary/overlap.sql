/* ---
name = "overlap"
version = 1
title = "Communication/compute overlap per device"
help = """
Overlap is the time in which a compute kernel and a communication kernel run at once on one device;
its share is of the communication time, as in Holistic Trace Analysis. In a time window the figures
are those of the part of the work inside it, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_activity@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "compute_ns", "communication_ns",
  "overlap_ns", "overlap_share", "exposed_communication_ns", "memory_overlap_ns",
]

[column]
overlap_share.help = "overlap_ns / communication_ns; NULL without communication"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.compute_ns,
  a.communication_ns,
  a.compute_communication_ns AS overlap_ns,
  a.compute_communication_ns / nullif(a.communication_ns, 0) AS overlap_share,
  a.exposed_communication_ns,
  a.compute_memory_ns AS memory_overlap_ns
FROM device_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id
