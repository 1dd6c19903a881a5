/* ---
name = "disc_compare"
version = 1
title = "Kernels of a cluster in two replays: the same, added, removed, and changed"
help = """
Compares the measured iterations of replays of the same graph (graph_hash), as before and after a
change of the compiler. Kernels are matched by what their names say of the fusion (kind, roots, numbers
of operations and results, variant, part), without its number in the cluster, else by their names; of
several the n-th with the n-th. Where the variant differs on both sides, a fusion is matched without it.
Several replays of a side and graph are combined: the mean of their times. Greatest change first.
"""
grain = ["graph_hash", "kernel", "occurrence", "status"]
requires = { schema = ">=22", queries = ["compare_side@1", "disc_iteration_op@1", "disc_kernel@1"] }
columns = [
  "graph_hash", "function", "kernel", "occurrence", "status", "fusion_kind", "name_a", "name_b",
  "total_a_ns", "total_b_ns", "change_ns", "change_ratio",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
graph_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "graph_hash of the cluster" }
function.help = "Name of the cluster's function"
kernel.help = "What is matched: the fusion, or the name of a kernel of a library"
occurrence = { type = "BIGINT", unit = "count", check = "> 0", help = "Number among equal kernels of the iteration, from 1" }
status = { type = "VARCHAR", unit = "text", check = "IN ('both', 'added', 'removed')", help = "both; added: on side b only; removed: on side a only" }
fusion_kind = { type = "VARCHAR", unit = "text", nullable = true, help = "kLoop, kRowReduction, ...; gKernel: no fusion; NULL: of a library" }
name_a = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side a" }
name_b = { type = "VARCHAR", unit = "text", nullable = true, help = "Name on side b" }
total_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Duration on side a" }
total_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Duration on side b" }
change_ns = { type = "DOUBLE", unit = "ns", help = "total_b_ns - total_a_ns, 0 for what is not there" }
change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "change_ns / total_a_ns; NULL: added, or 0" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT
    s.side,
    o.trace_id,
    o.graph_hash,
    o.function,
    o.slice_id,
    o.ts,
    o.dur_ns,
    o.name,
    k.fusion_kind,
    CASE
      WHEN k.n_fused IS NOT NULL
      THEN concat_ws('_', k.fusion_kind, k.roots, '', k.n_fused, k.n_results, k.part)
      WHEN k.fusion_kind IS NOT NULL THEN concat_ws('_', k.fusion_kind, k.roots)
      ELSE o.name
    END AS plain,
    k.variant
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS s
  JOIN disc_iteration_op() AS o ON o.trace_id = s.trace_id
  LEFT JOIN disc_kernel() AS k ON k.trace_id = o.trace_id AND k.name = o.name
  WHERE o.is_measured
    AND o.kind = 'kernel'
),
-- Variants that both sides have tell fusions apart.
shared AS (
  SELECT graph_hash, plain, variant
  FROM kernel
  GROUP BY graph_hash, plain, variant
  HAVING count(DISTINCT side) = 2
),
keyed AS (
  SELECT
    k.*,
    CASE WHEN h.plain IS NOT NULL AND k.variant IS NOT NULL THEN k.plain || '___' || k.variant ELSE k.plain END AS kernel
  FROM kernel AS k
  LEFT JOIN shared AS h
    ON h.graph_hash IS NOT DISTINCT FROM k.graph_hash AND h.plain = k.plain
    AND h.variant IS NOT DISTINCT FROM k.variant
),
counted AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY side, trace_id, kernel ORDER BY ts, slice_id) AS occurrence
  FROM keyed
),
figure AS (
  SELECT
    side,
    graph_hash,
    kernel,
    occurrence,
    any_value(function ORDER BY trace_id) AS function,
    any_value(name ORDER BY trace_id) AS name,
    any_value(fusion_kind ORDER BY trace_id) AS fusion_kind,
    avg(dur_ns) AS total_ns
  FROM counted
  GROUP BY side, graph_hash, kernel, occurrence
),
-- Graphs that only one side has are not compared.
common AS (
  SELECT graph_hash FROM figure GROUP BY graph_hash HAVING count(DISTINCT side) = 2
)
SELECT
  coalesce(a.graph_hash, b.graph_hash) AS graph_hash,
  coalesce(b.function, a.function) AS function,
  coalesce(a.kernel, b.kernel) AS kernel,
  coalesce(a.occurrence, b.occurrence) AS occurrence,
  CASE WHEN a.kernel IS NULL THEN 'added' WHEN b.kernel IS NULL THEN 'removed' ELSE 'both' END AS status,
  coalesce(a.fusion_kind, b.fusion_kind) AS fusion_kind,
  a.name AS name_a,
  b.name AS name_b,
  a.total_ns AS total_a_ns,
  b.total_ns AS total_b_ns,
  coalesce(b.total_ns, 0) - coalesce(a.total_ns, 0) AS change_ns,
  (coalesce(b.total_ns, 0) - a.total_ns) / nullif(a.total_ns, 0) AS change_ratio
FROM (SELECT f.* FROM figure AS f SEMI JOIN common AS o ON o.graph_hash IS NOT DISTINCT FROM f.graph_hash WHERE f.side = 'a') AS a
FULL JOIN (SELECT f.* FROM figure AS f SEMI JOIN common AS o ON o.graph_hash IS NOT DISTINCT FROM f.graph_hash WHERE f.side = 'b') AS b
  ON b.graph_hash IS NOT DISTINCT FROM a.graph_hash AND b.kernel = a.kernel AND b.occurrence = a.occurrence
ORDER BY abs(coalesce(b.total_ns, 0) - coalesce(a.total_ns, 0)) DESC, graph_hash, kernel, occurrence
