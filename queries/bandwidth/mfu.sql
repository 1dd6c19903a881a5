/* ---
name = "mfu"
version = 1
title = "Model and hardware FLOPs utilization by step"
help = """
One row per step and device, and for traces without steps one row per device over the time of its
work. ideal_ns is the time in which the device could compute the floating-point operations of the
step's operators (op_work) at the peak rates of its data types (device_peak); hfu is ideal_ns / step_ns,
mfu the same without operations that repeat a forward pass (activation checkpointing). An operation
count needs recorded shapes, and a formula. coverage is the share of the time of the step's compute
kernels that belongs to operators with operations; below min_coverage, or where a peak is unknown, mfu
and hfu are NULL, and reason says why. The time of a step is that on the host. Steps of a time window
are whole.
"""
grain = ["trace_id", "device_id", "step_id"]
requires = { schema = ">=13", queries = ["device_peak@1", "op_work_kind@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "step_id", "step", "step_ns", "flops",
  "repeated_flops", "ideal_ns", "coverage", "mfu", "hfu", "reason", "peak_source",
]

[param.min_coverage]
type = "DOUBLE"
unit = "ratio"
default = 0.8
min = 0
max = 1
help = "Least coverage for which mfu and hfu are given; 0: always"

[column]
device_id.nullable = false
step_id = { nullable = true, help = "Step; NULL: the trace has no steps" }
ideal_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time of all operations at the peak rates; NULL: a peak is unknown" }
mfu = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Model FLOPs utilization: without repeated operations; NULL: see reason" }
hfu = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Hardware FLOPs utilization: with repeated operations; NULL: see reason" }
reason = { type = "VARCHAR", unit = "text", nullable = true, help = "Why mfu is NULL; NULL: it is given" }

[column.step_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Duration of the step on the host; without steps from the first to the last work of the device"

[column.flops]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Floating-point operations of the step, with repeated ones"

[column.repeated_flops]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those that repeat a forward pass"

[column.coverage]
type = "DOUBLE"
unit = "ratio"
check = ">= 0"
help = "Share of the time of compute kernels that belongs to operators with operations; 0 without kernels"

[column.peak_source]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Origin of the peak rates; NULL: unknown"

[changes]
1 = "first version"
--- */
WITH stepped AS (
  SELECT DISTINCT trace_id FROM whole_step
),
-- Work outside of the steps of a trace with steps does not count.
kernel AS (
  SELECT
    g.trace_id,
    g.device_id,
    t.from_id AS step_id,
    sum(CASE WHEN g.kind = 'kernel' AND g.class = 'compute' THEN greatest(g.dur, 0) ELSE 0 END)
      AS compute_ns,
    max(g.ts + greatest(g.dur, 0)) - min(g.ts) AS span_ns
  FROM whole_gpu_op AS g
  LEFT JOIN whole_link AS t ON t.to_id = g.slice_id AND t.kind = 'step' AND t.link_set = 'default'
  WHERE g.kind <> 'sync'
    AND g.device_id IS NOT NULL
    AND (t.from_id IS NOT NULL OR g.trace_id NOT IN (SELECT trace_id FROM stepped))
  GROUP BY g.trace_id, g.device_id, t.from_id
),
peak AS (
  SELECT device_id, data_type, flops_per_s, source
  FROM device_peak()
),
counted AS (
  SELECT
    o.device_id,
    o.step_id,
    sum(o.flops::HUGEINT * o.n_calls) AS flops,
    sum(CASE WHEN o.is_repeated THEN o.flops::HUGEINT * o.n_calls ELSE 0 END) AS repeated_flops,
    sum(o.compute_ns) AS counted_ns,
    sum(o.n_calls * (o.flops / p.flops_per_s)) * 1e9 AS ideal_ns,
    sum(CASE WHEN NOT o.is_repeated THEN o.n_calls * (o.flops / p.flops_per_s) END) * 1e9
      AS model_ns,
    -- Operations on other types, such as sums of integers, are not floating-point operations.
    bool_or(o.flops > 0 AND o.data_type IS NOT NULL AND p.flops_per_s IS NULL) AS lacks_peak,
    min(CASE WHEN o.flops > 0 AND p.flops_per_s IS NULL THEN o.data_type END) AS lacking_type
  FROM op_work_kind() AS o
  LEFT JOIN peak AS p
    ON p.device_id = o.device_id AND coalesce(p.data_type, o.data_type) = o.data_type
  WHERE o.flops IS NOT NULL AND o.has_device_work
  GROUP BY o.device_id, o.step_id
),
source AS (
  SELECT device_id, any_value(source) AS source FROM peak GROUP BY device_id
),
figure AS (
  SELECT
    k.trace_id,
    k.device_id,
    k.step_id,
    s.number AS step,
    CASE WHEN k.step_id IS NULL THEN k.span_ns ELSE greatest(s.dur, 0) END AS step_ns,
    coalesce(c.flops, 0) AS flops,
    coalesce(c.repeated_flops, 0) AS repeated_flops,
    CASE WHEN coalesce(c.flops, 0) = 0 THEN 0 WHEN NOT c.lacks_peak THEN c.ideal_ns END AS ideal_ns,
    CASE WHEN coalesce(c.flops, 0) = 0 THEN 0 WHEN NOT c.lacks_peak THEN coalesce(c.model_ns, 0) END
      AS model_ns,
    coalesce(c.counted_ns / nullif(k.compute_ns, 0), 0) AS coverage,
    c.lacking_type,
    e.source
  FROM kernel AS k
  LEFT JOIN whole_step AS s ON s.slice_id = k.step_id
  LEFT JOIN counted AS c
    ON c.device_id = k.device_id AND c.step_id IS NOT DISTINCT FROM k.step_id
  LEFT JOIN source AS e ON e.device_id = k.device_id
  WHERE k.step_id IS NULL OR EXISTS (SELECT 1 FROM step AS w WHERE w.slice_id = k.step_id)
),
judged AS (
  SELECT
    f.*,
    d.ordinal AS device,
    CASE
      WHEN f.coverage < $min_coverage::DOUBLE
      THEN 'operators with known operations cover ' || round(100 * f.coverage, 1)
        || ' % of the compute time; pass min_coverage=0 for the value of these'
      WHEN f.ideal_ns IS NULL
      THEN 'peak unknown: add [device."' || coalesce(d.name, '') || '"] with '
        || coalesce(f.lacking_type, 'float32') || ' to tw.toml'
      WHEN f.step_ns = 0 THEN 'the step has no duration'
    END AS reason
  FROM figure AS f
  LEFT JOIN device AS d ON d.id = f.device_id
)
SELECT
  t.run_id,
  j.trace_id,
  t.rank,
  j.device_id,
  j.device,
  j.step_id,
  j.step,
  j.step_ns,
  CAST(j.flops AS BIGINT) AS flops,
  CAST(j.repeated_flops AS BIGINT) AS repeated_flops,
  j.ideal_ns,
  j.coverage,
  CASE WHEN j.reason IS NULL THEN j.model_ns / j.step_ns END AS mfu,
  CASE WHEN j.reason IS NULL THEN j.ideal_ns / j.step_ns END AS hfu,
  j.reason,
  j.source AS peak_source
FROM judged AS j
JOIN trace AS t ON t.id = j.trace_id
ORDER BY t.run_id, t.rank, j.trace_id, j.device, j.device_id, j.step, j.step_id
