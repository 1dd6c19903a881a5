/* ---
name = "tpu_roofline"
version = 1
title = "Roofline of TPU kernels: operations per byte, achieved and attainable rates"
help = """
Covers the engines of cores, without CDMA. A launch is one scope of the kernel on one core; its
elapsed time is from the first start to the last end there. The bounds of a kernel are its
operations at the peak of the units that execute them, and its bytes at the DDR peak of one core;
roof_share is the bound time divided by the elapsed time. It exceeds 1 if the capture reports more
than the chip's peak. Commands outside kernels are in the row without a name, as one launch per
core. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "kernel_name"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "kernel_name", "n_launches", "n_cores", "elapsed_ns", "alg_ops",
  "ddr_bytes", "intensity", "ops_per_s", "ddr_bytes_per_s", "peak_ops_per_s",
  "peak_ddr_bytes_per_s", "ridge", "roof_ops_per_s", "bound", "least_ns", "roof_share",
]

[column]
kernel_name.help = "Kernel; NULL: commands outside kernels"
n_launches = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of launches" }
n_cores.help = "Number of cores it ran on"
elapsed_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the elapsed times of the launches" }
alg_ops.help = "Operations required by the algorithm; NULL: unknown shapes of some commands"
ddr_bytes.help = "Bytes read from and written to DDR by transfers that record it, else those the chip counts for DDR"
ddr_bytes_per_s.help = "ddr_bytes / elapsed_ns of one core, while it ran the kernel"
bound.help = "Limiting peak: compute or ddr; NULL: unknown"

[column.intensity]
type = "DOUBLE"
unit = "count/byte"
nullable = true
check = ">= 0"
help = "alg_ops / ddr_bytes; NULL: unknown, or no bytes"

[column.ops_per_s]
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "alg_ops / elapsed_ns of one core, while it ran the kernel"

[column.peak_ops_per_s]
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "Peak of one core for these operations, each on the units that execute it"

[column.peak_ddr_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "DDR peak of one core"

[column.ridge]
type = "DOUBLE"
unit = "count/byte"
nullable = true
check = ">= 0"
help = "peak_ops_per_s / peak_ddr_bytes_per_s: below this intensity DDR is the limit"

[column.roof_ops_per_s]
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "Maximum rate that both peaks allow at this intensity"

[column.least_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Bound time at the limiting peak, for comparison with elapsed_ns"

[column.roof_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "least_ns / elapsed_ns, which equals ops_per_s / roof_ops_per_s"

[changes]
1 = "first version"
--- */
WITH chip AS (
  SELECT
    trace_id,
    nullif((properties_json::JSON ->> '$."DDR Max BW(GB/s/Core)"')::DOUBLE, 0) * 1e9 AS ddr_bytes_per_s,
    (properties_json::JSON ->> '$."TIU Frequency(MHz)"')::DOUBLE * 1e6 AS tiu_hz
  FROM device
  WHERE kind = 'tpu'
),
joined AS (
  SELECT
    *,
    greatest(dur, 0) AS work_ns,
    -- If only counters were captured, a command counts as the work of its engine.
    coalesce(kind, CASE engine WHEN 'TIU' THEN 'compute' ELSE 'transfer' END) AS work_kind,
    CASE WHEN source_memory = 'DDR' THEN bytes ELSE 0 END AS ddr_read_bytes,
    CASE WHEN destination_memory = 'DDR' THEN bytes ELSE 0 END AS ddr_write_bytes
  FROM tpu_command
  WHERE engine <> 'CDMA'
),
launch AS (
  SELECT
    trace_id,
    kernel_name,
    core,
    max(ts + work_ns) - min(ts) AS elapsed_ns,
    -- For a transfer of unknown direction, the bytes the chip counts for DDR.
    coalesce(
      sum(CASE WHEN direction IS NULL THEN ddr_bytes ELSE ddr_read_bytes + ddr_write_bytes END), 0
    ) AS ddr_bytes,
    sum(CASE WHEN work_kind = 'compute' THEN alg_ops ELSE 0 END) AS alg_ops,
    sum(CASE WHEN work_kind = 'compute' THEN alg_cycles ELSE 0 END) AS alg_cycles,
    max(CASE WHEN work_kind = 'compute' AND alg_ops IS NULL THEN 1 ELSE 0 END) AS n_unknown
  FROM joined
  GROUP BY trace_id, kernel_name, core, CASE WHEN kernel_name IS NOT NULL THEN kernel_scope END
),
summed AS (
  SELECT
    trace_id,
    kernel_name,
    count(*) AS n_launches,
    count(DISTINCT core) AS n_cores,
    sum(elapsed_ns)::BIGINT AS elapsed_ns,
    sum(ddr_bytes)::BIGINT AS ddr_bytes,
    CASE WHEN max(n_unknown) = 0 THEN sum(alg_ops) END::BIGINT AS alg_ops,
    CASE WHEN max(n_unknown) = 0 THEN sum(alg_cycles) END AS alg_cycles
  FROM launch
  GROUP BY trace_id, kernel_name
),
limited AS (
  SELECT
    s.*,
    k.ddr_bytes_per_s AS peak_ddr_bytes_per_s,
    s.alg_cycles * 1e9 / k.tiu_hz AS compute_ns,
    s.ddr_bytes * 1e9 / k.ddr_bytes_per_s AS ddr_ns
  FROM summed AS s
  LEFT JOIN chip AS k ON k.trace_id = s.trace_id
),
bounded AS (
  SELECT
    *,
    alg_ops * 1e9 / nullif(compute_ns, 0) AS peak_ops_per_s,
    CASE WHEN compute_ns IS NOT NULL AND ddr_ns IS NOT NULL THEN greatest(compute_ns, ddr_ns) END AS least_ns
  FROM limited
)
SELECT
  t.run_id,
  b.trace_id,
  t.rank,
  b.kernel_name,
  b.n_launches,
  b.n_cores,
  b.elapsed_ns,
  b.alg_ops,
  b.ddr_bytes,
  b.alg_ops / nullif(b.ddr_bytes, 0) AS intensity,
  b.alg_ops * 1e9 / nullif(b.elapsed_ns, 0) AS ops_per_s,
  b.ddr_bytes * 1e9 / nullif(b.elapsed_ns, 0) AS ddr_bytes_per_s,
  b.peak_ops_per_s,
  b.peak_ddr_bytes_per_s,
  b.peak_ops_per_s / b.peak_ddr_bytes_per_s AS ridge,
  b.alg_ops * 1e9 / nullif(b.least_ns, 0) AS roof_ops_per_s,
  CASE WHEN b.least_ns > 0 THEN CASE WHEN b.compute_ns >= b.ddr_ns THEN 'compute' ELSE 'ddr' END END AS bound,
  b.least_ns,
  b.least_ns / nullif(b.elapsed_ns, 0) AS roof_share
FROM bounded AS b
JOIN trace AS t ON t.id = b.trace_id
ORDER BY t.run_id, t.rank, b.trace_id, b.elapsed_ns DESC, b.kernel_name
