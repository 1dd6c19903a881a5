/* ---
name = "inference_activity"
version = 2
title = "Times of the steps of inference engines, on the host and on devices"
help = """
One row per step of vLLM or SGLang (step_batch) and device. A step lasts until it has ended on the host and its
work on the device; of a step that the next one overlaps, because the engine prepares it ahead, the
time to the next counts (duration_ns). Device figures are of the work launched in the step, whenever it
runs. A time window contains the steps that run in it on the host, with all their work.
"""
grain = ["trace_id", "step_id", "device_id"]
requires = { schema = ">=1", queries = ["step_activity@1", "step_batch@1", "whole_device_op@1"] }
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
2 = "the next step is that of the process, whatever the devices of its work; a time window hides no steps before"
1 = "first version"
--- */
WITH follower AS (
  SELECT
    b.step_id,
    lead(s.ts) OVER (PARTITION BY s.trace_id, k.process_id ORDER BY s.ts, s.slice_id) - s.ts AS period_ns
  FROM step_batch() AS b
  JOIN whole_step AS s ON s.slice_id = b.step_id
  LEFT JOIN track AS k ON k.id = s.track_id
),
-- When the work of a step, and of all steps before it, has ended on a device, also outside of the time window.
worked AS (
  SELECT k.from_id AS step_id, d.device_id, max(d.end_ns) AS end_ns
  FROM whole_device_op() AS d
  JOIN whole_link AS k ON k.to_id = d.slice_id AND k.kind = 'step' AND k.link_set = 'default'
  SEMI JOIN step_batch() AS b ON b.step_id = k.from_id
  GROUP BY k.from_id, d.device_id
),
reached AS (
  SELECT
    w.step_id,
    w.device_id,
    max(w.end_ns) OVER (
      PARTITION BY s.trace_id, w.device_id ORDER BY s.ts, s.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS before_ns
  FROM worked AS w
  JOIN whole_step AS s ON s.slice_id = w.step_id
),
timed AS (
  SELECT
    b.*,
    s.number AS step,
    a.device_id,
    d.ordinal AS device,
    s.ts AS start_ns,
    greatest(s.dur, 0) AS host_ns,
    greatest(s.ts + greatest(s.dur, 0), coalesce(a.end_ns, s.ts)) - s.ts AS latency_ns,
    f.period_ns,
    a.start_ns - r.before_ns AS after_ns,
    a.busy_ns,
    a.end_ns - a.start_ns - a.busy_ns AS idle_ns
  FROM step_batch() AS b
  JOIN whole_step AS s ON s.slice_id = b.step_id
  JOIN follower AS f ON f.step_id = b.step_id
  LEFT JOIN step_activity() AS a ON a.step_id = b.step_id
  LEFT JOIN reached AS r
    ON r.step_id = a.step_id AND r.device_id IS NOT DISTINCT FROM a.device_id
  LEFT JOIN device AS d ON d.id = a.device_id
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
