/* ---
name = "device_peak"
version = 1
title = "Peak rates of devices by data type, memory bandwidth and links"
help = """
One row per device and data type that it has a rate for; a device whose model is unknown has one row
without data type. Rates are those that vendors publish for dense matrices, without sparsity:
float64 and float32 the highest of vector and matrix units, float16 and bfloat16 accumulated in
float32. Of models with two dies that profilers show as two devices, MI250 and MI250X, they are those
of one die. What a device reports of itself, and what tw.toml declares under [device], take precedence
over the table.
"""
grain = ["device_id", "data_type"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "device_id", "trace_id", "device_name", "model", "data_type", "flops_per_s", "bytes_per_s",
  "link_bytes_per_s", "source",
]

[column]
device_id = { nullable = false, help = "Device" }
device_name.help = "Name as recorded"
model = { nullable = true, help = "Model in the table, or name in tw.toml; NULL: unknown" }
flops_per_s = { type = "DOUBLE", unit = "1/s", nullable = true, help = "Operations per second, of int8 integer operations; NULL: unknown" }
bytes_per_s.help = "Memory bandwidth; NULL: unknown"
data_type.help = "float64, float32, tfloat32, float16, bfloat16, float8, float4, int8; NULL: no rate is known"

[column.link_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "Bandwidth to other devices, both directions together; NULL: unknown"

[column.source]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Origin of the rates: a data sheet, recorded or tw.toml; NULL: unknown"

[changes]
1 = "first version"
--- */
WITH model AS (
  -- Names as profilers print them, in lower case. Rates are 10^12 operations, bandwidths 10^9 bytes a
  -- second; memory is in 10^9 bytes, where it tells variants apart.
  SELECT *
  FROM (VALUES
    ('V100 SXM2', 'v100-sxm[23]', NULL, NULL, 900, 300,
      7.8, 15.7, NULL, 125, NULL, NULL, NULL, 62.8, 'NVIDIA V100 data sheet (2020)'),
    ('V100 PCIe', 'v100-pcie', NULL, NULL, 900, 32,
      7, 14, NULL, 112, NULL, NULL, NULL, 56, 'NVIDIA V100 data sheet (2020)'),
    ('V100S PCIe', 'v100s-pcie', NULL, NULL, 1134, 32,
      8.2, 16.4, NULL, 130, NULL, NULL, NULL, 65.6, 'NVIDIA V100 data sheet (2020)'),
    ('A100 SXM 40 GB', 'a100-(?:sxm|pg509)', 0, 60, 1555, 600,
      19.5, 19.5, 156, 312, 312, NULL, NULL, 624, 'NVIDIA A100 data sheet (2022)'),
    ('A100 SXM 80 GB', 'a100-(?:sxm|pg509)', 60, NULL, 2039, 600,
      19.5, 19.5, 156, 312, 312, NULL, NULL, 624, 'NVIDIA A100 data sheet (2022)'),
    ('A100 PCIe 40 GB', 'a100-pcie-40gb', NULL, NULL, 1555, 600,
      19.5, 19.5, 156, 312, 312, NULL, NULL, 624, 'NVIDIA A100 data sheet (2022)'),
    ('A100 PCIe 80 GB', 'a100 80gb pcie', NULL, NULL, 1935, 600,
      19.5, 19.5, 156, 312, 312, NULL, NULL, 624, 'NVIDIA A100 data sheet (2022)'),
    ('H100 SXM', 'h100 80gb hbm3|h100 sxm', NULL, NULL, 3350, 900,
      67, 67, 494.7, 989.4, 989.4, 1978.9, NULL, 1978.9, 'NVIDIA H100 data sheet (2024), sparse rates halved'),
    ('H100 PCIe', 'h100 pcie', NULL, NULL, 2000, 600,
      51, 51, 378, 756, 756, 1513, NULL, 1513, 'NVIDIA H100 data sheet (2023), sparse rates halved'),
    ('H100 NVL', 'h100 nvl', NULL, NULL, 3900, 600,
      60, 60, 417.5, 835.5, 835.5, 1670.5, NULL, 1670.5, 'NVIDIA H100 data sheet (2024), sparse rates halved'),
    ('H200 SXM', '\bh200(?: sxm.*)?$', NULL, NULL, 4800, 900,
      67, 67, 494.7, 989.4, 989.4, 1978.9, NULL, 1978.9, 'NVIDIA H200 data sheet (2024), sparse rates halved'),
    ('H200 NVL', '\bh200 nvl', NULL, NULL, 4800, 900,
      60, 60, 417.5, 835.5, 835.5, 1670.5, NULL, 1670.5, 'NVIDIA H200 data sheet (2024), sparse rates halved'),
    ('GH200 96 GB', 'gh200', 0, 120, 4000, 900,
      67, 67, 494.5, 989.5, 989.5, 1979, NULL, 1979, 'NVIDIA GH200 data sheet (2023), sparse rates halved'),
    ('GH200 144 GB', 'gh200', 120, NULL, 4900, 900,
      67, 67, 494.5, 989.5, 989.5, 1979, NULL, 1979, 'NVIDIA GH200 data sheet (2023), sparse rates halved'),
    ('B200', '\bb200', NULL, NULL, 8000, 1800,
      37, 75, 1125, 2250, 2250, 4500, 9000, 4500, 'NVIDIA DGX and HGX B200 data sheets (2025), for one of eight, sparse rates halved'),
    ('GB200', 'gb200', NULL, NULL, 8000, 1800,
      40, 80, 1250, 2500, 2500, 5000, 10000, 5000, 'NVIDIA GB200 NVL72 data sheet (2025), for one of 72, sparse rates halved'),
    ('B300', '\bb300', NULL, NULL, 8000, 1800,
      1.25, 75, 1125, 2250, 2250, 4500, 13500, NULL, 'NVIDIA DGX and HGX B300 data sheets (2025), for one of eight, sparse rates halved'),
    ('GB300', 'gb300', NULL, NULL, 8000, 1800,
      1.39, 80, 1250, 2500, 2500, 5000, 15000, NULL, 'NVIDIA GB300 NVL72 data sheet (2025), for one of 72, sparse rates halved'),
    ('L4', '\bl4$', NULL, NULL, 300, 64,
      0.49, 30.3, 60, 121, 121, 242.5, NULL, 242.5, 'NVIDIA L4 data sheet (2023), sparse rates halved'),
    ('L40S', '\bl40s', NULL, NULL, 864, 64,
      1.43, 91.6, 183, 362.05, 362.05, 733, NULL, 733, 'NVIDIA L40S data sheet (2023)'),
    ('RTX 4090', 'rtx 4090$', NULL, NULL, 1008, 64,
      1.29, 82.6, 82.6, 165.2, 165.2, 330.3, NULL, 660.6, 'NVIDIA Ada architecture whitepaper (2023)'),
    ('RTX 5090', 'rtx 5090$', NULL, NULL, 1792, 128,
      1.64, 104.8, 104.8, 209.5, 209.5, 419, 1676, 838, 'NVIDIA RTX Blackwell architecture whitepaper (2025)'),
    ('MI210', 'mi210', NULL, NULL, 1638.4, 300,
      45.3, 45.3, NULL, 181, 181, NULL, NULL, 181, 'AMD Instinct MI210 data sheet (2022)'),
    ('MI250, one die', '^[^x]*mi250$', NULL, NULL, 1638.4, 400,
      45.25, 45.25, NULL, 181.05, 181.05, NULL, NULL, 181.05, 'AMD Instinct MI250 data sheet (2021), halved'),
    -- Drivers print 'AMD Instinct MI250X/MI250' for both.
    ('MI250X, one die', 'mi250x', NULL, NULL, 1638.4, 400,
      47.85, 47.85, NULL, 191.5, 191.5, NULL, NULL, 191.5, 'AMD Instinct MI250X data sheet (2021), halved'),
    ('MI300A', 'mi300a', NULL, NULL, 5300, 768,
      122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, NULL, 1961.2, 'AMD Instinct MI300A data sheet (2023)'),
    ('MI300X', 'mi300x', NULL, NULL, 5300, 896,
      163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, NULL, 2614.9, 'AMD Instinct MI300X data sheet (2023)'),
    ('MI325X', 'mi325x', NULL, NULL, 6000, 896,
      163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, NULL, 2614.9, 'AMD Instinct MI325X data sheet (2024)'),
    ('MI350X', 'mi350x', NULL, NULL, 8000, 1075,
      72.1, 144.2, NULL, 2306.9, 2306.9, 4613.7, 9227.5, 4613.7, 'AMD Instinct MI350X data sheet (2025)'),
    ('MI355X', 'mi355x', NULL, NULL, 8000, 1075,
      78.6, 157.3, NULL, 2516.6, 2516.6, 5033.2, 10066.3, 5033.2, 'AMD Instinct MI355X data sheet (2025)')
  ) AS m(
    model, pattern, min_memory, max_memory, gigabytes_per_s, link_gigabytes_per_s, float64, float32, tfloat32, float16,
    bfloat16, float8, float4, int8, source
  )
),
found AS (
  SELECT
    d.id AS device_id,
    d.trace_id,
    d.name AS device_name,
    d.peak_bytes_per_s AS recorded_bytes_per_s,
    d.peak_flops_per_s AS recorded_flops_per_s,
    s.name AS setting,
    coalesce(s.name, m.model) AS model,
    coalesce(s.bytes_per_s, m.gigabytes_per_s * 1e9) AS bytes_per_s,
    coalesce(s.link_bytes_per_s, m.link_gigabytes_per_s * 1e9) AS link_bytes_per_s,
    m.source,
    unnest([
      struct_pack(data_type := 'float64', set_rate := s.float64, rate := m.float64 * 1e12),
      struct_pack(data_type := 'float32', set_rate := s.float32, rate := m.float32 * 1e12),
      struct_pack(data_type := 'tfloat32', set_rate := s.tfloat32, rate := m.tfloat32 * 1e12),
      struct_pack(data_type := 'float16', set_rate := s.float16, rate := m.float16 * 1e12),
      struct_pack(data_type := 'bfloat16', set_rate := s.bfloat16, rate := m.bfloat16 * 1e12),
      struct_pack(data_type := 'float8', set_rate := s.float8, rate := m.float8 * 1e12),
      struct_pack(data_type := 'float4', set_rate := s.float4, rate := m.float4 * 1e12),
      struct_pack(data_type := 'int8', set_rate := s.int8, rate := m.int8 * 1e12),
      struct_pack(data_type := NULL, set_rate := NULL, rate := NULL)
    ]) AS each_type
  FROM device AS d
  LEFT JOIN model AS m
    ON regexp_matches(lower(d.name), m.pattern)
    AND NOT contains(lower(d.name), ' mig ') -- a part of a device
    AND (m.min_memory IS NULL OR coalesce(d.memory_bytes, 0) >= m.min_memory * 1e9)
    AND (m.max_memory IS NULL OR d.memory_bytes < m.max_memory * 1e9)
  LEFT JOIN device_setting AS s ON lower(s.name) = lower(coalesce(d.name, ''))
),
rated AS (
  SELECT
    *,
    coalesce(recorded_flops_per_s, each_type.set_rate, each_type.rate) AS flops_per_s,
    count(coalesce(each_type.set_rate, each_type.rate)) OVER (PARTITION BY device_id) AS n_rates
  FROM found
)
SELECT
  device_id,
  trace_id,
  device_name,
  model,
  each_type.data_type AS data_type,
  flops_per_s,
  coalesce(recorded_bytes_per_s, bytes_per_s) AS bytes_per_s,
  link_bytes_per_s,
  CASE
    WHEN recorded_flops_per_s IS NOT NULL THEN 'recorded'
    WHEN setting IS NOT NULL THEN 'tw.toml'
    WHEN source IS NOT NULL THEN source
    WHEN recorded_bytes_per_s IS NOT NULL THEN 'recorded'
  END AS source
FROM rated
WHERE CASE
    WHEN n_rates = 0 THEN each_type.data_type IS NULL
    ELSE coalesce(each_type.set_rate, each_type.rate) IS NOT NULL
  END
ORDER BY device_id, data_type
