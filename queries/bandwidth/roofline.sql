/* ---
name = "roofline"
version = 4
title = "Roofline of operators: operations, bytes, achieved and attainable rates"
help = """
One row per operator name and input shapes, for operators with a formula in op_work. Their time is
the sum of the durations of the device work launched inside them; an operator that launched none ran
on the host and has the duration of its call. Device work replayed by a CUDA graph belongs to no
operator. Peaks are the parameters, else the values recorded for the device, else NULL; figures that
depend on an unknown peak are NULL. roof_share is the achieved rate divided by the lesser of
peak_flops_per_s and intensity * peak_bytes_per_s; above 1 the peak is too low or caches saved
traffic. A time window contains the operators that run in it, with all their device work.
"""
grain = ["trace_id", "device_id", "name", "input_dims", "input_types"]
requires = { schema = ">=1", queries = ["op_work@4"] }
portable = false
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "name", "model", "input_dims", "input_types",
  "n_calls", "n_device_ops", "busy_ns", "flops", "bytes", "intensity", "flops_per_s", "bytes_per_s",
  "peak_flops_per_s", "peak_bytes_per_s", "bound", "flops_share", "bytes_share", "roof_share",
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
4 = "bytes by the formulas of shape_work@3"
1 = "first version"
2 = "more operators have a formula; elementwise operators have operations"
3 = "same rows, with the formulas of shape_work@2"
--- */
WITH worked AS (
  SELECT * FROM op_work()
),
-- The operator during which the launching call begins, on the call's thread.
device_part AS (
  SELECT
    w.slice_id,
    c.device_id,
    count(*) AS n_device_ops,
    sum(c.dur) AS busy_ns
  FROM (
    SELECT l.track_id, l.ts, g.device_id, greatest(g.dur, 0) AS dur
    FROM whole_gpu_op AS g
    JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
    JOIN whole_launch AS l ON l.slice_id = k.from_id
    WHERE g.kind <> 'sync' AND g.trace_id IN (SELECT trace_id FROM worked)
  ) AS c
  ASOF JOIN worked AS w ON w.track_id = c.track_id AND w.ts <= c.ts
  WHERE c.ts < w.ts + w.dur
  GROUP BY w.slice_id, c.device_id
),
counted AS (
  SELECT
    w.trace_id,
    p.device_id,
    w.name,
    w.model,
    w.input_dims,
    w.input_types,
    count(*) AS n_calls,
    coalesce(sum(p.n_device_ops), 0)::BIGINT AS n_device_ops,
    sum(coalesce(p.busy_ns, w.dur))::BIGINT AS busy_ns,
    TRY_CAST(sum(w.flops) AS BIGINT) AS flops,
    TRY_CAST(sum(w.bytes) AS BIGINT) AS bytes
  FROM worked AS w
  LEFT JOIN device_part AS p ON p.slice_id = w.slice_id
  GROUP BY w.trace_id, p.device_id, w.name, w.model, w.input_dims, w.input_types
),
rated AS (
  SELECT
    c.*,
    d.ordinal AS device,
    c.flops / nullif(c.bytes, 0) AS intensity,
    c.flops * 1e9 / nullif(c.busy_ns, 0) AS flops_per_s,
    c.bytes * 1e9 / nullif(c.busy_ns, 0) AS bytes_per_s,
    coalesce($peak_flops_per_s::DOUBLE, d.peak_flops_per_s) AS peak_flops_per_s,
    coalesce($peak_bytes_per_s::DOUBLE, d.peak_bytes_per_s) AS peak_bytes_per_s
  FROM counted AS c
  LEFT JOIN device AS d ON d.id = c.device_id
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
  END AS roof_share
FROM rated AS r
JOIN trace AS t ON t.id = r.trace_id
ORDER BY
  t.run_id, t.rank, r.trace_id, r.device, r.device_id, r.busy_ns DESC, r.name, r.input_dims,
  r.input_types
