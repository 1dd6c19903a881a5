/* ---
name = "op_work"
version = 4
title = "Floating-point operations and bytes of operators, from input shapes"
help = """
Only operators with a formula, in shape_work or in the files that `formulas` in tw.toml names, and
recorded shapes that do not run inside another such operator, so nothing is counted twice. bytes is the
minimum traffic: each input read and each output written once. Outputs are not recorded on a timeline,
so the output of a reduction counts as 0. Unknown values are NULL.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["shape_work@3"] }
scale = "trace"
computed_once = true
columns = [
  "slice_id", "trace_id", "track_id", "ts", "dur", "name", "model", "input_dims", "input_types",
  "flops", "bytes",
]

[column]
slice_id.help = "Operator"
track_id.help = "Track of the slice"
ts.help = "Start of the slice"
dur = { type = "BIGINT", unit = "ns", help = "Duration of the slice; 0 if negative" }
name = { nullable = false, help = "Operator name" }
model.help = "Formula in shape_work: matmul, convolution, attention, normalisation, elementwise, ...; own formula: that of a file"
bytes.help = "Minimum traffic; NULL: unknown shape or type"

[column.flops]
type = "BIGINT"
unit = "count"
nullable = true
help = "Floating-point operations; NULL: no formula, or unknown shape"

[changes]
4 = "bytes by the formulas of shape_work@3"
1 = "first version"
2 = "formulas of shape_work: more operators, and operations of elementwise ones"
3 = "same rows, with the formulas of shape_work@2"
--- */
WITH known AS (
  SELECT name, shapes, types, scalars, model, flops, bytes_read + bytes_written AS bytes
  FROM shape_work('timeline')
  WHERE name NOT IN (SELECT name FROM own_operator_work)
  UNION ALL
  SELECT name, shapes, types, scalars, 'own formula', flops, bytes
  FROM own_operator_work
),
formula AS MATERIALIZED (
  SELECT row_number() OVER () AS formula_n, *
  FROM known
),
-- A number stands for the formula and the text of the arguments: what follows sorts all calls.
call AS (
  SELECT o.slice_id, o.trace_id, o.track_id, o.ts, greatest(o.dur, 0) AS dur, w.formula_n
  FROM cpu_op AS o
  LEFT JOIN formula AS w
    ON w.name = o.name
    AND w.shapes = o.input_dims_json
    AND w.types IS NOT DISTINCT FROM o.input_type_json
    AND (w.scalars IS NULL OR w.scalars = o.concrete_inputs_json)
  WHERE o.input_dims_json IS NOT NULL AND o.name IN (SELECT name FROM formula)
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
  w.name,
  w.model,
  w.shapes AS input_dims,
  w.types AS input_types,
  TRY_CAST(w.flops AS BIGINT) AS flops,
  TRY_CAST(w.bytes AS BIGINT) AS bytes
FROM outermost AS o
JOIN formula AS w ON w.formula_n = o.formula_n
WHERE w.flops >= 0 OR w.bytes >= 0
