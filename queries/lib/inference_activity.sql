/* ---
name = "inference_activity"
version = 1
title = "Times of the steps of inference engines, on the host and on devices"
help = """
One row per step of vLLM or SGLang (step_batch) and device. A step lasts until it has ended on the host and its
work on the device; of a step that the next one overlaps, because the engine prepares it ahead, the
time to the next counts (duration_ns). Device figures are of the work launched in the step, whenever it
runs. A time window contains the steps that run in it on the host, with all their work.
"""
grain = ["trace_id", "step_id", "device_id"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_batch@1"] }
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
1 = "first version"
--- */
WITH timed AS (
  SELECT
    b.*,
    s.number AS step,
    a.device_id,
    d.ordinal AS device,
    s.ts AS start_ns,
    greatest(s.dur, 0) AS host_ns,
    greatest(s.ts + greatest(s.dur, 0), coalesce(a.end_ns, s.ts)) - s.ts AS latency_ns,
    lead(s.ts) OVER next_step - s.ts AS period_ns,
    a.start_ns - max(a.end_ns) OVER steps_before AS after_ns,
    a.busy_ns,
    a.end_ns - a.start_ns - a.busy_ns AS idle_ns
  FROM step_batch() AS b
  JOIN whole_step AS s ON s.slice_id = b.step_id
  LEFT JOIN step_activity() AS a ON a.step_id = b.step_id
  LEFT JOIN device AS d ON d.id = a.device_id
  WINDOW
    next_step AS (PARTITION BY s.trace_id, a.device_id ORDER BY s.ts, s.slice_id),
    steps_before AS (
      PARTITION BY s.trace_id, a.device_id ORDER BY s.ts, s.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
)
SELECT
  t.run_id,
  t.trace_id,
  t.rank,
  t.step_id,
  t.step,
  t.phase,
  t.n_requests,
  t.n_tokens,
  t.n_prefill_tokens,
  t.n_decode_tokens,
  t.device_id,
  t.device,
  t.start_ns,
  least(t.latency_ns, coalesce(t.period_ns, t.latency_ns)) AS duration_ns,
  t.host_ns,
  t.latency_ns,
  CASE WHEN t.after_ns IS NOT NULL THEN greatest(t.after_ns, 0) END AS gap_ns,
  coalesce(t.busy_ns, 0) AS busy_ns,
  t.idle_ns,
  t.n_tokens * 1e9 / nullif(least(t.latency_ns, coalesce(t.period_ns, t.latency_ns)), 0)
    AS tokens_per_s
FROM timed AS t
SEMI JOIN step AS k ON k.slice_id = t.step_id
ORDER BY t.run_id, t.rank, t.trace_id, t.start_ns, t.step_id, t.device_id
