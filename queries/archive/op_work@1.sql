/* ---
name = "op_work"
version = 1
title = "Floating-point operations and bytes of operators, from the shapes of their inputs"
help = """
Only operators with a formula and with shapes, and only those that do not run inside another such
operator, so that nothing counts twice. The formulas are those of torch.utils.flop_counter: a product of
m x k and k x n is 2 m n k operations (mm, addmm, bmm, baddbmm, linear, _scaled_mm); a convolution
2 x batch x places x kernel x the weight's channels in and out, where places are those of its output,
of its input if transposed; its backward once each for the gradients asked for; attention 4 x batch
x heads x queries x keys x depth, causal masks not counted, and 10 of these in the backward. Unlike
there, the weight's gradient of a grouped convolution is not counted once for each group. bytes are
the least that must move: each input read and each output written once. Elementwise operators have
bytes alone. What is not known is NULL.
"""
grain = ["slice_id"]
requires = { schema = ">=1" }
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
help = "Which formula: matmul, convolution, convolution_backward, attention, attention_backward or elementwise"

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
--- */
WITH model_of AS (
  SELECT name, model, first_input
  FROM (VALUES
    ('aten::mm', 'matmul', 1),
    ('aten::bmm', 'matmul', 1),
    ('aten::linear', 'matmul', 1),
    ('aten::_scaled_mm', 'matmul', 1),
    ('aten::addmm', 'matmul', 2),
    ('aten::addmm_', 'matmul', 2),
    ('aten::_addmm_activation', 'matmul', 2),
    ('aten::baddbmm', 'matmul', 2),
    ('aten::baddbmm_', 'matmul', 2),
    ('aten::convolution', 'convolution', 1),
    ('aten::convolution_backward', 'convolution_backward', 2),
    ('aten::_scaled_dot_product_flash_attention', 'attention', 1),
    ('aten::_scaled_dot_product_efficient_attention', 'attention', 1),
    ('aten::_scaled_dot_product_cudnn_attention', 'attention', 1),
    ('aten::_scaled_dot_product_flash_attention_for_cpu', 'attention', 1),
    ('aten::_scaled_dot_product_flash_attention_backward', 'attention_backward', 2),
    ('aten::_scaled_dot_product_efficient_attention_backward', 'attention_backward', 2),
    ('aten::_scaled_dot_product_cudnn_attention_backward', 'attention_backward', 2),
    ('aten::_scaled_dot_product_flash_attention_for_cpu_backward', 'attention_backward', 2)
  ) AS m(name, model, first_input)
  UNION ALL
  SELECT 'aten::' || unnest([
      'add', 'add_', 'sub', 'sub_', 'mul', 'mul_', 'div', 'div_', 'copy_', 'relu', 'relu_',
      'gelu', 'silu', 'silu_', 'sigmoid', 'sigmoid_', 'tanh', 'tanh_', 'exp', 'exp_', 'log',
      'neg', 'abs', 'sqrt', 'rsqrt', 'pow', 'reciprocal', 'clamp', 'clamp_', 'clamp_min',
      'clamp_min_', 'where', 'fill_', 'zero_', 'threshold_backward', 'gelu_backward',
      'silu_backward', 'sigmoid_backward', 'tanh_backward'
    ]), 'elementwise', 1
),
element AS (
  SELECT type, n_bytes
  FROM (VALUES
    ('float', 4), ('double', 8), ('c10::Half', 2), ('c10::BFloat16', 2), ('int', 4),
    ('long', 8), ('long int', 8), ('long long', 8), ('short', 2), ('short int', 2), ('bool', 1),
    ('unsigned char', 1), ('signed char', 1), ('char', 1), ('c10::complex<float>', 8),
    ('c10::complex<double>', 16), ('c10::Float8_e4m3fn', 1), ('c10::Float8_e5m2', 1),
    ('c10::Float8_e4m3fnuz', 1), ('c10::Float8_e5m2fnuz', 1)
  ) AS e(type, n_bytes)
),
-- Each combination of name, shapes, types and values is worked out once, in doubles: exact below
-- 2^53, and no shape, however damaged, makes them fail.
call AS (
  SELECT
    o.slice_id, o.trace_id, o.track_id, o.ts, greatest(o.dur, 0) AS dur, o.name, m.model,
    m.first_input,
    o.input_dims_json AS dims_json,
    o.input_type_json AS types_json,
    CASE WHEN m.model LIKE 'convolution%' THEN o.concrete_inputs_json END AS values_json
  FROM cpu_op AS o
  JOIN model_of AS m ON m.name = o.name
  WHERE o.input_dims_json IS NOT NULL
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
),
signature AS (
  SELECT
    row_number() OVER () AS signature_n,
    *,
    json_transform(dims_json, '[["DOUBLE"]]') AS d,
    json_transform(types_json, '["VARCHAR"]') AS t,
    json_transform(values_json, '["VARCHAR"]') AS v
  FROM (SELECT DISTINCT name, model, first_input, dims_json, types_json, values_json FROM outermost)
),
-- a and b: what is multiplied, or input and weight, or queries and keys; c: values.
shaped AS (
  SELECT
    *,
    d[first_input] AS a,
    d[first_input + 1] AS b,
    d[first_input + 2] AS c,
    TRY_CAST(v[first_input + 3] AS DOUBLE[]) AS stride,
    TRY_CAST(v[first_input + 4] AS DOUBLE[]) AS padding,
    TRY_CAST(v[first_input + 5] AS DOUBLE[]) AS dilation,
    TRY_CAST(v[first_input + 6] AS BOOLEAN) AS is_transposed,
    TRY_CAST(v[first_input + 7] AS DOUBLE[]) AS output_padding,
    TRY_CAST(v[first_input + 8] AS DOUBLE) AS n_groups,
    TRY_CAST(v[11] AS BOOLEAN[]) AS output_mask
  FROM signature
),
placed AS (
  SELECT
    *,
    CASE WHEN model LIKE 'convolution%' THEN list_product(b[3:]) END AS n_kernel,
    CASE
      WHEN model = 'convolution_backward' THEN list_product(d[1][3:])
      WHEN model = 'convolution' AND is_transposed THEN list_product([
        (a[i + 2] - 1) * coalesce(stride[i], stride[1]) - 2 * coalesce(padding[i], padding[1])
          + coalesce(dilation[i], dilation[1]) * (b[i + 2] - 1)
          + coalesce(output_padding[i], output_padding[1], 0) + 1
        FOR i IN range(1, len(a) - 1)
      ])
      WHEN model = 'convolution' THEN list_product([
        floor(
          (a[i + 2] + 2 * coalesce(padding[i], padding[1])
            - coalesce(dilation[i], dilation[1]) * (b[i + 2] - 1) - 1)
          / coalesce(stride[i], stride[1])
        ) + 1
        FOR i IN range(1, len(a) - 1)
      ])
    END AS n_places,
    CASE
      WHEN model = 'elementwise' THEN list_product([
        greatest(
          CASE WHEN i < len(a) THEN a[len(a) - i] END,
          CASE WHEN i < len(b) THEN b[len(b) - i] END,
          CASE WHEN i < len(c) THEN c[len(c) - i] END
        )
        FOR i IN range(greatest(len(a), coalesce(len(b), 0), coalesce(len(c), 0)))
      ])
    END AS n_broadcast
  FROM shaped
),
-- Bytes of all inputs that are tensors; those without a type are scalars.
input_size AS (
  SELECT
    s.signature_n,
    sum(coalesce(list_product(s.dims), 1) * e.n_bytes) AS bytes,
    bool_and(e.n_bytes IS NOT NULL) AS is_known
  FROM (
    SELECT signature_n, unnest(d) AS dims, unnest(t) AS type FROM signature
  ) AS s
  LEFT JOIN element AS e ON e.type = s.type
  WHERE s.type NOT IN ('', 'Scalar', 'ScalarList')
  GROUP BY s.signature_n
),
worked AS (
  SELECT
    p.signature_n,
    CASE p.model
      WHEN 'matmul' THEN 2 * CASE
        WHEN p.name = 'aten::linear' THEN list_product(p.a) * p.b[1]
        ELSE list_product(p.a) * p.b[len(p.b)]
      END
      WHEN 'convolution' THEN 2 * p.a[1] * p.n_kernel * p.b[1] * p.b[2]
        * CASE WHEN p.is_transposed THEN list_product(p.a[3:]) ELSE p.n_places END
      WHEN 'convolution_backward' THEN 2 * p.a[1] * p.n_kernel * p.b[1] * p.b[2]
        * CASE WHEN p.is_transposed THEN list_product(p.a[3:]) ELSE p.n_places END
        * (p.output_mask[1]::INTEGER + p.output_mask[2]::INTEGER)
      WHEN 'attention' THEN
        2 * p.a[1] * p.a[2] * p.a[3] * p.b[3] * (p.a[4] + p.c[4])
      WHEN 'attention_backward' THEN
        2 * p.a[1] * p.a[2] * p.a[3] * p.b[3] * (3 * p.a[4] + 2 * p.c[4])
    END AS flops,
    CASE WHEN i.is_known THEN i.bytes END + CASE p.model
      WHEN 'matmul' THEN CASE
        WHEN p.name = 'aten::linear' THEN list_product(p.a)/ nullif(p.a[len(p.a)], 0) * p.b[1]
        ELSE list_product(p.a)/ nullif(p.a[len(p.a)], 0) * p.b[len(p.b)]
      END * CASE WHEN p.name = 'aten::_scaled_mm' THEN 2 ELSE e.n_bytes END
      WHEN 'convolution' THEN p.a[1] * p.n_places * e.n_bytes
        * CASE WHEN p.is_transposed THEN p.b[2] * p.n_groups ELSE p.b[1] END
      WHEN 'convolution_backward' THEN e.n_bytes * (
        list_product(p.a) * p.output_mask[1]::INTEGER
        + list_product(p.b) * p.output_mask[2]::INTEGER
      )
      WHEN 'attention' THEN p.a[1] * p.a[2] * p.a[3] * p.c[4] * e.n_bytes
      WHEN 'attention_backward' THEN e.n_bytes * (
        list_product(p.a) + list_product(p.b) + list_product(p.c)
      )
      -- a copy writes its first input and reads the second; filling reads nothing
      WHEN 'elementwise' THEN CASE
        WHEN p.name IN ('aten::copy_', 'aten::fill_', 'aten::zero_') THEN 0
        ELSE p.n_broadcast * e.n_bytes
      END
    END AS bytes
  FROM placed AS p
  LEFT JOIN input_size AS i ON i.signature_n = p.signature_n
  LEFT JOIN element AS e
    ON e.type = p.t[CASE WHEN p.name = 'aten::where' THEN 2 ELSE p.first_input END]
)
SELECT
  o.slice_id,
  o.trace_id,
  o.track_id,
  o.ts,
  o.dur,
  o.name,
  o.model,
  o.dims_json::VARCHAR AS input_dims,
  o.types_json::VARCHAR AS input_types,
  TRY_CAST(w.flops AS BIGINT) AS flops,
  TRY_CAST(w.bytes AS BIGINT) AS bytes
FROM outermost AS o
JOIN signature AS s
  ON s.name = o.name
  AND s.dims_json = o.dims_json
  AND s.types_json IS NOT DISTINCT FROM o.types_json
  AND s.values_json IS NOT DISTINCT FROM o.values_json
JOIN worked AS w ON w.signature_n = s.signature_n
WHERE w.flops >= 0 OR w.bytes >= 0
ORDER BY o.slice_id
