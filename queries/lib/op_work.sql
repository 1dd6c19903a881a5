/* ---
name = "op_work"
version = 3
title = "Floating-point operations and bytes of operators, from the shapes of their inputs"
help = """
Only operators that shape_work has a formula for and whose shapes were recorded, and only those that
do not run inside another such operator, so that nothing counts twice. bytes are the least that must
move: each input read and each output written once; outputs are not recorded on a timeline, so what
a reduction writes counts as nothing. What is not known is NULL.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["shape_work@2"] }
portable = false

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The operator"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The slice's"

[[column]]
name = "ts"
type = "BIGINT"
unit = "ns"
help = "The slice's"

[[column]]
name = "dur"
type = "BIGINT"
unit = "ns"
help = "The slice's, 0 where it is negative"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The operator's name"

[[column]]
name = "model"
type = "VARCHAR"
unit = "text"
help = "Which formula of shape_work: matmul, convolution, attention, normalisation, elementwise, ..."

[[column]]
name = "input_dims"
type = "VARCHAR"
unit = "json"
help = "Shapes of the inputs"

[[column]]
name = "input_types"
type = "VARCHAR"
unit = "json"
nullable = true
help = "Types of the inputs"

[[column]]
name = "flops"
type = "BIGINT"
unit = "count"
nullable = true
help = "Floating-point operations; NULL: no formula, or a shape is missing"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Least that must move; NULL: a shape or type is missing"

[changes]
1 = "first version"
2 = "formulas are those of shape_work: more operators, and operations of elementwise ones"
3 = "the same rows, by the formulas of shape_work@2"
--- */
WITH formula AS (
  SELECT name, shapes, types, scalars, model, flops, bytes_read + bytes_written AS bytes
  FROM shape_work('timeline')
),
call AS (
  SELECT
    slice_id, trace_id, track_id, ts, greatest(dur, 0) AS dur, name, input_dims_json,
    input_type_json, concrete_inputs_json
  FROM cpu_op
  WHERE input_dims_json IS NOT NULL AND name IN (SELECT name FROM formula)
),
outermost AS (
  SELECT *
  FROM (
    SELECT
      *,
      max(ts + dur) OVER (
        PARTITION BY track_id ORDER BY ts, dur DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reached
    FROM call
  )
  WHERE coalesce(reached, ts) <= ts
)
SELECT
  o.slice_id,
  o.trace_id,
  o.track_id,
  o.ts,
  o.dur,
  o.name,
  w.model,
  o.input_dims_json AS input_dims,
  o.input_type_json AS input_types,
  TRY_CAST(w.flops AS BIGINT) AS flops,
  TRY_CAST(w.bytes AS BIGINT) AS bytes
FROM outermost AS o
JOIN formula AS w
  ON w.name = o.name
  AND w.shapes = o.input_dims_json
  AND w.types IS NOT DISTINCT FROM o.input_type_json
  AND (w.scalars IS NULL OR w.scalars = o.concrete_inputs_json)
WHERE w.flops >= 0 OR w.bytes >= 0
ORDER BY o.slice_id
