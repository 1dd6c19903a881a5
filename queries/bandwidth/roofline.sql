/* ---
name = "roofline"
version = 5
title = "Roofline of operators: operations, bytes, achieved and attainable rates"
help = """
One row per operator name, input shapes and data type, for operators with a formula in op_work. Their
time is the sum of the durations of the device work launched inside them; an operator that launched
none ran on the host and has the duration of its call. Device work replayed by a CUDA graph belongs to
no operator. Peaks are the parameters, else the values recorded for the device, else those of its model
for the data type (device_peak), else NULL; figures that depend on an unknown peak are NULL, and
peak_source says what to do. roof_share is the achieved rate divided by the lesser of peak_flops_per_s
and intensity * peak_bytes_per_s; above 1 the peak is too low or caches saved traffic. coverage is the
share of the compute time of the device that the rows with operations explain. A time window contains
the operators that run in it, with all their device work.
"""
grain = ["trace_id", "device_id", "name", "input_dims", "input_types", "data_type"]
requires = { schema = ">=1", queries = ["device_peak@1", "op_work_kind@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "name", "model", "input_dims", "input_types",
  "data_type", "n_calls", "n_device_ops", "busy_ns", "flops", "bytes", "intensity", "flops_per_s",
  "bytes_per_s", "peak_flops_per_s", "peak_bytes_per_s", "peak_source", "bound", "flops_share",
  "bytes_share", "roof_share", "coverage",
]

[param.peak_flops_per_s]
type = "DOUBLE"
unit = "1/s"
nullable = true
min = 1
help = "Peak operations per second; overrides the value recorded for the device"

[param.peak_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
min = 1
help = "Peak memory bandwidth; overrides the value recorded for the device"

[column]
data_type.help = "Type computed with: float64, float32, tfloat32, float16, bfloat16, float8, int8; NULL: another"
device_id.help = "Device; NULL: on the host, or not recorded"
device.help = "Device number, as recorded; NULL: on the host"
name = { nullable = false, help = "Operator name" }
model.help = "Formula in op_work"
n_calls.help = "Number of calls"
n_device_ops.help = "Number of kernels, copies and memsets launched"
busy_ns.help = "Sum of the durations of the device work, or of the calls if they launched none"
flops.help = "Floating-point operations of all calls; NULL: the formula counts none"
flops_per_s = { type = "DOUBLE", unit = "1/s", nullable = true, help = "flops / busy_ns; NULL if busy_ns is 0" }
bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "bytes / busy_ns; NULL if busy_ns is 0" }
peak_bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "Peak memory bandwidth; NULL: unknown" }
bound.help = "Limiting peak: compute or memory; NULL: a peak is unknown"
flops_share = { type = "DOUBLE", unit = "ratio", nullable = true, help = "flops_per_s / peak_flops_per_s" }
bytes_share = { type = "DOUBLE", unit = "ratio", nullable = true, help = "bytes_per_s / peak_bytes_per_s" }

[column.peak_source]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Origin of the peaks, or how to add them where they are unknown; NULL: on the host"

[column.coverage]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Share of the time of compute kernels of the device that belongs to rows with operations; NULL: none, or on the host"

[column.bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Minimum traffic of all calls; NULL: unknown type"

[column.peak_flops_per_s]
type = "DOUBLE"
unit = "1/s"
nullable = true
help = "Peak operations per second; NULL: unknown"

[changes]
5 = "peaks of known devices by data type; new columns data_type, peak_source and coverage; rows by data type"
4 = "bytes by the formulas of shape_work@3"
1 = "first version"
2 = "more operators have a formula; elementwise operators have operations"
3 = "same rows, with the formulas of shape_work@2"
--- */
WITH counted AS (
  SELECT
    trace_id,
    device_id,
    name,
    model,
    input_dims,
    input_types,
    data_type,
    sum(n_calls)::BIGINT AS n_calls,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(busy_ns)::BIGINT AS busy_ns,
    sum(compute_ns)::BIGINT AS compute_ns,
    TRY_CAST(sum(flops::HUGEINT * n_calls) AS BIGINT) AS flops,
    TRY_CAST(sum(bytes::HUGEINT * n_calls) AS BIGINT) AS bytes
  FROM op_work_kind()
  GROUP BY trace_id, device_id, name, model, input_dims, input_types, data_type
),
compute AS (
  SELECT g.device_id, sum(greatest(g.dur, 0)) AS compute_ns
  FROM gpu_op AS g
  WHERE g.kind = 'kernel' AND g.class = 'compute'
  GROUP BY g.device_id
),
rated AS (
  SELECT
    c.*,
    d.ordinal AS device,
    c.flops / nullif(c.bytes, 0) AS intensity,
    c.flops * 1e9 / nullif(c.busy_ns, 0) AS flops_per_s,
    c.bytes * 1e9 / nullif(c.busy_ns, 0) AS bytes_per_s,
    coalesce($peak_flops_per_s::DOUBLE, d.peak_flops_per_s, p.flops_per_s) AS peak_flops_per_s,
    coalesce($peak_bytes_per_s::DOUBLE, d.peak_bytes_per_s, b.bytes_per_s) AS peak_bytes_per_s,
    CASE
      WHEN c.device_id IS NULL THEN NULL
      WHEN coalesce($peak_flops_per_s::DOUBLE, $peak_bytes_per_s::DOUBLE) IS NOT NULL
      THEN 'parameters'
      WHEN coalesce(d.peak_flops_per_s, p.flops_per_s, d.peak_bytes_per_s, b.bytes_per_s) IS NULL
      THEN 'unknown: add [device."' || coalesce(d.name, '') || '"] with bytes_per_s and '
        || coalesce(c.data_type, 'float32') || ' to tw.toml, or pass peak_flops_per_s and peak_bytes_per_s'
      ELSE coalesce(p.source, b.source)
    END AS peak_source,
    sum(CASE WHEN c.flops IS NOT NULL THEN c.compute_ns END)
      OVER (PARTITION BY c.trace_id, c.device_id) / nullif(k.compute_ns, 0) AS coverage
  FROM counted AS c
  LEFT JOIN device AS d ON d.id = c.device_id
  LEFT JOIN device_peak() AS p ON p.device_id = c.device_id AND p.data_type = c.data_type
  LEFT JOIN (
    SELECT device_id, any_value(bytes_per_s) AS bytes_per_s, any_value(source) AS source
    FROM device_peak()
    GROUP BY device_id
  ) AS b ON b.device_id = c.device_id
  LEFT JOIN compute AS k ON k.device_id = c.device_id
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.device_id,
  r.device,
  r.name,
  r.model,
  r.input_dims,
  r.input_types,
  r.data_type,
  r.n_calls,
  r.n_device_ops,
  r.busy_ns,
  r.flops,
  r.bytes,
  r.intensity,
  r.flops_per_s,
  r.bytes_per_s,
  r.peak_flops_per_s,
  r.peak_bytes_per_s,
  r.peak_source,
  CASE
    WHEN r.peak_flops_per_s IS NULL OR r.peak_bytes_per_s IS NULL OR r.bytes IS NULL THEN NULL
    WHEN coalesce(r.intensity, 0) * r.peak_bytes_per_s >= r.peak_flops_per_s THEN 'compute'
    ELSE 'memory'
  END AS bound,
  r.flops_per_s / r.peak_flops_per_s AS flops_share,
  r.bytes_per_s / r.peak_bytes_per_s AS bytes_share,
  CASE
    WHEN coalesce(r.flops, 0) = 0 THEN r.bytes_per_s / r.peak_bytes_per_s
    ELSE r.flops_per_s / nullif(least(r.peak_flops_per_s, r.intensity * r.peak_bytes_per_s), 0)
  END AS roof_share,
  r.coverage
FROM rated AS r
JOIN trace AS t ON t.id = r.trace_id
ORDER BY
  t.run_id, t.rank, r.trace_id, r.device, r.device_id, r.busy_ns DESC, r.name, r.input_dims,
  r.input_types, r.data_type
