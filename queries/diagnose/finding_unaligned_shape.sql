/* ---
name = "finding_unaligned_shape"
version = 2
title = "Finding: products whose shapes do not suit tensor cores"
help = """
Products of matrices in 16 or 8 bits, or in TF32, of which a dimension is no multiple of 16 bytes (8 elements
of 16 bits, 4 of TF32, 16 of 8 bits): device time beyond that at the peak rates of the device with dimensions
rounded up, by operator and shapes, the five with most; the mean over the traces of the run with device work. Products with a
dimension below 16 bytes are left out: memory limits them.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["device_peak@1", "op_work_kind@1", "shape_model@2"] }
scale = "run"
needs = "products in TF32, 16 or 8 bits with recorded shapes (record_shapes=True), and a device whose rates are known or in tw.toml"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'unaligned_shape'"
subject.help = "Operator and input shapes"
n_events.help = "Number of calls"
bound_ns.help = "Device time beyond that at the peak rates with dimensions rounded up"

[changes]
2 = "the mean is over all traces of the run with device work"
1 = "first version"
--- */
WITH product AS (
  SELECT
    o.*,
    m.layout,
    CASE
      WHEN o.data_type = 'tfloat32' THEN 4
      WHEN o.data_type IN ('float16', 'bfloat16') THEN 8
      WHEN o.data_type IN ('float8', 'int8') THEN 16
    END AS multiple,
    o.dims[m.first_input] AS a,
    o.dims[m.first_input + 1] AS b
  FROM (
    SELECT *, TRY(json_transform(input_dims, '[["DOUBLE"]]')) AS dims
    FROM op_work_kind()
    WHERE model = 'matmul' AND compute_ns > 0
  ) AS o
  JOIN shape_model() AS m ON m.name = o.name
),
sized AS (
  SELECT
    *,
    CASE WHEN layout = 'transposed' THEN list_product(a) / a[-1] ELSE a[-2] END AS m,
    a[-1] AS k,
    CASE WHEN layout = 'transposed' THEN b[-2] ELSE b[-1] END AS n
  FROM product
  WHERE multiple IS NOT NULL AND len(a) >= 2 AND len(b) >= 2
),
unaligned AS (
  SELECT
    t.run_id,
    s.trace_id,
    s.name,
    s.input_dims,
    s.n_calls,
    s.compute_ns,
    s.n_calls * 1e9 * greatest(
      s.flops / coalesce(p.flops_per_s, d.peak_flops_per_s)
        * (ceil(s.m / s.multiple) * ceil(s.k / s.multiple) * ceil(s.n / s.multiple) * s.multiple ** 3)
        / (s.m * s.k * s.n),
      coalesce(s.bytes / coalesce(p.bytes_per_s, d.peak_bytes_per_s), 0)
    ) AS least_ns
  FROM sized AS s
  JOIN trace AS t ON t.id = s.trace_id
  JOIN device AS d ON d.id = s.device_id
  LEFT JOIN device_peak() AS p ON p.device_id = s.device_id AND p.data_type = s.data_type
  WHERE least(s.m, s.k, s.n) >= s.multiple
    AND (s.m % s.multiple <> 0 OR s.k % s.multiple <> 0 OR s.n % s.multiple <> 0)
),
-- Traces without such work count, too: they have nothing to gain.
of_run AS (
  SELECT t.run_id, count(*) AS n_traces
  FROM trace AS t
  WHERE t.id IN (SELECT trace_id FROM whole_gpu_op)
  GROUP BY t.run_id
)
SELECT
  u.run_id,
  'unaligned_shape' AS finding,
  u.name || ' ' || u.input_dims AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  sum(u.n_calls)::BIGINT AS n_events,
  round(sum(u.compute_ns - u.least_ns) / any_value(r.n_traces))::BIGINT AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'roofline' AS evidence,
  'Products have dimensions that are no multiple of 16 bytes, which tensor cores need to be fast' AS sentence,
  'Pad sizes (vocabulary, heads, features, batches) to multiples of 8 elements in 16 bits, of 16 in 8 bits' AS remedy
FROM unaligned AS u
JOIN of_run AS r ON r.run_id = u.run_id
WHERE u.least_ns > 0
GROUP BY u.run_id, u.name, u.input_dims
HAVING sum(u.compute_ns) > sum(u.least_ns)
QUALIFY row_number() OVER (
  PARTITION BY u.run_id ORDER BY sum(u.compute_ns - u.least_ns) DESC, u.name, u.input_dims
) <= 5
ORDER BY u.run_id, bound_ns DESC, subject
