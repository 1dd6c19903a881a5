/* ---
name = "xla_op_summary"
version = 1
title = "Operations of compiled programs, by total time"
help = """
Durations of the device work of each operation of a compiled program (HLO), and of operations that the
host executed itself; calls that launch device work do not count. Durations are summed including
those that overlap. Negative durations count as 0 ns. In a time window, sums are of the parts of the
durations inside it. FLOPs and memory traffic are the compiler's estimates for one execution.
"""
grain = ["trace_id", "device_id", "hlo_module", "program_id", "hlo_op"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "hlo_module", "program_id", "hlo_op",
  "framework_op", "category", "n_executions", "total_ns", "share", "mean_ns", "min_ns", "max_ns",
  "tflops_per_s", "bytes_per_s",
]

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of operations per device; null: all"

[column]
device_id.help = "Device; NULL: the host"
device.help = "Number of the device; NULL: the host"
hlo_module = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the compiled module; NULL: not recorded" }
program_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Compiled program; NULL: not recorded" }
hlo_op = { type = "VARCHAR", unit = "text", nullable = true, help = "Operation of the module; NULL: work of the framework outside of it" }
framework_op = { type = "VARCHAR", unit = "text", nullable = true, help = "Operation of the framework that it was compiled from; NULL: not recorded" }
category.help = "Category of the operation, as the compiler names it; NULL: not recorded"
n_executions = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of slices" }
share.help = "Share of the total time of all operations of the device; NULL if that is 0"
tflops_per_s.help = "Estimated FLOPs / total time, in 10^12 per second; NULL if either is unknown or 0"
bytes_per_s.help = "Estimated memory traffic / total time; NULL if either is unknown or 0"

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT trace_id, slice_id, device_id, ts, dur FROM gpu_op
  UNION ALL
  SELECT trace_id, slice_id, NULL, ts, dur FROM cpu_op
),
by_op AS (
  SELECT
    w.trace_id,
    w.device_id,
    x.hlo_module,
    x.program_id,
    x.hlo_op,
    min(x.framework_op) AS framework_op,
    min(x.category) AS category,
    count(*) AS n_executions,
    sum(
      greatest(least(w.ts + w.dur, v.to_ns) - greatest(w.ts, v.from_ns), 0)
    )::BIGINT AS total_ns,
    sum(greatest(w.dur, 0))::BIGINT AS all_ns,
    min(greatest(w.dur, 0)) AS min_ns,
    max(greatest(w.dur, 0)) AS max_ns,
    sum(x.flops::DOUBLE) AS flops,
    sum(x.bytes_accessed::DOUBLE) AS bytes
  FROM work AS w
  JOIN xla_op AS x ON x.slice_id = w.slice_id
  CROSS JOIN time_window AS v
  GROUP BY w.trace_id, w.device_id, x.hlo_module, x.program_id, x.hlo_op
),
ranked AS (
  SELECT
    *,
    sum(total_ns) OVER (PARTITION BY trace_id, device_id) AS device_total_ns,
    row_number() OVER (
      PARTITION BY trace_id, device_id
      ORDER BY total_ns DESC, n_executions DESC, hlo_module, program_id, hlo_op
    ) AS place
  FROM by_op
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.hlo_module,
  a.program_id,
  a.hlo_op,
  a.framework_op,
  a.category,
  a.n_executions,
  a.total_ns,
  a.total_ns / nullif(a.device_total_ns, 0) AS share,
  a.all_ns / a.n_executions AS mean_ns,
  a.min_ns,
  a.max_ns,
  a.flops / nullif(a.all_ns, 0) / 1e3 AS tflops_per_s,
  a.bytes * 1e9 / nullif(a.all_ns, 0) AS bytes_per_s
FROM ranked AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
WHERE $top::BIGINT IS NULL OR a.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.place
