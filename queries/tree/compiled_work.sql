/* ---
name = "compiled_work"
version = 1
title = "Device work of compiled code, by region, graph and generated kernel"
help = """
Work launched inside a "Torch-Compiled Region" or a call of a compiled graph (CompiledFxGraph), and
kernels that Inductor generated (named triton_...), wherever they were launched. Kernels with one name
and different hashes are different code, in different rows. The operator is that of kernel_by_op. Hash,
source file and settings are those recorded with the operator that launched the kernel; a hash is the same in
all processes that compile the same code. Of regions in regions the outermost counts. python is the innermost
function outside of torch that called the region, or the graph without a region; of several the first by name.
Durations are summed, so overlapping work counts twice; negative durations count as 0 ns. Longest first. In
a time window, sums are of the parts of the durations inside it, so disjoint windows add up to the whole.
"""
grain = [
  "trace_id", "device_id", "region", "graph", "graph_file", "op", "name", "kind", "kernel_backend",
  "kernel_hash", "kernel_file", "settings",
]
requires = { schema = ">=29", queries = ["work_category@1"], rows = ["gpu_op where kind = 'kernel' AND starts_with(name, 'triton_') | whole_cpu_op where starts_with(name, 'Torch-Compiled Region: ') AND dur > 0 | whole_annotation where side = 'host' AND starts_with(name, '## Call CompiledFxGraph ') AND dur > 0"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "region", "graph", "graph_file", "python", "op",
  "kernel_name", "name", "kind", "kernel_backend", "kernel_hash", "kernel_file", "settings",
  "n_device_ops", "total_ns", "share",
]

[column]
region = { type = "VARCHAR", unit = "text", nullable = true, help = "Outermost Torch-Compiled Region around the launch, as FRAME/RECOMPILATION; NULL: none" }
graph = { type = "VARCHAR", unit = "text", nullable = true, help = "Key of the CompiledFxGraph in whose call it was launched; NULL: none is recorded" }
graph_file = { type = "VARCHAR", unit = "text", nullable = true, help = "Generated Python file and line of the code of the graph; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the compiled code; NULL: not recorded" }
op = { type = "VARCHAR", unit = "text", nullable = true, help = "Innermost operator around the launching call; NULL: none" }
kernel_name.help = "Short name, unique among the kernels of the scope; of a copy or memset its name"
name.help = "Name of the kernel, copy or memset"
kernel_backend = { type = "VARCHAR", unit = "text", nullable = true, help = "Compiler of the kernel, such as triton; NULL: not recorded" }
kernel_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "Hash of the kernel's source; NULL: not recorded" }
kernel_file = { type = "VARCHAR", unit = "text", nullable = true, help = "File of the kernel's source; NULL: not recorded" }
settings = { type = "VARCHAR", unit = "text", nullable = true, help = "Block sizes, warps and stages of the launch; NULL: not recorded" }
n_device_ops = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of executions" }
share.help = "Share of the total time of all work of the device; NULL if that is 0"

[column.kind]
type = "VARCHAR"
unit = "text"
check = "IN ('kernel', 'memcpy', 'memset')"
help = "kernel, memcpy or memset"

[changes]
1 = "first version"
--- */
-- Slices of a thread nest, so of those that are outermost, the last that began before an operator contains
-- it or none does.
WITH RECURSIVE mark AS MATERIALIZED (
  SELECT kind, slice_id, trace_id, track_id, label, ts, end_ns
  FROM (
    SELECT
      *,
      max(end_ns) OVER (
        PARTITION BY kind, track_id ORDER BY ts, end_ns DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reached_ns
    FROM (
      SELECT
        'region' AS kind, slice_id, trace_id, track_id, substr(name, 24) AS label, ts, ts + dur AS end_ns
      FROM whole_cpu_op
      WHERE starts_with(name, 'Torch-Compiled Region: ') AND dur > 0
      UNION ALL
      SELECT
        'graph', slice_id, trace_id, track_id,
        regexp_extract(name, '^## Call CompiledFxGraph (\S+) ##$', 1), ts, ts + dur
      FROM whole_annotation
      WHERE side = 'host' AND starts_with(name, '## Call CompiledFxGraph ') AND dur > 0
      UNION ALL
      SELECT 'file', slice_id, trace_id, track_id, regexp_replace(name, ': call$', ''), ts, ts + dur
      FROM whole_python_call
      WHERE ends_with(name, '): call') AND regexp_matches(name, '/[a-z2-7]{2}/c[a-z2-7]{51}\.py\(\d+\): call$')
        AND dur > 0
    )
  )
  WHERE reached_ns IS NULL OR ts >= reached_ns
),
-- Most traces have no compiled code and replay no captured graph: of these, the causes of work are not searched.
of_trace AS MATERIALIZED (
  SELECT trace_id FROM mark
  UNION
  SELECT trace_id FROM gpu_op WHERE kind = 'kernel' AND starts_with(name, 'triton_')
  UNION
  SELECT trace_id FROM whole_link WHERE kind = 'op_device' AND rule = 'graph_capture' AND link_set = 'default'
),
work AS MATERIALIZED (
  SELECT
    g.slice_id, c.cpu_op_id,
    g.kind = 'kernel' AND regexp_matches(g.name, '^triton_(poi|per|red|tem|for|spl)') AS is_generated
  FROM gpu_op AS g
  LEFT JOIN gpu_op_cause AS c ON c.slice_id = g.slice_id AND c.trace_id IN (SELECT trace_id FROM of_trace)
  WHERE g.kind <> 'sync' AND g.trace_id IN (SELECT trace_id FROM of_trace)
),
op AS MATERIALIZED (
  SELECT o.slice_id, o.trace_id, o.track_id, o.name, o.ts, o.ts + o.dur AS end_ns
  FROM whole_cpu_op AS o
  SEMI JOIN work AS w ON w.cpu_op_id = o.slice_id
),
placed AS MATERIALIZED (
  SELECT
    o.slice_id,
    o.trace_id,
    o.name,
    CASE WHEN r.end_ns >= o.end_ns THEN r.slice_id END AS region_id,
    CASE WHEN r.end_ns >= o.end_ns THEN r.label END AS region,
    CASE WHEN c.end_ns >= o.end_ns THEN c.slice_id END AS graph_id,
    CASE WHEN c.end_ns >= o.end_ns THEN c.label END AS graph,
    CASE WHEN f.end_ns >= o.end_ns THEN f.label END AS graph_file
  FROM op AS o
  ASOF LEFT JOIN (SELECT * FROM mark WHERE kind = 'region') AS r
    ON r.track_id = o.track_id AND o.ts >= r.ts
  ASOF LEFT JOIN (SELECT * FROM mark WHERE kind = 'graph') AS c
    ON c.track_id = o.track_id AND o.ts >= c.ts
  ASOF LEFT JOIN (SELECT * FROM mark WHERE kind = 'file') AS f
    ON f.track_id = o.track_id AND o.ts >= f.ts
),
entry AS MATERIALIZED (
  SELECT DISTINCT coalesce(region_id, graph_id) AS slice_id, trace_id
  FROM placed
  WHERE region_id IS NOT NULL OR graph_id IS NOT NULL
),
slice_of_entry AS MATERIALIZED (
  SELECT id, parent_id, category, name
  FROM whole_slice
  WHERE trace_id IN (SELECT trace_id FROM entry)
),
-- From each call of compiled code up to the first function outside of torch.
ancestor AS (
  SELECT e.slice_id AS entry_id, s.parent_id AS at_id, NULL::VARCHAR AS python
  FROM entry AS e
  JOIN slice_of_entry AS s ON s.id = e.slice_id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT
    c.entry_id, s.parent_id,
    CASE WHEN s.category = 'python_function' AND NOT regexp_matches(s.name, '(?:^|/)torch/|^<|^nn\.Module: ') THEN s.name END
  FROM ancestor AS c
  JOIN slice_of_entry AS s ON s.id = c.at_id
  WHERE c.python IS NULL
),
compiled AS MATERIALIZED (
  SELECT
    w.slice_id, p.name AS op, p.region, p.graph, p.graph_file, c.python, w.cpu_op_id, p.trace_id
  FROM work AS w
  LEFT JOIN placed AS p ON p.slice_id = w.cpu_op_id
  LEFT JOIN ancestor AS c ON c.entry_id = coalesce(p.region_id, p.graph_id) AND c.python IS NOT NULL
  WHERE w.is_generated OR p.region_id IS NOT NULL OR p.graph_id IS NOT NULL
),
argument AS (
  SELECT s.id, s.args_json
  FROM whole_slice AS s
  SEMI JOIN compiled AS c ON c.cpu_op_id = s.id
  WHERE s.trace_id IN (SELECT trace_id FROM compiled)
),
recorded AS (
  SELECT
    id AS slice_id,
    args_json->>'kernel_backend' AS kernel_backend,
    args_json->>'kernel_hash' AS kernel_hash,
    args_json->>'kernel_file' AS kernel_file,
    nullif(concat_ws(
      ', ',
      nullif(args_json->>'kernel_kwargs', ''),
      'num_warps=' || (args_json->>'num_warps'),
      'num_stages=' || (args_json->>'num_stages')
    ), '') AS settings
  FROM argument
),
figure AS (
  SELECT
    g.trace_id, g.device_id, c.region, c.graph, c.graph_file, c.op, g.name, g.kind,
    r.kernel_backend, r.kernel_hash, r.kernel_file, r.settings,
    min(c.python) AS python,
    count(*) AS n_device_ops,
    sum(greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0))::BIGINT AS total_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN compiled AS c ON c.slice_id = g.slice_id
  LEFT JOIN recorded AS r ON r.slice_id = c.cpu_op_id
  GROUP BY ALL
),
whole AS (
  SELECT
    g.trace_id, g.device_id,
    sum(greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)) AS device_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.device_id
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.device_id,
  d.ordinal AS device,
  f.region,
  f.graph,
  f.graph_file,
  f.python,
  f.op,
  coalesce(k.short_name, f.name) AS kernel_name,
  f.name,
  f.kind,
  f.kernel_backend,
  f.kernel_hash,
  f.kernel_file,
  f.settings,
  f.n_device_ops,
  f.total_ns,
  f.total_ns / nullif(w.device_ns, 0) AS share
FROM figure AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN whole AS w ON w.trace_id = f.trace_id AND w.device_id IS NOT DISTINCT FROM f.device_id
LEFT JOIN device AS d ON d.id = f.device_id
LEFT JOIN work_category() AS k ON f.kind = 'kernel' AND k.kind = 'kernel' AND k.name = f.name
ORDER BY
  t.run_id, t.rank, f.trace_id, d.ordinal, f.device_id, f.total_ns DESC, f.name, f.region, f.graph, f.op,
  f.kernel_hash, f.graph_file, f.settings, f.kernel_file, f.kernel_backend
