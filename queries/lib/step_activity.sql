/* ---
name = "step_activity"
version = 1
title = "Exact time per step and device by activity"
help = """
As device_activity, for the work launched in one step. Work of other steps that runs at the same
time does not count. Steps without work on a device have no row. A time window contains the steps
that run in it on the host, with all their work, whenever that runs.
"""
grain = ["device_id", "step_id"]
requires = { schema = ">=1", queries = ["whole_step_activity@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "trace_id", "device_id", "step_id", "n_ops", "n_kernels", "start_ns", "end_ns", "busy_ns",
  "compute_ns", "communication_ns", "memory_ns", "compute_communication_ns", "compute_memory_ns",
  "exposed_communication_ns", "exposed_memory_ns",
]

[column]
step_id.help = "Step, by links of kind step"
n_ops.help = "Number of kernels, copies and memsets"
n_kernels = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of kernels" }
start_ns.help = "Start of the first operation, on the time axis of slice.ts"
end_ns.help = "End of the last operation"
busy_ns.help = "Time in which any operation of the step runs"
compute_ns.help = "Time in which a compute kernel of the step runs"
communication_ns.help = "Time in which a communication kernel of the step runs"
memory_ns.help = "Time in which a copy or memset of the step runs"

[changes]
1 = "first version"
--- */
SELECT
  a.trace_id,
  a.device_id,
  a.step_id,
  a.n_ops,
  a.n_kernels,
  a.start_ns,
  a.end_ns,
  a.busy_ns,
  a.compute_ns,
  a.communication_ns,
  a.memory_ns,
  a.compute_communication_ns,
  a.compute_memory_ns,
  a.exposed_communication_ns,
  a.exposed_memory_ns
FROM whole_step_activity() AS a
SEMI JOIN step AS s ON s.slice_id = a.step_id
