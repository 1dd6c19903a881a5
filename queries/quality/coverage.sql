/* ---
name = "coverage"
version = 1
title = "Share of device time with a launch, operator, module, Python line, category and FLOPs"
help = """
How much of the device time figures by operator, module and the like can explain. Durations of
kernels, copies and memsets are summed, so overlapping work counts twice; negative durations count as
0 ns. A launch is a recorded call (link of kind launch); the operator is the innermost one around it, or
the one that was captured into the graph the call replays; module and Python line are those of links of
kind module and python to the operator. Work has a category if it is a copy, a memset, or a kernel that is
not other (work_category). FLOPs are those of an operator around the launch with operations in
op_work. In a time window the work that runs in it counts, whole; operators outside of the window have no
FLOPs.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=13", queries = ["op_work@4", "work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "n_ops", "device_ns", "launch_share",
  "op_share", "module_share", "python_share", "category_share", "flops_share",
]

[column]
n_ops.help = "Number of kernels, copies and memsets"
launch_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share of device_ns with a recorded launch; this and the others NULL if device_ns is 0" }
op_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share with an operator" }
module_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share with an nn.Module" }
python_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share with a Python line" }
category_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share with a category other than other" }
flops_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share with a known number of floating-point operations" }

[changes]
1 = "first version"
--- */
WITH counted AS MATERIALIZED (
  SELECT track_id, ts, dur
  FROM op_work()
  WHERE flops IS NOT NULL
),
-- Whether the category is known, instead of the names of kernels: these are long.
caused AS MATERIALIZED (
  SELECT
    g.slice_id, g.trace_id, g.device_id, greatest(g.dur, 0) AS dur, c.launch_id, c.cpu_op_id,
    g.kind <> 'kernel' OR w.category <> 'other' AS is_known
  FROM gpu_op AS g
  JOIN gpu_op_cause AS c ON c.slice_id = g.slice_id
  LEFT JOIN work_category() AS w ON w.kind = 'kernel' AND g.kind = 'kernel' AND w.name = g.name
),
with_flops AS (
  SELECT c.slice_id
  FROM (
    SELECT k.slice_id, l.track_id, l.ts
    FROM caused AS k
    JOIN whole_launch AS l ON l.slice_id = k.launch_id
    WHERE l.track_id IN (SELECT track_id FROM counted)
  ) AS c
  ASOF JOIN counted AS w ON w.track_id = c.track_id AND w.ts <= c.ts
  WHERE c.ts < w.ts + w.dur
),
below AS (
  SELECT DISTINCT kind, to_id
  FROM whole_link
  WHERE kind IN ('module', 'python') AND link_set = 'default'
),
figure AS (
  SELECT
    c.trace_id,
    c.device_id,
    count(*) AS n_ops,
    sum(c.dur)::BIGINT AS device_ns,
    sum(CASE WHEN c.launch_id IS NOT NULL THEN c.dur ELSE 0 END) AS launch_ns,
    sum(CASE WHEN c.cpu_op_id IS NOT NULL THEN c.dur ELSE 0 END) AS op_ns,
    sum(CASE WHEN m.to_id IS NOT NULL THEN c.dur ELSE 0 END) AS module_ns,
    sum(CASE WHEN p.to_id IS NOT NULL THEN c.dur ELSE 0 END) AS python_ns,
    sum(CASE WHEN c.is_known THEN c.dur ELSE 0 END) AS category_ns,
    sum(CASE WHEN f.slice_id IS NOT NULL THEN c.dur ELSE 0 END) AS flops_ns
  FROM caused AS c
  LEFT JOIN below AS m ON m.to_id = c.cpu_op_id AND m.kind = 'module'
  LEFT JOIN below AS p ON p.to_id = c.cpu_op_id AND p.kind = 'python'
  LEFT JOIN with_flops AS f ON f.slice_id = c.slice_id
  GROUP BY c.trace_id, c.device_id
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.device_id,
  d.ordinal AS device,
  f.n_ops,
  f.device_ns,
  f.launch_ns / nullif(f.device_ns, 0) AS launch_share,
  f.op_ns / nullif(f.device_ns, 0) AS op_share,
  f.module_ns / nullif(f.device_ns, 0) AS module_share,
  f.python_ns / nullif(f.device_ns, 0) AS python_share,
  f.category_ns / nullif(f.device_ns, 0) AS category_share,
  f.flops_ns / nullif(f.device_ns, 0) AS flops_share
FROM figure AS f
JOIN trace AS t ON t.id = f.trace_id
LEFT JOIN device AS d ON d.id = f.device_id
ORDER BY t.run_id, t.rank, f.trace_id, d.ordinal, f.device_id
