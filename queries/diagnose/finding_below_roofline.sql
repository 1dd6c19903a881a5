/* ---
name = "finding_below_roofline"
version = 2
title = "Finding: operators far below the rates of their device"
help = """
Operators whose device work takes more than twice as long as the device needs at its peak rates
(roofline), the five with most to gain of each run; the mean over its traces with device work. Counts
only operators with operations or bytes in op_work, on devices with known rates.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["device_peak@1", "op_work_kind@1"] }
scale = "run"
needs = "operators with recorded shapes (record_shapes=True), and a device whose rates are known or in tw.toml"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'below_roofline'"
subject.help = "Operator with its input shapes"
n_events.help = "Number of calls"
bound_ns.help = "Device time beyond that at the peak rates, added up over all ranks by their number"

[changes]
2 = "the mean is over all traces of the run with device work"
1 = "first version"
--- */
WITH rated AS (
  SELECT
    t.run_id,
    o.trace_id,
    o.name,
    o.input_dims,
    o.n_calls,
    o.compute_ns,
    greatest(
      coalesce(o.flops / coalesce(p.flops_per_s, d.peak_flops_per_s), 0),
      coalesce(o.bytes / coalesce(b.bytes_per_s, d.peak_bytes_per_s), 0)
    ) * 1e9 * o.n_calls AS least_ns
  FROM op_work_kind() AS o
  JOIN trace AS t ON t.id = o.trace_id
  JOIN device AS d ON d.id = o.device_id
  LEFT JOIN device_peak() AS p ON p.device_id = o.device_id AND p.data_type = o.data_type
  LEFT JOIN (
    SELECT device_id, any_value(bytes_per_s) AS bytes_per_s FROM device_peak() GROUP BY device_id
  ) AS b ON b.device_id = o.device_id
  WHERE o.compute_ns > 0
),
-- Traces without such work count, too: they have nothing to gain.
of_run AS (
  SELECT t.run_id, count(*) AS n_traces
  FROM trace AS t
  WHERE t.id IN (SELECT trace_id FROM whole_gpu_op)
  GROUP BY t.run_id
)
SELECT
  r.run_id,
  'below_roofline' AS finding,
  r.name || ' ' || r.input_dims AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  sum(r.n_calls)::BIGINT AS n_events,
  round(sum(r.compute_ns - r.least_ns) / any_value(n.n_traces))::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'roofline' AS evidence,
  'Device work takes more than twice as long as at the peak rates of the device' AS sentence,
  'Use larger shapes, a lower precision, layouts that suit tensor cores, or a fused kernel' AS remedy
FROM rated AS r
JOIN of_run AS n ON n.run_id = r.run_id
WHERE r.least_ns > 0
GROUP BY r.run_id, r.name, r.input_dims
HAVING sum(r.compute_ns) > 2 * sum(r.least_ns)
QUALIFY row_number() OVER (
  PARTITION BY r.run_id ORDER BY sum(r.compute_ns - r.least_ns) DESC, r.name, r.input_dims
) <= 5
ORDER BY r.run_id, bound_ns DESC, subject
