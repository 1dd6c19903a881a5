/* ---
name = "overlap_by_step"
version = 1
title = "Communication/compute overlap per step and device"
help = """
As overlap, for the work launched in each step. A step without work on a device has no row there. A
time window contains the steps that run in it on the host, with all their work, whenever that runs.
"""
grain = ["trace_id", "device_id", "step_id"]
requires = { schema = ">=1", queries = ["step_activity@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "step_id", "step", "compute_ns",
  "communication_ns", "overlap_ns", "overlap_share", "exposed_communication_ns",
  "memory_overlap_ns",
]

[column]
step_id.help = "Step"
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
  a.step_id,
  s.number AS step,
  a.compute_ns,
  a.communication_ns,
  a.compute_communication_ns AS overlap_ns,
  a.compute_communication_ns / nullif(a.communication_ns, 0) AS overlap_share,
  a.exposed_communication_ns,
  a.compute_memory_ns AS memory_overlap_ns
FROM step_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN step AS s ON s.slice_id = a.step_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, s.ts, a.step_id
