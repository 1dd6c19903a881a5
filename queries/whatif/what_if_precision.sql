/* ---
name = "what_if_precision"
version = 1
title = "What if: some operators computed in 16 bits"
help = """
Operators of dPRO trials that are named last `ratio` times as long, or as a cost model of
`tw model fit precision` says. A name is that in the framework; a pattern (as in GLOB) stands for those
that can compute in 16 bits (precision_operator). Where an operator takes a tensor in another precision, the
tensor is cast once, right before the first that takes it, as part of its time (precision_use). Gradients
computed in 16 bits halve what their communication takes besides queueing, and are cast before the update.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=26", queries = ["precision_operator@1", "precision_ratio@2", "precision_use@2", "replay_node@3"] }
scale = "run"
applies_to = "operators of dPRO trials"
extrapolates = true
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.operators]
type = "VARCHAR"
default = "*"
help = "Names or patterns, separated by commas"

[param.ratio]
type = "DOUBLE"
default = 0.5
min = 0
help = "Time in 16 bits by that in 32 bits"

[param.model]
type = "VARCHAR"
default = ""
help = "Cost model of the ratio of each type; types that it lacks take the ratio"

[param.cast_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of casts; 0: as precision_use says"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
1 = "first version"
--- */
WITH pattern AS (
  SELECT trim(unnest(string_split($operators::VARCHAR, ','))) AS text
),
operator AS MATERIALIZED (FROM precision_operator()),
chosen AS MATERIALIZED (
  SELECT o.run_id, o.trace_id, o.node_id, o.type
  FROM operator AS o
  WHERE o.is_float32 AND EXISTS (
    FROM pattern AS p WHERE o.operator = p.text OR o.is_able AND o.operator GLOB p.text
  )
),
use AS (
  SELECT
    u.run_id, u.trace_id, u.tensor, u.node_id, u.turn, u.n_elements, u.least_ns, u.rate_bytes_per_s,
    u.producer_id IN (SELECT node_id FROM chosen AS c WHERE c.run_id = u.run_id) AS is_returned_in_16,
    u.node_id IN (SELECT node_id FROM chosen AS c WHERE c.run_id = u.run_id) AS is_taken_in_16
  FROM precision_use() AS u
),
cast_time AS (
  SELECT
    run_id, trace_id, tensor, is_taken_in_16, arg_min(node_id, turn) AS node_id,
    any_value(greatest(
      least_ns,
      n_elements * 6 * 1e9 / CASE WHEN $cast_bytes_per_s::DOUBLE > 0 THEN $cast_bytes_per_s::DOUBLE ELSE rate_bytes_per_s END
    )) AS dur_ns
  FROM use
  WHERE coalesce(is_returned_in_16, false) <> is_taken_in_16
  GROUP BY run_id, trace_id, tensor, is_taken_in_16
),
added AS (
  SELECT run_id, node_id, sum(dur_ns) AS dur_ns FROM cast_time GROUP BY run_id, node_id
),
-- gradients: the share of the bytes of a group that is sent in 16 bits
gradient AS (
  SELECT
    run_id, regexp_extract(tensor, '^gradient ([0-9]+)$', 1) AS tensor_id,
    max(n_elements) AS n_elements, bool_or(coalesce(is_returned_in_16, false)) AS is_half
  FROM use
  WHERE regexp_matches(tensor, '^gradient [0-9]+$')
  GROUP BY ALL
),
group_name AS (
  SELECT DISTINCT run_id, regexp_extract(name, '->Comm\.([0-9+]+)\.', 1) AS tensors
  FROM replay_node()
  WHERE kind <> 'operator' AND contains(name, '->Comm.')
),
halved AS (
  SELECT
    g.run_id, g.tensors,
    sum(t.n_elements) FILTER (t.is_half) / nullif(sum(t.n_elements), 0) AS share
  FROM group_name AS g
  JOIN gradient AS t ON t.run_id = g.run_id AND list_contains(string_split(g.tensors, '+'), t.tensor_id)
  GROUP BY g.run_id, g.tensors
)
SELECT
  n.node_id, n.run_id, n.trace_id, n.rank, n.resource_id, n.kind, n.name,
  CASE
    WHEN n.kind = 'operator' THEN
      CASE WHEN c.node_id IS NULL THEN n.dur_ns
        ELSE n.dur_ns * coalesce(r.ratio, $ratio::DOUBLE) + coalesce(r.fixed_ns, 0)
      END + coalesce(a.dur_ns, 0)
    WHEN n.kind IN ('Sync', 'QUEUE') THEN n.dur_ns
    ELSE n.dur_ns * (1 - coalesce(h.share, 0) / 2)
  END AS dur_ns,
  n.gap_ns, n.priority, n.order_key, n.slot_id, n.bytes, n.release_ns, n.slice_id, n.track_id,
  n.measured_start_ns, n.measured_end_ns
FROM replay_node() AS n
LEFT JOIN chosen AS c ON c.run_id = n.run_id AND c.node_id = n.node_id AND n.kind = 'operator'
LEFT JOIN precision_ratio() AS r ON r.model = $model::VARCHAR AND r.type = c.type
LEFT JOIN added AS a ON a.run_id = n.run_id AND a.node_id = n.node_id
LEFT JOIN halved AS h ON h.run_id = n.run_id AND n.kind <> 'operator'
  AND h.tensors = regexp_extract(n.name, '->Comm\.([0-9+]+)\.', 1)
ORDER BY n.run_id, n.node_id
