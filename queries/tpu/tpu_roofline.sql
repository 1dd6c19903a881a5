/* ---
name = "tpu_roofline"
version = 1
title = "TPU kernels under the roofline: operations per byte, what they reached and what they could"
help = """
Of the engines of cores, without CDMA. A launch is one scope of the kernel on one core, its elapsed time
from the first start to the last end there. A kernel can be no faster than its operations at the peak of
the units that do them, nor than its bytes at the peak of DDR for one core: roof_share says how near it
came. It passes 1 where the capture claims more than the chip's peak. Commands outside of kernels are the
row without a name, and one launch a core.
"""
grain = ["trace_id", "kernel_name"]
requires = { schema = ">=9" }

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
name = "kernel_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Kernel; NULL: commands outside of kernels"

[[column]]
name = "n_launches"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Launches"

[[column]]
name = "n_cores"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Cores it ran on"

[[column]]
name = "elapsed_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum over launches"

[[column]]
name = "alg_ops"
type = "BIGINT"
unit = "count"
nullable = true
check = ">= 0"
help = "Operations the algorithm needs; NULL: shapes of some commands are not known"

[[column]]
name = "ddr_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Read from and written to DDR by transfers that say so; where they do not, what the chip counts as DDR's"

[[column]]
name = "intensity"
type = "DOUBLE"
unit = "count/byte"
nullable = true
check = ">= 0"
help = "alg_ops / ddr_bytes; NULL: not known, or no bytes"

[[column]]
name = "ops_per_s"
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "alg_ops / elapsed_ns: of one core, while it ran the kernel"

[[column]]
name = "ddr_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "ddr_bytes / elapsed_ns: likewise"

[[column]]
name = "peak_ops_per_s"
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "Peak of one core for these operations, each on the units that do it"

[[column]]
name = "peak_ddr_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "Peak of DDR for one core"

[[column]]
name = "ridge"
type = "DOUBLE"
unit = "count/byte"
nullable = true
check = ">= 0"
help = "peak_ops_per_s / peak_ddr_bytes_per_s: with less intensity DDR is the limit"

[[column]]
name = "roof_ops_per_s"
type = "DOUBLE"
unit = "count/s"
nullable = true
check = ">= 0"
help = "The most that both peaks allow at this intensity"

[[column]]
name = "bound"
type = "VARCHAR"
unit = "text"
nullable = true
help = "compute or ddr: which peak is the limit; NULL: not known"

[[column]]
name = "least_ns"
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time at that limit; of elapsed_ns"

[[column]]
name = "roof_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "least_ns / elapsed_ns, which is ops_per_s / roof_ops_per_s"

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
    -- Where nothing but counters was captured, a command is the work of its engine.
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
    -- Of a transfer whose way is not known, what the chip counts as DDR's.
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
