/* ---
name = "op_kernel_by_time"
version = 3
title = "Kernels of one recording under the operators of another, by time"
help = """
For a program that was recorded twice, once with operators (side a) and once with kernels (side b), as
dPRO's mapping of nvprof kernels: both recordings begin with their first operator or kernel. In the first
step, kernels of which over nine tenths lie in an operator tell by how much kernels end later than
their operators (bias_ns, the largest overhang). In the second step, or the first if there is no other,
each kernel, moved back by that, belongs to the operator that it shares most time with. Operators are
those that contain no other. Where a recording links calls to kernels, use kernel_by_op instead.
"""
grain = ["op", "kernel"]
requires = { schema = ">=17", queries = ["compare_side@1"] }
columns = ["op", "kernel", "n_kernels", "kernel_ns", "shared_ns", "bias_ns"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Operators: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Kernels: a run, trace, tag:NAME or latest, as for a"

[column]
op = { type = "VARCHAR", unit = "text", help = "Name of the operator" }
kernel = { type = "VARCHAR", unit = "text", help = "Name of the kernel" }
kernel_ns.help = "Duration of the kernels"
shared_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Part of it in the time of the operator" }
bias_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "How much later kernels end than their operators" }

[changes]
3 = "an operator contains those below Python functions and other slices in it, too"
2 = "operators outside of steps are not taken for those of a step"
1 = "first version"
--- */
WITH RECURSIVE chosen_trace AS (
  SELECT side, min(trace_id) AS trace_id
  FROM compare_side(p_a := $a::VARCHAR, p_b := $b::VARCHAR) AS s
  WHERE s.side = 'a' AND s.trace_id IN (SELECT trace_id FROM cpu_op)
    OR s.side = 'b' AND s.trace_id IN (SELECT trace_id FROM gpu_op WHERE kind = 'kernel')
  GROUP BY side
),
-- Slices around operators, however deep these lie.
around AS (
  SELECT s.parent_id AS slice_id
  FROM whole_slice AS s
  JOIN whole_cpu_op AS o ON o.slice_id = s.id
  JOIN chosen_trace AS t ON t.side = 'a' AND t.trace_id = o.trace_id
  WHERE s.parent_id IS NOT NULL
  UNION
  SELECT s.parent_id
  FROM whole_slice AS s
  JOIN around AS a ON a.slice_id = s.id
  WHERE s.parent_id IS NOT NULL
),
op AS (
  SELECT
    o.slice_id,
    o.name,
    o.ts - min(o.ts) OVER () AS start_ns,
    o.ts + o.dur - min(o.ts) OVER () AS end_ns,
    -- Operators outside of steps are in none, unless all are.
    CASE WHEN coalesce(o.step_number, s.number) IS NOT NULL OR count(coalesce(o.step_number, s.number)) OVER () = 0
      THEN dense_rank() OVER (ORDER BY coalesce(o.step_number, s.number) NULLS LAST)
    END AS step_n
  FROM cpu_op AS o
  JOIN chosen_trace AS t ON t.side = 'a' AND t.trace_id = o.trace_id
  LEFT JOIN step AS s ON s.trace_id = o.trace_id AND o.ts >= s.ts AND o.ts < s.ts + s.dur
  WHERE o.dur > 0 AND o.name IS NOT NULL
    AND o.slice_id NOT IN (SELECT slice_id FROM around)
),
kernel AS (
  SELECT
    g.slice_id,
    g.name,
    g.dur,
    g.ts - min(g.ts) OVER () AS start_ns,
    g.ts + g.dur - min(g.ts) OVER () AS end_ns
  FROM gpu_op AS g
  JOIN chosen_trace AS t ON t.side = 'b' AND t.trace_id = g.trace_id
  WHERE g.kind = 'kernel' AND g.dur > 0
),
overhang AS (
  SELECT coalesce(greatest(max(k.end_ns - o.end_ns), 0), 0) AS bias_ns
  FROM op AS o
  JOIN kernel AS k ON k.start_ns < o.end_ns AND k.end_ns > o.start_ns
  WHERE o.step_n = 1
    AND least(k.end_ns, o.end_ns) - greatest(k.start_ns, o.start_ns) > 0.9 * k.dur
),
shared AS (
  SELECT
    o.name AS op,
    k.name AS kernel,
    k.dur,
    least(k.end_ns - b.bias_ns, o.end_ns) - greatest(k.start_ns - b.bias_ns, o.start_ns) AS shared_ns,
    b.bias_ns
  FROM op AS o
  CROSS JOIN overhang AS b
  JOIN kernel AS k ON k.start_ns - b.bias_ns < o.end_ns AND k.end_ns - b.bias_ns > o.start_ns
  WHERE o.step_n = (SELECT least(max(step_n), 2) FROM op)
  QUALIFY row_number() OVER (PARTITION BY k.slice_id ORDER BY shared_ns DESC, o.start_ns, o.slice_id) = 1
)
SELECT
  op,
  coalesce(kernel, 'unknown') AS kernel,
  count(*) AS n_kernels,
  sum(dur)::BIGINT AS kernel_ns,
  sum(shared_ns)::BIGINT AS shared_ns,
  any_value(bias_ns) AS bias_ns
FROM shared
GROUP BY op, kernel
ORDER BY op, kernel_ns DESC, kernel
