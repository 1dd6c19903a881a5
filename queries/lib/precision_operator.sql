/* ---
name = "precision_operator"
version = 1
title = "Operators of dPRO trials, by whether they can compute in 16 bits"
help = """
op_class is the list of TensorFlow's automatic mixed precision that has the type: white types gain from 16
bits, clear ones lose nothing, grey ones are safe unless what they take is not, black ones need 32 bits. An
operator that returns float32 can compute in 16 bits if its type is white or clear, or if it is grey and
all operators before it can. Operators of other types, and those that update weights, stay in 32 bits.
"""
grain = ["trace_id", "node_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_node@1", "dpro_operation@2"] }
scale = "run"
computed_once = true
columns = ["run_id", "trace_id", "rank", "node_id", "operator", "phase", "type", "op_class", "is_float32", "is_able"]

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of replay_node" }
operator = { type = "VARCHAR", unit = "text", help = "Name in the framework" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW or UPDATE_" }
type.help = "Type, such as Conv2D; NULL: not recorded"
op_class = { type = "VARCHAR", unit = "text", help = "white, grey, clear, black, or other" }
is_float32 = { type = "BOOLEAN", unit = "bool", help = "Whether it returns float32" }
is_able = { type = "BOOLEAN", unit = "bool", help = "Whether it can compute in 16 bits" }

[changes]
1 = "first version"
--- */
WITH RECURSIVE class (op_class, type) AS (
  SELECT 'white', unnest(string_split_regex(trim('
    BatchMatMul BlockLSTM BlockLSTMGrad Conv2D Conv2DBackpropFilter Conv2DBackpropInput CudnnRNN
    CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3 CudnnRNNV2 CudnnRNNV3 GRUBlockCell
    GRUBlockCellGrad LSTMBlockCell LSTMBlockCellGrad MatMul'), '\s+'))
  UNION ALL
  SELECT 'grey', unnest(string_split_regex(trim('
    Add AddN AddV2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BiasAdd BiasAddGrad BiasAddV1 Elu
    EluGrad Erf Erfc FloorDiv FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2
    FusedBatchNormV3 Inv LeakyRelu LeakyReluGrad Mul Prod RealDiv Reciprocal Sigmoid SigmoidGrad
    Softplus SoftplusGrad Sqrt Sub Tanh TanhGrad'), '\s+'))
  UNION ALL
  SELECT 'black', unnest(string_split_regex(trim('
    Exp Expm1 L2Loss Log Log1p LogSoftmax Mean Pow SaveV2 Softmax SoftmaxCrossEntropyWithLogits
    SparseSoftmaxCrossEntropyWithLogits Sum'), '\s+'))
  UNION ALL
  SELECT 'clear', unnest(string_split_regex(trim('
    Abs ArgMax ArgMin BatchToSpace BatchToSpaceND BroadcastTo Ceil CheckNumerics ClipByValue Concat
    ConcatV2 DepthToSpace DynamicPartition DynamicStitch EnsureShape Enter Equal Exit ExpandDims
    Fill Floor Gather GatherNd GatherV2 Greater GreaterEqual Identity IdentityN IsFinite IsInf IsNan
    Less LessEqual Max MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad
    MaxPoolGradGradV2 MaxPoolGradV2 MaxPoolV2 Maximum Merge Min Minimum MirrorPad MirrorPadGrad Neg
    NextIteration NotEqual OneHot OnesLike Pack Pad PadV2 PreventGradient Rank Relu Relu6 Relu6Grad
    ReluGrad Reshape ResizeNearestNeighbor ResizeNearestNeighborGrad Reverse ReverseSequence
    ReverseV2 Round Select Shape ShapeN Sign Size Slice Snapshot SpaceToBatch SpaceToBatchND
    SpaceToDepth Split SplitV Squeeze StackPopV2 StackPushV2 StopGradient StridedSlice
    StridedSliceGrad Switch TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayReadV3
    TensorArrayScatterV3 TensorArraySplitV3 TensorArrayWriteV3 Tile TopK TopKV2 Transpose Where
    ZerosLike'), '\s+'))
),
operator AS MATERIALIZED (
  SELECT
    t.run_id, t.id AS trace_id, t.rank, p.place AS node_id, n.id, o.operator, o.phase, n.type,
    coalesce(c.op_class, 'other') AS op_class,
    coalesce(list_contains(
      list_transform(TRY(from_json(n.outputs_json, '[{"dtype": "VARCHAR"}]')), lambda x: x.dtype), 'float32'
    ), false) AS is_float32
  FROM graph_node AS n
  JOIN graph AS g ON g.id = n.graph_id AND g.kind = 'dpro'
  JOIN trace AS t ON t.id = n.trace_id
  JOIN dpro_operation() AS o ON o.graph_node_id = n.id AND o.phase <> 'Comm'
  JOIN dpro_node() AS p ON p.trace_id = t.id AND p.name = g.name || '->' || o.name
  LEFT JOIN class AS c ON c.type = n.type
),
edge AS (
  SELECT e.from_node_id, e.to_node_id
  FROM graph_edge AS e
  SEMI JOIN operator AS a ON a.id = e.from_node_id
  SEMI JOIN operator AS b ON b.id = e.to_node_id
),
unable AS (
  SELECT o.id
  FROM operator AS o
  LEFT JOIN (SELECT DISTINCT to_node_id FROM edge) AS e ON e.to_node_id = o.id
  WHERE NOT o.is_float32 OR starts_with(o.phase, 'UPDATE') OR o.op_class IN ('black', 'other')
    OR o.op_class = 'grey' AND e.to_node_id IS NULL
  UNION
  SELECT e.to_node_id
  FROM unable AS u
  JOIN edge AS e ON e.from_node_id = u.id
  JOIN operator AS o ON o.id = e.to_node_id
  WHERE o.op_class = 'grey'
)
SELECT
  run_id, trace_id, rank, node_id, operator, phase, type, op_class, is_float32,
  id NOT IN (SELECT id FROM unable) AS is_able
FROM operator
ORDER BY trace_id, node_id
