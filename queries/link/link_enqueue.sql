/* ---
name = "link_enqueue"
version = 2
title = "Links from calls of collectives to what a communication library does for them"
help = """
Libraries that communicate on threads of their own (gloo, MPI, UCC) take the calls of a process one
after another: the n-th call of a kind (c10d::allreduce_) leads to the n-th operation of that kind
(gloo:all_reduce) to begin, since the first call, in the same process. A reduce_scatter of which a
process recorded no operation is one of all_reduce, as gloo has it. Pairs of different size of the
input, and operations that begin before their call, are rejected.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["cpu_op", "collective where regexp_matches(name, '^(gloo|mpi|ucc):')"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the call"
to_id.help = "Slice of the operation"
kind.help = "enqueue"
rule.help = "order"
confidence.help = "0.9; without sizes 0.7"

[changes]
2 = "operations of calls whose input follows the output, coalesced calls, and reduce_scatter of gloo"
1 = "first version"
--- */
WITH track_process AS (
  SELECT id AS track_id, process_id FROM track WHERE trace_id = $trace_id::BIGINT
),
operation AS MATERIALIZED (
  SELECT
    v.slice_id,
    v.trace_id,
    p.process_id,
    v.ts,
    regexp_replace(replace(lower(regexp_extract(v.name, '^[a-z]+:(.*)$', 1)), '_', ''), '^sparse', '') AS kind,
    v.n_input_elements AS n_elements
  FROM collective AS v
  JOIN track_process AS p ON p.track_id = v.track_id
  WHERE v.trace_id = $trace_id::BIGINT
    AND v.side = 'host'
    AND regexp_matches(v.name, '^(gloo|mpi|ucc):[a-z]')
),
-- Without operations, no call needs to be read.
any_operation AS (
  SELECT 1 FROM operation LIMIT 1
),
named_call AS (
  SELECT
    o.slice_id,
    o.trace_id,
    p.process_id,
    o.ts,
    replace(
      regexp_replace(
        regexp_extract(o.name, '^c10d::_?(.*?)_?$', 1), '(_base|_into_tensor|_tensor)?(_coalesced)?$', ''
      ),
      '_', ''
    ) AS kind,
    TRY_CAST(o.input_dims_json AS JSON) AS dims
  FROM cpu_op AS o
  JOIN track_process AS p ON p.track_id = o.track_id
  CROSS JOIN any_operation
  WHERE o.trace_id = $trace_id::BIGINT
    AND starts_with(o.name, 'c10d::')
),
call AS MATERIALIZED (
  SELECT
    c.slice_id,
    c.trace_id,
    c.process_id,
    c.ts,
    CASE
      WHEN c.kind = 'reducescatter' AND NOT EXISTS (
        FROM operation AS v
        WHERE v.kind = 'reducescatter' AND v.process_id IS NOT DISTINCT FROM c.process_id
      ) THEN 'allreduce'
      ELSE c.kind
    END AS kind,
    -- The input is the first argument, or the second, after the output: [[n], [m]] or [n, m].
    list_sum(list_transform(
      regexp_extract_all(
        replace(
          CASE
            WHEN c.kind IN ('allgather', 'reducescatter', 'alltoall', 'gather', 'scatter') THEN c.dims ->> '$[1]'
            ELSE c.dims ->> '$[0]'
          END,
          ' ', ''
        ),
        '[0-9][0-9,]*'
      ),
      lambda dims: list_product(string_split(dims, ',')::BIGINT[])
    ))::BIGINT AS n_elements
  FROM named_call AS c
),
since AS (
  SELECT trace_id, process_id, kind, min(ts) AS ts FROM call GROUP BY trace_id, process_id, kind
),
placed_call AS (
  SELECT *, row_number() OVER (PARTITION BY trace_id, process_id, kind ORDER BY ts, slice_id) AS place
  FROM call
),
placed_operation AS (
  SELECT
    o.*,
    row_number() OVER (PARTITION BY o.trace_id, o.process_id, o.kind ORDER BY o.ts, o.slice_id) AS place
  FROM operation AS o
  JOIN since AS s
    ON s.trace_id = o.trace_id
    AND s.process_id IS NOT DISTINCT FROM o.process_id
    AND s.kind = o.kind
    AND s.ts <= o.ts
)
SELECT
  c.slice_id AS from_id,
  o.slice_id AS to_id,
  'enqueue' AS kind,
  'order' AS rule,
  CASE WHEN c.n_elements = o.n_elements THEN 0.9::DOUBLE ELSE 0.7::DOUBLE END AS confidence
FROM placed_call AS c
JOIN placed_operation AS o
  ON o.trace_id = c.trace_id
  AND o.process_id IS NOT DISTINCT FROM c.process_id
  AND o.kind = c.kind
  AND o.place = c.place
WHERE c.ts <= o.ts
  AND coalesce(c.n_elements = o.n_elements, true)
ORDER BY to_id
