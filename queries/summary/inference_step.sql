/* ---
name = "inference_step"
version = 2
title = "Phase, tokens and times of the steps of inference engines"
help = """
One row per step of vLLM or SGLang (step_batch) and device. A step lasts until it has ended on the host and its
work on the device; of a step that the next one overlaps, because the engine prepares it ahead, the
time to the next counts (duration_ns). Device figures are of the work launched in the step, whenever it
runs. A time window contains the steps that run in it on the host, with all their work.
"""
grain = ["trace_id", "step_id", "device_id"]
requires = { schema = ">=1", queries = ["inference_activity@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "step_id", "step", "phase", "n_requests", "n_tokens",
  "n_prefill_tokens", "n_decode_tokens", "device_id", "device", "start_ns", "duration_ns",
  "host_ns", "latency_ns", "gap_ns", "busy_ns", "idle_ns", "tokens_per_s",
]

[column]
step_id.help = "Step"
phase = { type = "VARCHAR", unit = "text", check = "IN ('prefill', 'decode', 'mixed')", help = "prefill, decode or mixed" }
device_id.help = "Device; NULL: the step launched no work, or its device is not recorded"
start_ns.help = "Start of the step on the host, on the time axis of slice.ts"
duration_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "latency_ns, at most the time to the start of the next step" }
host_ns = { nullable = false, help = "Duration of the step on the host" }
latency_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time from the start of the step to its end on the host and on the device" }
gap_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Time in which the device has finished the steps before and waits for the first work of this one; NULL: the first step, or no work" }
busy_ns.help = "Time in which any operation of the step runs"
idle_ns = { nullable = true, help = "Time from its first to its last operation in which none runs" }

[changes]
2 = "a step that launches no work on a device is the next step of one that does; a time window hides no steps before"
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  step_id,
  step,
  phase,
  n_requests,
  n_tokens,
  n_prefill_tokens,
  n_decode_tokens,
  device_id,
  device,
  start_ns,
  duration_ns,
  host_ns,
  latency_ns,
  gap_ns,
  busy_ns,
  idle_ns,
  tokens_per_s
FROM inference_activity()
ORDER BY run_id, rank, trace_id, start_ns, step_id, device_id
