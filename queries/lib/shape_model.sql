/* ---
name = "shape_model"
version = 1
title = "Operators whose operations and bytes follow from shapes, with their formulas"
help = """
The table that shape_work computes with. The formula of each model is in shape_work; a row gives the
argument that counts (from 1), the cost per element, inputs that are not read, and what is written
if no output is recorded.
"""
grain = ["name"]
requires = { schema = ">=8" }
columns = [
  "name", "model", "first_input", "per_element", "weight", "more_per_element", "not_read", "writes",
]

[column]
name = { nullable = false, help = "Operator name" }
model.help = "Formula"
first_input = { type = "INTEGER", unit = "count", check = "> 0", help = "Argument that counts" }
weight = { type = "INTEGER", unit = "count", nullable = true, help = "Argument whose presence adds cost; NULL: none" }
more_per_element = { type = "INTEGER", unit = "count", nullable = true, help = "Additional cost per element" }

[column.per_element]
type = "INTEGER"
unit = "count"
nullable = true
help = "Operations per element; NULL: given by the formula, or not counted"

[column.not_read]
type = "INTEGER[]"
unit = "count"
nullable = true
help = "Arguments not read, or only in part; NULL: none"

[column.writes]
type = "INTEGER[]"
unit = "count"
nullable = true
help = "Arguments as large as the output, if no output is recorded; NULL: given by the formula"

[changes]
1 = "first version"
--- */
SELECT
  unnest(names) AS name, model, first_input, per_element, weight, more_per_element, not_read, writes
