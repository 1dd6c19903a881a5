/* ---
name = "kernel_sequence"
version = 1
title = "Sequences of device work that operators launch again and again"
help = """
One row per operator name and sequence of its device work (kernels, copies, memsets, in the order of
their starts), with all calls that launched it, also through operators below; of calls in one another
with the same name the outer one counts. Long sequences of short kernels are candidates for fusion:
fused, they would need one launch, and elementwise kernels would not write and read their intermediate
results. Operators around others repeat their sequences, or join them. In a time window only work in it
counts.
"""
grain = ["trace_id", "op", "sequence"]
requires = { schema = ">=28", queries = ["work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "op", "sequence", "n_works", "n_elementwise", "n_calls", "work_ns",
  "gap_ns", "op_ns", "work_share",
]

[param.operator]
type = "VARCHAR"
default = ""
help = "Text in the operator's name; empty: all operators"

[param.min_works]
type = "BIGINT"
unit = "count"
default = 3
min = 1
help = "Least length of a sequence"

[param.max_works]
type = "BIGINT"
unit = "count"
default = 32
min = 1
help = "Greatest length of a sequence"

[param.top]
type = "BIGINT"
unit = "count"
default = 50
min = 1
help = "Sequences to return of each trace, those with most calls first"

[column]
op = { type = "VARCHAR", unit = "text", help = "Operator name" }
sequence = { type = "VARCHAR[]", unit = "text", help = "Names of the work; of kernels the short ones (work_category)" }
n_works = { type = "BIGINT", unit = "count", check = "> 0", help = "Length of the sequence" }
n_elementwise = { type = "BIGINT", unit = "count", check = ">= 0", help = "Kernels of the sequence that are elementwise, by their names" }
n_calls.help = "Number of calls of the operator that launched it"
work_ns.help = "Sum of the durations of the work, in all calls"
gap_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time between the first start and the last end of a sequence in which none of its work runs, in all calls" }
op_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations of the calls on the host" }
work_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "work_ns / the same of all device work of the trace" }

[changes]
1 = "first version"
--- */
-- Numbers stand for names: sequences of them are compared faster.
WITH RECURSIVE label AS MATERIALIZED (
  SELECT
    n.kind,
    n.name,
    coalesce(c.short_name, n.name, '') AS label,
    coalesce(c.category = 'elementwise', false) AS is_elementwise,
    (dense_rank() OVER (ORDER BY coalesce(c.short_name, n.name, '')))::INTEGER AS label_n
  FROM (SELECT DISTINCT kind, name FROM gpu_op WHERE kind <> 'sync') AS n
  LEFT JOIN work_category() AS c ON c.kind = 'kernel' AND n.kind = 'kernel' AND c.name = n.name
),
work AS MATERIALIZED (
  SELECT
    g.slice_id, g.trace_id, g.ts, greatest(g.dur, 0) AS dur, n.label_n, n.is_elementwise,
    o.from_id AS op_id
  FROM gpu_op AS g
  JOIN whole_link AS l ON l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
  JOIN whole_link AS o ON o.to_id = l.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
  JOIN label AS n ON n.kind = g.kind AND n.name IS NOT DISTINCT FROM g.name
  WHERE g.kind <> 'sync'
),
around AS MATERIALIZED (
  SELECT id, parent_id FROM whole_slice WHERE is_leaf IS NULL AND parent_id IS NOT NULL
),
-- What is above an operator; one without slices below it is a leaf.
upward AS (
  SELECT o.op_id AS launching_id, s.parent_id AS at_id, 1 AS level
  FROM (SELECT DISTINCT op_id FROM work) AS o
  JOIN whole_slice AS s ON s.id = o.op_id
  WHERE s.parent_id IS NOT NULL
  UNION ALL
  SELECT u.launching_id, s.parent_id, u.level + 1
  FROM upward AS u
  JOIN around AS s ON s.id = u.at_id
),
above AS (
  FROM upward
  UNION ALL
  SELECT DISTINCT op_id, op_id, 0 FROM work
),
-- Of each name the outermost call.
caller AS MATERIALIZED (
  SELECT
    a.launching_id,
    o.name AS op,
    arg_max(o.slice_id, a.level) AS op_id,
    arg_max(greatest(o.dur, 0), a.level) AS op_ns
  FROM above AS a
  JOIN whole_cpu_op AS o ON o.slice_id = a.at_id
  WHERE contains(o.name, $operator::VARCHAR)
  GROUP BY a.launching_id, o.name
),
placed AS (
  SELECT
    c.op, c.op_id, c.op_ns, w.*,
    max(w.ts + w.dur) OVER (
      PARTITION BY c.op_id ORDER BY w.ts, w.slice_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM work AS w
  JOIN caller AS c ON c.launching_id = w.op_id
),
called AS (
  SELECT
    trace_id, op, op_id,
    any_value(op_ns) AS op_ns,
    list(label_n ORDER BY ts, slice_id) AS labels,
    count(*) AS n_works,
    sum(is_elementwise::INTEGER)::BIGINT AS n_elementwise,
    sum(dur)::BIGINT AS work_ns,
    sum(greatest(ts - coalesce(reach_ns, ts), 0))::BIGINT AS gap_ns
  FROM placed
  GROUP BY trace_id, op, op_id
),
total AS (
  SELECT trace_id, sum(greatest(dur, 0))::BIGINT AS all_ns
  FROM gpu_op
  WHERE kind <> 'sync'
  GROUP BY trace_id
),
repeated AS (
  SELECT
    trace_id, op, labels,
    any_value(n_works) AS n_works,
    any_value(n_elementwise) AS n_elementwise,
    count(*) AS n_calls,
    sum(work_ns)::BIGINT AS work_ns,
    sum(gap_ns)::BIGINT AS gap_ns,
    sum(op_ns)::BIGINT AS op_ns
  FROM called
  WHERE n_works BETWEEN $min_works::BIGINT AND $max_works::BIGINT
  GROUP BY trace_id, op, labels
),
named AS (
  SELECT
    r.*,
    list_select((SELECT list(label ORDER BY label_n) FROM (SELECT DISTINCT label_n, label FROM label)), r.labels)
      AS sequence
  FROM repeated AS r
  QUALIFY row_number() OVER (
    PARTITION BY r.trace_id ORDER BY r.n_calls DESC, r.work_ns DESC, r.op, r.labels
  ) <= $top::BIGINT
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.op,
  r.sequence,
  r.n_works,
  r.n_elementwise,
  r.n_calls,
  r.work_ns,
  r.gap_ns,
  r.op_ns,
  r.work_ns / nullif(a.all_ns, 0) AS work_share
  --+ , (SELECT count(*) FROM repeated) AS n_without_top
FROM named AS r
JOIN trace AS t ON t.id = r.trace_id
JOIN total AS a ON a.trace_id = r.trace_id
ORDER BY t.run_id, t.rank, r.trace_id, r.n_calls DESC, r.work_ns DESC, r.op, r.sequence
