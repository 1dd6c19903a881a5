/* ---
name = "prefill_decode"
version = 2
title = "Tokens per second and time per output token, by phase of inference"
help = """
Sums the steps of inference_step. Steps that do both, prefill and decode, are mixed: what of their time
belongs to which is not known, so they have no time per output token. A request gets n_decode_tokens /
n_requests tokens in a decode step, one without speculation. A time window contains the steps that run
in it on the host.
"""
grain = ["trace_id", "device_id", "phase"]
requires = { schema = ">=1", queries = ["inference_activity@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "phase", "n_steps", "n_tokens",
  "mean_requests", "total_ns", "tokens_per_s", "median_ns", "p90_ns", "output_token_median_ns",
  "output_token_p90_ns", "gap_median_ns", "busy_share",
]

[column]
device_id.help = "Device; NULL: the steps launched no work, or its device is not recorded"
phase = { type = "VARCHAR", unit = "text", check = "IN ('prefill', 'decode', 'mixed')", help = "prefill, decode or mixed" }
n_steps = { type = "BIGINT", unit = "count", check = "> 0", help = "Steps of the phase" }
n_tokens.help = "Tokens that they compute"
mean_requests = { type = "DOUBLE", unit = "count", nullable = true, check = ">= 0", help = "Mean number of requests in a step" }
total_ns.help = "Sum of their durations (inference_step)"
tokens_per_s.help = "n_tokens / total_ns, per second"
median_ns.help = "Median duration of a step"
p90_ns.help = "90th percentile of the durations, interpolated"
output_token_median_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Median time per output token of a request; NULL: not a decode step" }
output_token_p90_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "90th percentile of it, interpolated" }
gap_median_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Median of the time in which the device waits for the first work of a step" }
busy_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Device time of the steps / total_ns; above 1 where work of several steps runs at once" }

[changes]
2 = "a step that launches no work on a device is the next step of one that does; a time window hides no steps before"
1 = "first version"
--- */
WITH per_token AS (
  SELECT
    *,
    CASE WHEN phase = 'decode' THEN duration_ns * n_requests / nullif(n_decode_tokens, 0) END
      AS output_token_ns
  FROM inference_activity()
)
SELECT
  run_id,
  trace_id,
  rank,
  device_id,
  any_value(device) AS device,
  phase,
  count(*) AS n_steps,
  sum(n_tokens)::BIGINT AS n_tokens,
  avg(n_requests) AS mean_requests,
  sum(duration_ns)::BIGINT AS total_ns,
  sum(n_tokens) * 1e9 / nullif(sum(duration_ns), 0) AS tokens_per_s,
  quantile_cont(duration_ns, 0.5) AS median_ns,
  quantile_cont(duration_ns, 0.9) AS p90_ns,
  quantile_cont(output_token_ns, 0.5) AS output_token_median_ns,
  quantile_cont(output_token_ns, 0.9) AS output_token_p90_ns,
  quantile_cont(gap_ns, 0.5) AS gap_median_ns,
  sum(busy_ns) / nullif(sum(duration_ns), 0) AS busy_share
FROM per_token
GROUP BY run_id, trace_id, rank, device_id, phase
ORDER BY run_id, rank, trace_id, device_id, phase
