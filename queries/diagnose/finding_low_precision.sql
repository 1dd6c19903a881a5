/* ---
name = "finding_low_precision"
version = 2
title = "Finding: products in float32 where half the bits would be faster"
help = """
Device time of products, convolutions and attention in float32 beyond what it would be at the peak rate of
the device in bfloat16, by operator: the mean over the traces of the run with device work. Where memory limits the operator, less is gained.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["device_peak@1", "op_work_kind@1"] }
scale = "run"
needs = "products in float32 with recorded shapes (record_shapes=True), and a device whose rates are known or in tw.toml"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'low_precision'"
subject.help = "Operator"
n_events.help = "Number of calls"
bound_ns.help = "Device time beyond that at the rate of bfloat16"

[changes]
2 = "the mean is over all traces of the run with device work"
1 = "first version"
--- */
WITH slow AS (
  SELECT
    t.run_id,
    o.trace_id,
    o.name,
    o.n_calls,
    o.compute_ns * (1 - w.flops_per_s / h.flops_per_s) AS more_ns
  FROM op_work_kind() AS o
  JOIN trace AS t ON t.id = o.trace_id
  JOIN device_peak() AS w ON w.device_id = o.device_id AND w.data_type = 'float32'
  JOIN device_peak() AS h ON h.device_id = o.device_id AND h.data_type = 'bfloat16'
  WHERE o.data_type = 'float32'
    AND o.compute_ns > 0
    AND h.flops_per_s > w.flops_per_s
    AND regexp_matches(o.model, 'matmul|convolution|attention')
),
-- Traces without such work count, too: they have nothing to gain.
of_run AS (
  SELECT t.run_id, count(*) AS n_traces
  FROM trace AS t
  WHERE t.id IN (SELECT trace_id FROM whole_gpu_op)
  GROUP BY t.run_id
)
SELECT
  s.run_id,
  'low_precision' AS finding,
  s.name AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  sum(s.n_calls)::BIGINT AS n_events,
  round(sum(s.more_ns) / any_value(r.n_traces))::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'roofline' AS evidence,
  'Products in float32, for which the device has faster units' AS sentence,
  'Use torch.autocast with bfloat16, or torch.set_float32_matmul_precision("high") for TF32' AS remedy
FROM slow AS s
JOIN of_run AS r ON r.run_id = s.run_id
GROUP BY s.run_id, s.name
ORDER BY s.run_id, bound_ns DESC, subject
