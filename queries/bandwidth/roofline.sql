/* ---
name = "roofline"
version = 3
title = "Operators on the roofline: operations, bytes, what was achieved and what the device allows"
help = """
Operators of equal name and shapes in one row, as far as op_work has a formula for them. Their time
is that of the device work launched inside them (the sum of its durations); an operator that launched
none, on the host, has the time of its own call. Device work that a CUDA graph replays belongs to no
operator. Peaks are the parameters, else what the source says of the device, else NULL, and
then so is all that rests on them. roof_share is what was achieved of the least of peak_flops_per_s and
intensity * peak_bytes_per_s; above 1 the peak is too low, or caches saved bytes.
"""
grain = ["trace_id", "device_id", "name", "input_dims", "input_types"]
requires = { schema = ">=1", queries = ["op_work@3"] }
portable = false

[param.peak_flops_per_s]
type = "DOUBLE"
unit = "1/s"
nullable = true
min = 1
help = "Peak rate of operations, in place of what is known of the device"

[param.peak_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
min = 1
help = "Peak memory bandwidth, in place of what is known of the device"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "Where its work ran; NULL: on the host, or not said"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts; NULL: on the host"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The operator"

[[column]]
name = "model"
type = "VARCHAR"
unit = "text"
help = "Which formula of op_work"

[[column]]
name = "input_dims"
type = "VARCHAR"
unit = "json"
help = "Shapes of the inputs"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of the inputs"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Kernels, copies and memsets these launched"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of these; of the calls, where they launched none"

[[column]]
name = "flops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Floating-point operations of all calls; NULL: the formula counts none"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Least that all calls must move; NULL: a type is not known"

[[column]]
name = "intensity"
type = "DOUBLE"
unit = "1/byte"
nullable = true
help = "flops / bytes"

[[column]]
name = "flops_per_s"
type = "DOUBLE"
unit = "1/s"
nullable = true
help = "flops / busy_ns; NULL when that is 0"

[[column]]
name = "bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "bytes / busy_ns; NULL when that is 0"

[[column]]
name = "peak_flops_per_s"
type = "DOUBLE"
unit = "1/s"
nullable = true
help = "Peak rate of operations; NULL: not known"

[[column]]
name = "peak_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "Peak memory bandwidth; NULL: not known"

[[column]]
name = "bound"
type = "VARCHAR"
unit = "text"
nullable = true
help = "compute or memory: which peak limits it; NULL: a peak is not known"

[[column]]
name = "flops_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "flops_per_s / peak_flops_per_s"

[[column]]
name = "bytes_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "bytes_per_s / peak_bytes_per_s"

[[column]]
name = "roof_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "What was achieved of what intensity and peaks allow"

[changes]
1 = "first version"
2 = "more operators have a formula; elementwise ones have operations, too"
3 = "the same rows, by the formulas of shape_work@2"
--- */
WITH worked AS (
  SELECT * FROM op_work()
),
-- The operator in whose time the launching call begins, on the call's thread.
device_part AS (
  SELECT
    w.slice_id,
    c.device_id,
    count(*) AS n_device_ops,
    sum(c.dur) AS busy_ns
  FROM (
    SELECT l.track_id, l.ts, g.device_id, greatest(g.dur, 0) AS dur
    FROM gpu_op AS g
    JOIN gpu_op_cause AS k ON k.slice_id = g.slice_id
    JOIN launch AS l ON l.slice_id = k.launch_id
    WHERE g.trace_id IN (SELECT trace_id FROM worked)
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