FROM (VALUES
  (['aten::mm', 'aten::bmm', 'aten::linear', 'aten::_scaled_mm', 'aten::_int_mm', 'aten::mv',
    'aten::dot', 'aten::vdot'], 'matmul', 1, NULL, NULL, NULL, NULL, NULL),
  (['aten::addmm', 'aten::addmm_', 'aten::_addmm_activation', 'aten::baddbmm', 'aten::baddbmm_',
    'aten::addmv', 'aten::addmv_'], 'matmul', 2, NULL, NULL, NULL, NULL, NULL),
  (['aten::convolution'], 'convolution', 1, NULL, NULL, NULL, NULL, NULL),
  (['aten::convolution_backward'], 'convolution_backward', 2, NULL, NULL, NULL, NULL, NULL),
  (['aten::_scaled_dot_product_flash_attention', 'aten::_scaled_dot_product_efficient_attention',
    'aten::_scaled_dot_product_cudnn_attention', 'aten::_scaled_dot_product_fused_attention_overrideable',
    'aten::_scaled_dot_product_flash_attention_for_cpu', 'aten::_flash_attention_forward',
    'aten::_efficient_attention_forward'],
    'attention', 1, NULL, NULL, NULL, NULL, NULL),
  (['aten::_scaled_dot_product_flash_attention_backward',
    'aten::_scaled_dot_product_efficient_attention_backward',
    'aten::_scaled_dot_product_cudnn_attention_backward',
    'aten::_scaled_dot_product_fused_attention_overrideable_backward',
    'aten::_scaled_dot_product_flash_attention_for_cpu_backward',
    'aten::_flash_attention_backward', 'aten::_efficient_attention_backward'],
    'attention_backward', 2, NULL, NULL, NULL, NULL, NULL),
  (['aten::layer_norm', 'aten::native_layer_norm', 'aten::group_norm'],
    'normalisation', 1, 5, 3, 2, NULL, [1]),
  (['aten::rms_norm', 'aten::_fused_rms_norm'], 'normalisation', 1, 3, 3, 1, NULL, [1]),
  (['aten::batch_norm', 'aten::native_batch_norm', 'aten::cudnn_batch_norm',
    'aten::miopen_batch_norm', 'aten::native_group_norm', 'aten::_native_batch_norm_legit'],
    'normalisation', 1, 5, 2, 2, NULL, [1]),
  (['aten::native_layer_norm_backward'], 'normalisation_backward', 2, 10, 6, 4, NULL, [2]),
  (['aten::_fused_rms_norm_backward'], 'normalisation_backward', 2, 6, 5, 2, NULL, [2]),
  (['aten::native_batch_norm_backward', 'aten::cudnn_batch_norm_backward',
    'aten::miopen_batch_norm_backward'], 'normalisation_backward', 2, 10, 3, 4, NULL, [2]),
  (['aten::native_group_norm_backward'], 'normalisation_backward', 2, 10, 5, 4, NULL, [2]),
  (['aten::_softmax', 'aten::_log_softmax'], 'softmax', 1, 5, NULL, NULL, NULL, [1]),
  (['aten::_softmax_backward_data', 'aten::_log_softmax_backward_data'],
    'softmax_backward', 1, 4, NULL, NULL, NULL, [1]),
  (['aten::sum', 'aten::mean', 'aten::prod', 'aten::amax', 'aten::amin', 'aten::argmax',
    'aten::argmin', 'aten::any', 'aten::all', 'aten::nansum'], 'reduction', 1, 1, NULL, NULL, NULL, []),
  (['aten::norm', 'aten::linalg_vector_norm', 'aten::_foreach_norm'], 'reduction', 1, 2, NULL, NULL, NULL, []),
  (['aten::var', 'aten::std', 'aten::var_mean', 'aten::std_mean', 'aten::logsumexp'],
    'reduction', 1, 3, NULL, NULL, NULL, []),
  (['aten::mse_loss', 'aten::smooth_l1_loss', 'aten::binary_cross_entropy'],
    'reduction', 1, 3, NULL, NULL, NULL, []),
  (['aten::cumsum', 'aten::cumprod'], 'reduction', 1, 1, NULL, NULL, NULL, [1]),
  (['aten::nll_loss_forward', 'aten::nll_loss2d_forward'], 'reduction', 2, 1, NULL, NULL, [1], []),
  (['aten::max_pool2d_with_indices', 'aten::max_pool3d_with_indices', 'aten::avg_pool2d',
    'aten::avg_pool3d', 'aten::mkldnn_max_pool2d'], 'pooling', 2, 1, NULL, NULL, NULL, NULL),
  (['aten::_adaptive_avg_pool2d', 'aten::_adaptive_avg_pool3d', 'aten::mkldnn_adaptive_avg_pool2d'],
    'pooling', 1, 1, NULL, NULL, NULL, NULL),
  (['aten::max_pool2d_with_indices_backward', 'aten::max_pool3d_with_indices_backward'],
    'pooling_backward', 1, 1, NULL, NULL, [2], [2]),
  (['aten::avg_pool2d_backward', 'aten::avg_pool3d_backward'],
    'pooling_backward', 3, 1, NULL, NULL, [2], [2]),
  (['aten::_adaptive_avg_pool2d_backward', 'aten::_adaptive_avg_pool3d_backward',
    'aten::mkldnn_adaptive_avg_pool2d_backward'], 'pooling_backward', 2, 1, NULL, NULL, [2], [2]),
  (['aten::embedding'], 'embedding', 2, 0, NULL, NULL, [1], NULL),
  (['aten::_embedding_bag', 'aten::_embedding_bag_forward_only'],
    'embedding', 2, 1, NULL, NULL, [1], NULL),
  (['aten::embedding_dense_backward'], 'embedding_backward', 1, 1, NULL, NULL, NULL, NULL),
  (['aten::index_select', 'aten::gather', 'aten::index', 'aten::take'],
    'gather', 1, 0, NULL, NULL, [1], NULL),
  (['aten::cat', 'aten::stack'], 'elementwise', 1, 0, NULL, NULL, NULL, [1]),
  (['aten::copy_', 'aten::fill_', 'aten::zero_'], 'elementwise', 1, 0, NULL, NULL, [1], [1]),
  (['aten::_foreach_copy_'], 'elementwise', 1, 0, NULL, NULL, [1], [1]),
  (['aten::_foreach_zero_'], 'elementwise', 1, 0, NULL, NULL, [1], [1]),
  (['aten::native_dropout', 'aten::native_dropout_backward'], 'elementwise', 1, 2, NULL, NULL, NULL, NULL),
  (['aten::mse_loss_backward', 'aten::smooth_l1_loss_backward', 'aten::binary_cross_entropy_backward'],
    'elementwise', 2, 3, NULL, NULL, NULL, [2]),
  (['aten::_fused_adam_', 'aten::_fused_adamw_'], 'optimizer', 1, 13, NULL, NULL, NULL, [1, 3, 4, 5]),
  (['aten::_fused_sgd_'], 'optimizer', 1, 2, 3, 2, NULL, [1, 3]),
  (['aten::_fused_adagrad_'], 'optimizer', 1, 7, NULL, NULL, NULL, [1, 3]),
  (['aten::threshold_backward', 'aten::gelu_backward', 'aten::silu_backward', 'aten::sigmoid_backward',
    'aten::tanh_backward', 'aten::hardtanh_backward', 'aten::leaky_relu_backward', 'aten::elu_backward'],
    'elementwise', 1, 1, NULL, NULL, NULL, NULL),
  (['c10d::allreduce_', 'c10d::allreduce_coalesced_', 'c10d::broadcast_', 'c10d::reduce_',
    'c10d::send', '_c10d_functional::all_reduce', '_c10d_functional::all_reduce_',
    '_c10d_functional::broadcast', '_c10d_functional::broadcast_',
    '_c10d_functional::all_gather_into_tensor', '_c10d_functional::reduce_scatter_tensor',
    '_c10d_functional::all_to_all_single', 'record_param_comms'],
    'collective', 1, NULL, NULL, NULL, NULL, [1]),
  (['c10d::allgather_', 'c10d::_allgather_base_', 'c10d::allgather_into_tensor_coalesced_',
    'c10d::reduce_scatter_', 'c10d::_reduce_scatter_base_', 'c10d::reduce_scatter_tensor_coalesced_',
    'c10d::alltoall_', 'c10d::alltoall_base_', 'c10d::gather_', 'c10d::scatter_', 'c10d::recv_',
    'c10d::recv_any_source_'], 'collective', 1, NULL, NULL, NULL, [1], [1])
) AS m(names, model, first_input, per_element, weight, more_per_element, not_read, writes)
UNION ALL
-- Variants in place and not, of one tensor and of lists.
SELECT
  unnest(['aten::' || base, 'aten::' || base || '_', 'aten::_foreach_' || base,
    'aten::_foreach_' || base || '_']),
  'elementwise', 1, per_element, NULL, NULL, NULL, NULL
FROM (
  SELECT
    unnest([
      'add', 'sub', 'rsub', 'mul', 'div', 'relu', 'relu6', 'gelu', 'silu', 'mish', 'sigmoid', 'tanh',
      'exp', 'expm1', 'log', 'log1p', 'log2', 'neg', 'abs', 'sqrt', 'rsqrt', 'pow', 'square', 'reciprocal',
      'clamp', 'clamp_min', 'clamp_max', 'maximum', 'minimum', 'where', 'masked_fill', 'sin', 'cos',
      'erf', 'floor', 'ceil', 'round', 'sign', 'elu', 'leaky_relu', 'hardtanh', 'softplus',
      'remainder', 'floor_divide', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'logical_and', 'logical_or',
      'logical_not', 'bitwise_and', 'bitwise_or', 'bitwise_not', 'isnan', 'tril', 'triu', 'log_sigmoid_forward'
    ]) AS base,
    1 AS per_element
  UNION ALL
  SELECT unnest(['addcmul', 'addcdiv']), 2
  UNION ALL
  SELECT 'lerp', 3
)
ORDER BY name
