/* ---
name = "shape_work"
version = 3
title = "Operations and bytes of each recorded combination of operator, shapes and types"
help = """
The only query with formulas: op_work applies them to timeline operators, graph_node_work to graph
nodes. A row is a combination, and the values it was computed from are its key.

Products are counted as by torch.utils.flop_counter: a product of m x k and k x n is 2 m n k
operations; a convolution 2 x batch x places x kernel x the weight's input and output channels,
where places are those of its output, or of its input if transposed; its backward once for each
requested gradient; attention 2 x batch x heads x queries x keys x (depth of keys + depth of values)
with causal masks ignored, and its backward five products instead of two. Unlike there, the weight
gradient of a grouped convolution is not counted once per group, and attention in the layout batch x
queries x heads x depth is read as such.

Of inference libraries, attention over packed sequences counts where all are of the longest's length,
else the lengths are not recorded; mixtures of experts count both products of each token and choice,
rotary embeddings 3 per rotated element, gated activations 2 per element of the result.

For operators that flop_counter counts as 0 the conventions are: elementwise operators 1 per element
of the result whatever the function, addcmul, addcdiv and dropout 2, lerp and mean squared errors 3,
copies and fills 0; reductions 1 per input element, norms 2, variances and logsumexp 3; softmax 5,
its backward 4; normalization over batch, layer or group 5 per element and 2 more with a weight,
over root mean squares 3 and 1, batch normalization in inference 2 and 2, backward twice as much
(training, 5 and 2); pooling 1 per element of each window; embedding 0, embedding bags and gradients
1 per added element; fused Adam 13, SGD 2 and 4 with momentum, Adagrad 7 per parameter element.

bytes_read and bytes_written are the minimum traffic: every input read once and every output written
once, embedding tables only at the rows looked up, and nothing read that is only overwritten.
Outputs are those recorded or given as `out` arguments, else those that follow from the formula;
nothing for reductions. Unknown values are NULL.
"""
grain = ["name", "shapes", "types", "scalars", "output_shapes", "output_types"]
requires = { schema = ">=1", queries = ["graph_io@2", "shape_model@2"] }
scale = "trace"
columns = [
  "name", "shapes", "types", "scalars", "output_shapes", "output_types", "model", "flops",
  "bytes_read", "bytes_written",
]

[param.source]
type = "VARCHAR"
default = "graph"
help = "timeline: operators of cpu_op; graph: graph nodes"

[param.graph_id]
type = "BIGINT"
unit = "ref graph.id"
nullable = true
help = "Restrict to the nodes of this graph"

[column]
name = { nullable = false, help = "Operator name" }
shapes = { type = "VARCHAR", unit = "json", help = "Input shapes" }
types = { type = "VARCHAR", unit = "json", nullable = true, help = "Input types" }
output_shapes = { type = "VARCHAR", unit = "json", nullable = true, help = "Output shapes, if recorded" }
output_types = { type = "VARCHAR", unit = "json", nullable = true, help = "Output types, if recorded" }
model.help = "Formula: matmul, convolution, attention, normalisation, ... or their backward"

[column.scalars]
type = "VARCHAR"
unit = "json"
nullable = true
help = "Values of non-tensor inputs that the formula needs"

[column.flops]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Floating-point operations; NULL: no formula, or unknown shape"

[column.bytes_read]
type = "DOUBLE"
unit = "byte"
nullable = true
help = "Minimum bytes read; NULL: unknown shape or type"

[column.bytes_written]
type = "DOUBLE"
unit = "byte"
nullable = true
help = "Minimum bytes written; NULL: unknown shape or type"

[changes]
1 = "first version"
3 = "outputs given as arguments are not read; types of mixed inputs; operators of inference libraries"
2 = "new parameter graph_id"
--- */
WITH model_of AS (
  SELECT * FROM shape_model()
),
-- The recorded values without tensors, so equal calls are equal.
recorded AS (
  SELECT
    o.name,
    m.model,
    o.input_dims_json AS shapes,
    o.input_type_json AS types,
    o.concrete_inputs_json AS values_json,
    NULL AS output_shapes,
    NULL AS output_types
  FROM cpu_op AS o
  JOIN model_of AS m ON m.name = o.name
  WHERE $source::VARCHAR = 'timeline' AND o.input_dims_json IS NOT NULL AND m.model <> 'collective'
  UNION ALL
  SELECT
    g.name,
    m.model,
    g.input_shapes,
    g.input_types,
    g.input_scalars,
    g.output_shapes,
    g.output_types
  FROM graph_io(true, $graph_id::BIGINT) AS g
  JOIN model_of AS m ON m.name = g.name
  WHERE $source::VARCHAR = 'graph' AND g.input_shapes IS NOT NULL
),
combination AS (
  SELECT DISTINCT
    name,
    shapes,
    types,
    CASE
      WHEN model LIKE 'convolution%' OR model LIKE 'pooling%' OR model = 'embedding_backward'
        OR name LIKE '%batch_norm' OR model IN ('packed_attention', 'rotary_embedding')
        THEN values_json
    END AS scalars,
    output_shapes,
    output_types
  FROM recorded
),
-- Computed in doubles: exact below 2^53, and no shape, however damaged, makes them fail.
signature AS (
  SELECT
    row_number() OVER () AS signature_n,
    c.*,
    m.model,
    m.first_input,
    m.per_element,
    m.weight,
    m.more_per_element,
    coalesce(m.not_read, []) AS not_read,
    m.writes,
    coalesce(m.outs, []) AS outs,
    m.layout,
    TRY(json_transform(c.shapes, '[["DOUBLE"]]')) AS d,
    TRY(json_transform(c.types, '["VARCHAR"]')) AS t,
    TRY(json_transform(c.scalars, '["VARCHAR"]')) AS v
  FROM combination AS c
  JOIN model_of AS m ON m.name = c.name
),
-- Each tensor of each argument, including those in lists.
argument AS (
  SELECT
    signature_n,
    is_output,
    argument,
    regexp_extract_all(shape, '\[([0-9, ]*)\]', 1) AS dims,
    CASE
      WHEN contains(type, 'Tensor(') THEN regexp_extract_all(type, 'Tensor\(([^)]*)\)', 1)
      WHEN type IN ('', 'Scalar', 'ScalarList', 'Int', 'Double', 'Bool', 'None', 'Object', 'Device',
        'String', 'Complex', 'Capsule', 'Generator', 'Storage', 'Layout', 'MemoryFormat')
        OR regexp_matches(type, '^(GenericList|Tuple|Dict)') THEN []
      ELSE [type]
    END AS tensor_types
  FROM (
    SELECT
      signature_n,
      false AS is_output,
      unnest(TRY(json_transform(shapes, '["JSON"]')))::VARCHAR AS shape,
      unnest(t) AS type,
      generate_subscripts(t, 1) AS argument
    FROM signature
    UNION ALL
    SELECT
      signature_n,
      true,
      unnest(TRY(json_transform(output_shapes, '["JSON"]')))::VARCHAR,
      unnest(TRY(json_transform(output_types, '["VARCHAR"]'))),
      generate_subscripts(TRY(json_transform(output_types, '["VARCHAR"]')), 1)
    FROM signature
    WHERE output_types IS NOT NULL
  )
),
tensor_of AS (
  SELECT
    a.signature_n,
    a.is_output,
    a.argument,
    coalesce(list_product(TRY_CAST(list_filter(string_split(a.dim, ','), lambda x: trim(x) <> '') AS DOUBLE[])), 1)
      AS n_elements,
    trim(a.dim) <> '' AS has_dimensions,
    e.category,
    e.n_bytes
  FROM (
    SELECT
      signature_n,
      is_output,
      argument,
      unnest(CASE WHEN len(dims) = len(tensor_types) THEN dims ELSE [NULL FOR x IN tensor_types] END) AS dim,
      unnest(tensor_types) AS type
    FROM argument
  ) AS a
  LEFT JOIN element_type AS e ON e.type = a.type AND a.dim IS NOT NULL
),
size AS (
  SELECT
    w.signature_n,
    sum(CASE WHEN NOT w.is_output AND w.argument = s.first_input THEN w.n_elements END) AS first_elements,
    sum(CASE WHEN NOT w.is_output AND w.argument = s.weight THEN w.n_elements END) > 0 AS has_weight,
    sum(CASE WHEN NOT w.is_output AND NOT list_contains(s.not_read, w.argument)
        AND NOT list_contains(s.outs, w.argument)
      THEN w.n_elements * w.n_bytes ELSE 0 END) AS read_bytes,
    sum(CASE WHEN NOT w.is_output AND list_contains(s.outs, w.argument)
      THEN w.n_elements * w.n_bytes END) AS out_bytes,
    sum(CASE WHEN NOT w.is_output AND list_contains(s.writes, w.argument)
      THEN w.n_elements * w.n_bytes ELSE 0 END) AS rewritten_bytes,
    sum(CASE WHEN w.is_output THEN w.n_elements END) AS output_elements,
    sum(CASE WHEN w.is_output THEN w.n_elements * w.n_bytes END) AS output_bytes,
    bool_and(w.n_bytes IS NOT NULL) FILTER (NOT w.is_output) AS is_input_known,
    bool_and(w.n_bytes IS NOT NULL) FILTER (w.is_output) AS is_output_known
  FROM tensor_of AS w
  JOIN signature AS s ON s.signature_n = w.signature_n
  GROUP BY w.signature_n
),
-- The type of an elementwise result, by the rules of torch.result_type: the highest category of all
-- inputs, and of those with dimensions the widest in it; tensors without dimensions, like numbers,
-- only count by their category. Two 16-bit floats of different types become 32 bits, a complex number
-- has parts as wide as the floats beside it.
promoted AS (
  SELECT
    signature_n,
    CASE
      WHEN coalesce(sized_category, -1) >= category THEN CASE
        WHEN n_narrow_types > 1 AND sized_bytes = 2 AND category = 2 THEN 4
        WHEN category = 3 THEN greatest(sized_bytes, 2 * sized_float_bytes)
        ELSE sized_bytes
      END
      WHEN category = 3 THEN greatest(n_bytes, 2 * sized_float_bytes)
      ELSE n_bytes
    END AS n_bytes,
    category
  FROM (
    SELECT
      p.signature_n,
      max(p.category) AS category,
      max(p.category) FILTER (p.has_dimensions) AS sized_category,
      max_by(p.n_bytes, (p.category, p.n_bytes)) AS n_bytes,
      max_by(p.n_bytes, (p.category, p.n_bytes)) FILTER (p.has_dimensions) AS sized_bytes,
      max(p.n_bytes) FILTER (p.has_dimensions AND p.category = 2) AS sized_float_bytes,
      count(DISTINCT s.t[p.argument]) FILTER (p.has_dimensions AND p.category = 2 AND p.n_bytes = 2)
        AS n_narrow_types
    FROM tensor_of AS p
    JOIN signature AS s ON s.signature_n = p.signature_n
    WHERE NOT p.is_output
      AND NOT list_contains(s.outs, p.argument)
      -- a condition or a mask does not take part
      AND NOT (s.name LIKE 'aten::where%' AND p.argument = 1)
      AND NOT (s.name LIKE 'aten::masked\_fill%' ESCAPE '\' AND p.argument = 2)
    GROUP BY p.signature_n
  )
),
-- a and b: factors, or input and weight, or queries and keys; c: values.
shaped AS (
  SELECT
    s.*,
    z.first_elements,
    z.has_weight,
    z.output_elements,
    z.output_bytes,
    z.is_output_known,
    CASE WHEN z.is_input_known THEN z.read_bytes END AS read_bytes,
    CASE WHEN z.is_input_known THEN z.out_bytes END AS out_bytes,
    CASE WHEN z.is_input_known AND s.writes IS NOT NULL THEN z.rewritten_bytes END AS rewritten_bytes,
    s.d[s.first_input] AS a,
    s.d[s.first_input + 1] AS b,
    s.d[s.first_input + 2] AS c,
    TRY_CAST(s.v[s.first_input + 3] AS DOUBLE[]) AS stride,
    TRY_CAST(s.v[s.first_input + 4] AS DOUBLE[]) AS padding,
    TRY_CAST(s.v[s.first_input + 5] AS DOUBLE[]) AS dilation,
    TRY_CAST(s.v[s.first_input + 6] AS BOOLEAN) AS is_transposed,
    TRY_CAST(s.v[s.first_input + 7] AS DOUBLE[]) AS output_padding,
    TRY_CAST(s.v[s.first_input + 8] AS DOUBLE) AS n_groups,
    TRY_CAST(s.v[11] AS BOOLEAN[]) AS output_mask,
    -- In _flash_attention_forward and similar operators the heads come after the queries; if
    -- several lengths are packed, the lengths are not in the shapes.
    s.layout = 'heads last'
      OR s.name LIKE '%::\_%\_attention\_%ward' ESCAPE '\' AND s.name NOT LIKE '%scaled_dot%'
      AS is_heads_last,
    -- The type of the result: bool for comparisons, whatever is compared; in place, that of the
    -- first input; a float for quotients and functions of integers.
    CASE
      WHEN regexp_matches(s.name, '^aten::(_foreach_)?(eq|ne|lt|le|gt|ge|logical_.*|isnan)_?$') THEN 1
      WHEN s.name = 'aten::_scaled_mm' THEN 2
      WHEN s.model <> 'elementwise' OR s.name LIKE '%\_' ESCAPE '\' OR s.name LIKE '%\_foreach%' ESCAPE '\'
        OR s.name LIKE '%backward'
        THEN e.n_bytes
      WHEN p.category < 2 AND regexp_matches(
        s.name,
        '^aten::(div|sigmoid|tanh|exp|expm1|log|log1p|log2|sqrt|rsqrt|reciprocal|sin|cos|erf)$'
      ) THEN 4
      ELSE p.n_bytes
    END AS result_bytes
  FROM signature AS s
  LEFT JOIN size AS z ON z.signature_n = s.signature_n
  LEFT JOIN (
    SELECT signature_n, argument, max(n_bytes) AS n_bytes
    FROM tensor_of
    WHERE NOT is_output
    GROUP BY signature_n, argument
  ) AS e
    ON e.signature_n = s.signature_n
    AND e.argument = CASE
      WHEN s.name LIKE 'aten::where%' THEN 2
      WHEN s.model = 'embedding' THEN 1
      ELSE s.first_input
    END
  LEFT JOIN promoted AS p ON p.signature_n = s.signature_n
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
      WHEN model = 'elementwise' AND name NOT LIKE 'aten::\_foreach%' ESCAPE '\' THEN list_product([
        greatest(
          CASE WHEN i < len(a) THEN a[len(a) - i] END,
          CASE WHEN i < len(b) THEN b[len(b) - i] END,
          CASE WHEN i < len(c) THEN c[len(c) - i] END
        )
        FOR i IN range(greatest(len(a), coalesce(len(b), 0), coalesce(len(c), 0)))
      ])
    END AS n_broadcast,
    -- A list with one number is a kernel as wide as high.
    CASE WHEN model LIKE 'pooling%' AND first_input > 1 AND name NOT LIKE '%adaptive%'
      THEN list_product(TRY_CAST(v[first_input] AS DOUBLE[]))
        * CASE WHEN len(TRY_CAST(v[first_input] AS DOUBLE[])) = 1
          THEN pow(TRY_CAST(v[first_input] AS DOUBLE[])[1], CASE WHEN name LIKE '%3d%' THEN 2 ELSE 1 END)
          ELSE 1 END
    END AS n_window,
    -- All of n sequences packed into n times the longest are as long as that.
    CASE
      WHEN model = 'packed_attention'
        AND a[1] = (d[4][1] - 1) * TRY_CAST(v[7] AS DOUBLE) AND v[7] = v[8]
        THEN TRY_CAST(v[8] AS DOUBLE)
    END AS n_packed_keys,
    CASE WHEN is_heads_last THEN a[3] ELSE a[2] END AS n_heads,
    CASE WHEN is_heads_last THEN a[2] ELSE a[3] END AS n_queries,
    CASE WHEN is_heads_last THEN b[2] ELSE b[3] END AS n_keys
  FROM shaped
),
counted AS (
  SELECT
    *,
    CASE model
      WHEN 'matmul' THEN 2 * CASE
        WHEN layout = 'transposed' THEN list_product(a) * CASE WHEN len(b) > 1 THEN b[1] ELSE 1 END
        WHEN len(b) = 1 THEN list_product(a)
        ELSE list_product(a) * b[len(b)]
      END
      -- Groups share the rows, or the columns of the second factor.
      WHEN 'grouped_matmul' THEN 2 * list_product(a) * b[len(b)]
        / CASE WHEN len(a) = 3 AND len(b) = 2 THEN a[1] ELSE 1 END
      WHEN 'packed_attention' THEN 2 * a[2] * a[1] * n_packed_keys * (a[3] + c[3])
      -- Only the rotated part of each head: two products and a sum.
      WHEN 'rotary_embedding' THEN
        per_element * (list_product(d[2]) + coalesce(list_product(d[3]), 0))
          * d[5][2] / TRY_CAST(v[4] AS DOUBLE)
      -- Both weights of the experts of each token.
      WHEN 'experts' THEN 2 * a[1] * d[4][2] * (b[2] * b[3] + c[2] * c[3])
      WHEN 'convolution' THEN 2 * a[1] * n_kernel * b[1] * b[2]
        * CASE WHEN is_transposed THEN list_product(a[3:]) ELSE n_places END
      WHEN 'convolution_backward' THEN 2 * a[1] * n_kernel * b[1] * b[2]
        * CASE WHEN is_transposed THEN list_product(a[3:]) ELSE n_places END
        * (output_mask[1]::INTEGER + output_mask[2]::INTEGER)
      WHEN 'attention' THEN
        2 * a[1] * n_heads * n_queries * n_keys * (a[4] + c[4])
      WHEN 'attention_backward' THEN
        2 * a[1] * n_heads * n_queries * n_keys * (3 * a[4] + 2 * c[4])
      WHEN 'normalisation' THEN first_elements * (
        CASE WHEN name LIKE '%batch_norm' AND NOT coalesce(TRY_CAST(v[6] AS BOOLEAN), true)
          THEN 2 ELSE per_element END
        + CASE WHEN has_weight THEN more_per_element ELSE 0 END
      )
      WHEN 'normalisation_backward' THEN
        first_elements * (per_element + CASE WHEN has_weight THEN more_per_element ELSE 0 END)
      WHEN 'optimizer' THEN
        first_elements * (per_element + CASE WHEN has_weight THEN more_per_element ELSE 0 END)
      WHEN 'elementwise' THEN
        per_element * coalesce(n_broadcast, first_elements)
      WHEN 'pooling' THEN CASE
        WHEN first_input = 1 THEN first_elements
        ELSE n_window * output_elements / CASE WHEN name LIKE '%with_indices' THEN 2 ELSE 1 END
      END
      WHEN 'pooling_backward' THEN CASE
        WHEN first_input = 3 THEN n_window * list_product(d[1])
        ELSE first_elements
      END
      WHEN 'embedding' THEN per_element * first_elements * d[1][len(d[1])]
      ELSE per_element * first_elements
    END AS flops,
    CASE
      WHEN is_output_known THEN output_bytes
      WHEN out_bytes IS NOT NULL THEN out_bytes
      ELSE CASE model
        WHEN 'matmul' THEN result_bytes * CASE
          WHEN layout = 'transposed' THEN list_product(a) / nullif(a[len(a)], 0)
            * CASE WHEN len(b) > 1 THEN b[1] ELSE 1 END
          WHEN len(b) = 1 THEN list_product(a) / nullif(a[len(a)], 0)
          ELSE list_product(a) / nullif(a[len(a)], 0) * b[len(b)]
        END
        WHEN 'grouped_matmul' THEN result_bytes * CASE
          WHEN len(a) = 2 AND len(b) = 2 THEN NULL -- one for each group, whose number is not a shape
          ELSE list_product(a) / nullif(a[len(a)], 0) * b[len(b)]
            / CASE WHEN len(a) = 3 AND len(b) = 2 THEN a[1] ELSE 1 END
        END
        WHEN 'packed_attention' THEN a[1] * a[2] * c[3] * result_bytes
        WHEN 'convolution' THEN a[1] * n_places * result_bytes
          * CASE WHEN is_transposed THEN b[2] * n_groups ELSE b[1] END
        WHEN 'convolution_backward' THEN result_bytes * (
          list_product(a) * output_mask[1]::INTEGER + list_product(b) * output_mask[2]::INTEGER
        )
        WHEN 'attention' THEN a[1] * a[2] * a[3] * c[4] * result_bytes
        WHEN 'attention_backward' THEN
          result_bytes * (list_product(a) + list_product(b) + list_product(c))
        WHEN 'embedding' THEN result_bytes * d[1][len(d[1])]
          * CASE WHEN per_element = 0 THEN list_product(d[2]) ELSE list_product(d[3]) END
        WHEN 'embedding_backward' THEN result_bytes * d[1][len(d[1])] * TRY_CAST(v[3] AS DOUBLE)
        WHEN 'elementwise' THEN coalesce(rewritten_bytes, n_broadcast * result_bytes, first_elements * result_bytes)
        ELSE rewritten_bytes
      END
    END AS written
  FROM placed
)
SELECT
  name,
  shapes,
  types,
  scalars,
  output_shapes,
  output_types,
  model,
  flops,
  -- Table lookups read as much of the table as they write.
  read_bytes + CASE
    WHEN model = 'gather' OR name = 'aten::embedding' THEN written
    WHEN model = 'embedding' THEN result_bytes * d[1][len(d[1])] * first_elements
    -- rows of sines and cosines
    WHEN model = 'rotary_embedding' THEN result_bytes * list_product(d[1]) * d[5][2]
    -- each expert once, of at most one for each token and choice
    WHEN model = 'experts' THEN
      result_bytes * least(b[1], a[1] * d[4][2]) * (b[2] * b[3] + c[2] * c[3])
    ELSE 0
  END AS bytes_read,
  written AS bytes_written
FROM counted
ORDER BY name, shapes
