/* ---
name = "shape_model"
version = 2
title = "Operators whose operations and bytes follow from shapes, with their formulas"
help = """
The table that shape_work computes with. The formula of each model is in shape_work; a row gives the
argument that counts (from 1), the cost per element, inputs that are not read, and what is written
if no output is recorded. Positions of `out` arguments are those of PyTorch's operator schemas.
"""
grain = ["name"]
requires = { schema = ">=8" }
columns = [
  "name", "model", "first_input", "per_element", "weight", "more_per_element", "not_read", "writes",
  "outs", "layout",
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

[column.outs]
type = "INTEGER[]"
unit = "count"
nullable = true
help = "Arguments that are outputs where they are tensors; NULL: none"

[column.layout]
type = "VARCHAR"
unit = "text"
nullable = true
help = "transposed: a weight of n x k; heads last: batch x places x heads x depth; packed: places of all sequences x heads x depth"

[changes]
2 = "outputs given as arguments; operators of inference libraries"
1 = "first version"
--- */
WITH model AS (
  SELECT
    unnest(names) AS name, model, first_input, per_element, weight, more_per_element, not_read, writes,
    layout
  FROM (VALUES
    (['aten::mm', 'aten::bmm', 'aten::_scaled_mm', 'aten::_int_mm', 'aten::mv',
      'aten::dot', 'aten::vdot'], 'matmul', 1, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::addmm', 'aten::addmm_', 'aten::_addmm_activation', 'aten::baddbmm', 'aten::baddbmm_',
      'aten::addmv', 'aten::addmv_'], 'matmul', 2, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::linear', 'aiter::gemm_a16w16', 'vllm::rocm_unquantized_gemm'],
      'matmul', 1, NULL, NULL, NULL, NULL, NULL, 'transposed'),
    (['aten::_grouped_mm'], 'grouped_matmul', 1, NULL, NULL, NULL, NULL, NULL, NULL),
    (['FlashAttnFunc', 'flash_attn::_flash_attn_forward', 'flash_attn_3::fwd',
      'aiter::_flash_attn_forward', 'aiter::wrapper_fmha_v3_fwd', 'aiter::mha_fwd',
      'aiter::fmha_v3_fwd'], 'attention', 1, NULL, NULL, NULL, NULL, NULL, 'heads last'),
    (['flash_attn::_flash_attn_backward', 'aiter::_flash_attn_backward', 'aiter::wrapper_fmha_v3_bwd',
      'aiter::mha_bwd'], 'attention_backward', 2, NULL, NULL, NULL, NULL, NULL, 'heads last'),
    (['aiter::mha_batch_prefill'], 'packed_attention', 1, NULL, NULL, NULL, NULL, NULL, 'packed'),
    (['aiter::rms_norm', 'vllm::rocm_aiter_rms_norm'], 'normalisation', 1, 3, 2, 1, NULL, [1], NULL),
    (['aiter::rmsnorm', '_C::rms_norm'], 'normalisation', 2, 3, 3, 1, [1], [1], NULL),
    (['_C::fused_add_rms_norm', 'vllm::rocm_aiter_rmsnorm2d_fwd_with_add'],
      'normalisation', 1, 4, 3, 1, NULL, [1, 2], NULL),
    (['aiter::add_rmsnorm', 'aiter::rmsnorm2d_fwd_with_add_ck'],
      'normalisation', 2, 4, 5, 1, [1, 4], [1, 4], NULL),
    (['_C::silu_and_mul', 'sgl_kernel::silu_and_mul', 'aiter::silu_and_mul', '_C::gelu_and_mul',
      'sgl_kernel::gelu_and_mul', '_C::gelu_tanh_and_mul', 'sgl_kernel::gelu_tanh_and_mul',
      '_C::mul_and_silu'], 'gated_activation', 1, 2, NULL, NULL, [1], [1], NULL),
    (['_C::rotary_embedding', 'sgl_kernel::rotary_embedding'],
      'rotary_embedding', 2, 3, NULL, NULL, [5], [2, 3], NULL),
    (['aiter::fused_moe_', 'vllm::inplace_fused_experts', 'vllm::outplace_fused_experts',
      'sglang::inplace_fused_experts', 'sglang::outplace_fused_experts'],
      'experts', 1, NULL, NULL, NULL, [2, 3], [1], NULL),
    (['aten::convolution'], 'convolution', 1, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::convolution_backward'], 'convolution_backward', 2, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::_scaled_dot_product_flash_attention', 'aten::_scaled_dot_product_efficient_attention',
      'aten::_scaled_dot_product_cudnn_attention', 'aten::_scaled_dot_product_fused_attention_overrideable',
      'aten::_scaled_dot_product_flash_attention_for_cpu', 'aten::_flash_attention_forward',
      'aten::_efficient_attention_forward'],
      'attention', 1, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::_scaled_dot_product_flash_attention_backward',
      'aten::_scaled_dot_product_efficient_attention_backward',
      'aten::_scaled_dot_product_cudnn_attention_backward',
      'aten::_scaled_dot_product_fused_attention_overrideable_backward',
      'aten::_scaled_dot_product_flash_attention_for_cpu_backward',
      'aten::_flash_attention_backward', 'aten::_efficient_attention_backward'],
      'attention_backward', 2, NULL, NULL, NULL, NULL, NULL, NULL),
    (['aten::layer_norm', 'aten::native_layer_norm', 'aten::group_norm'],
      'normalisation', 1, 5, 3, 2, NULL, [1], NULL),
    (['aten::rms_norm', 'aten::_fused_rms_norm'], 'normalisation', 1, 3, 3, 1, NULL, [1], NULL),
    (['aten::batch_norm', 'aten::native_batch_norm', 'aten::cudnn_batch_norm',
      'aten::miopen_batch_norm', 'aten::native_group_norm', 'aten::_native_batch_norm_legit'],
      'normalisation', 1, 5, 2, 2, NULL, [1], NULL),
    (['aten::native_layer_norm_backward'], 'normalisation_backward', 2, 10, 6, 4, NULL, [2], NULL),
    (['aten::_fused_rms_norm_backward'], 'normalisation_backward', 2, 6, 5, 2, NULL, [2], NULL),
    (['aten::native_batch_norm_backward', 'aten::cudnn_batch_norm_backward',
      'aten::miopen_batch_norm_backward'], 'normalisation_backward', 2, 10, 3, 4, NULL, [2], NULL),
    (['aten::native_group_norm_backward'], 'normalisation_backward', 2, 10, 5, 4, NULL, [2], NULL),
    (['aten::_softmax', 'aten::_log_softmax'], 'softmax', 1, 5, NULL, NULL, NULL, [1], NULL),
    (['aten::_softmax_backward_data', 'aten::_log_softmax_backward_data'],
      'softmax_backward', 1, 4, NULL, NULL, NULL, [1], NULL),
    (['aten::sum', 'aten::mean', 'aten::prod', 'aten::amax', 'aten::amin', 'aten::argmax',
      'aten::argmin', 'aten::any', 'aten::all', 'aten::nansum'], 'reduction', 1, 1, NULL, NULL, NULL, [], NULL),
    (['aten::norm', 'aten::linalg_vector_norm', 'aten::_foreach_norm'], 'reduction', 1, 2, NULL, NULL, NULL, [], NULL),
    (['aten::var', 'aten::std', 'aten::var_mean', 'aten::std_mean', 'aten::logsumexp'],
      'reduction', 1, 3, NULL, NULL, NULL, [], NULL),
    (['aten::mse_loss', 'aten::smooth_l1_loss', 'aten::binary_cross_entropy'],
      'reduction', 1, 3, NULL, NULL, NULL, [], NULL),
    (['aten::cumsum', 'aten::cumprod'], 'reduction', 1, 1, NULL, NULL, NULL, [1], NULL),
    (['aten::nll_loss_forward', 'aten::nll_loss2d_forward'], 'reduction', 2, 1, NULL, NULL, [1], [], NULL),
    (['aten::max_pool2d_with_indices', 'aten::max_pool3d_with_indices', 'aten::avg_pool2d',
      'aten::avg_pool3d', 'aten::mkldnn_max_pool2d'], 'pooling', 2, 1, NULL, NULL, NULL, NULL, NULL),
    (['aten::_adaptive_avg_pool2d', 'aten::_adaptive_avg_pool3d', 'aten::mkldnn_adaptive_avg_pool2d'],
      'pooling', 1, 1, NULL, NULL, NULL, NULL, NULL),
    (['aten::max_pool2d_with_indices_backward', 'aten::max_pool3d_with_indices_backward'],
      'pooling_backward', 1, 1, NULL, NULL, [2], [2], NULL),
    (['aten::avg_pool2d_backward', 'aten::avg_pool3d_backward'],
      'pooling_backward', 3, 1, NULL, NULL, [2], [2], NULL),
    (['aten::_adaptive_avg_pool2d_backward', 'aten::_adaptive_avg_pool3d_backward',
      'aten::mkldnn_adaptive_avg_pool2d_backward'], 'pooling_backward', 2, 1, NULL, NULL, [2], [2], NULL),
    (['aten::embedding'], 'embedding', 2, 0, NULL, NULL, [1], NULL, NULL),
    (['aten::_embedding_bag', 'aten::_embedding_bag_forward_only'],
      'embedding', 2, 1, NULL, NULL, [1], NULL, NULL),
    (['aten::embedding_dense_backward'], 'embedding_backward', 1, 1, NULL, NULL, NULL, NULL, NULL),
    (['aten::index_select', 'aten::gather', 'aten::index', 'aten::take'],
      'gather', 1, 0, NULL, NULL, [1], NULL, NULL),
    (['aten::cat', 'aten::stack'], 'elementwise', 1, 0, NULL, NULL, NULL, [1], NULL),
    (['aten::copy_', 'aten::fill_', 'aten::zero_'], 'elementwise', 1, 0, NULL, NULL, [1], [1], NULL),
    (['aten::_foreach_copy_'], 'elementwise', 1, 0, NULL, NULL, [1], [1], NULL),
    (['aten::_foreach_zero_'], 'elementwise', 1, 0, NULL, NULL, [1], [1], NULL),
    (['aten::native_dropout', 'aten::native_dropout_backward'], 'elementwise', 1, 2, NULL, NULL, NULL, NULL, NULL),
    (['aten::mse_loss_backward', 'aten::smooth_l1_loss_backward', 'aten::binary_cross_entropy_backward'],
      'elementwise', 2, 3, NULL, NULL, NULL, [2], NULL),
    (['aten::_fused_adam_', 'aten::_fused_adamw_'], 'optimizer', 1, 13, NULL, NULL, NULL, [1, 3, 4, 5], NULL),
    (['aten::_fused_sgd_'], 'optimizer', 1, 2, 3, 2, NULL, [1, 3], NULL),
    (['aten::_fused_adagrad_'], 'optimizer', 1, 7, NULL, NULL, NULL, [1, 3], NULL),
    (['aten::threshold_backward', 'aten::gelu_backward', 'aten::silu_backward', 'aten::sigmoid_backward',
      'aten::tanh_backward', 'aten::hardtanh_backward', 'aten::leaky_relu_backward', 'aten::elu_backward'],
      'elementwise', 1, 1, NULL, NULL, NULL, NULL, NULL),
    (['c10d::allreduce_', 'c10d::allreduce_coalesced_', 'c10d::broadcast_', 'c10d::reduce_',
      'c10d::send', '_c10d_functional::all_reduce', '_c10d_functional::all_reduce_',
      '_c10d_functional::broadcast', '_c10d_functional::broadcast_',
      '_c10d_functional::all_gather_into_tensor', '_c10d_functional::reduce_scatter_tensor',
      '_c10d_functional::all_to_all_single', 'record_param_comms'],
      'collective', 1, NULL, NULL, NULL, NULL, [1], NULL),
    (['c10d::allgather_', 'c10d::_allgather_base_', 'c10d::allgather_into_tensor_coalesced_',
      'c10d::reduce_scatter_', 'c10d::_reduce_scatter_base_', 'c10d::reduce_scatter_tensor_coalesced_',
      'c10d::alltoall_', 'c10d::alltoall_base_', 'c10d::gather_', 'c10d::scatter_', 'c10d::recv_',
      'c10d::recv_any_source_'], 'collective', 1, NULL, NULL, NULL, [1], [1], NULL)
  ) AS m(
    names, model, first_input, per_element, weight, more_per_element, not_read, writes, layout
  )
  UNION ALL
  -- Variants in place and not, of one tensor and of lists.
  SELECT
    unnest(['aten::' || base, 'aten::' || base || '_', 'aten::_foreach_' || base,
      'aten::_foreach_' || base || '_']),
    'elementwise', 1, per_element, NULL, NULL, NULL, NULL, NULL
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
),
-- The places of outputs in the overloads of operators that write to given tensors.
out_argument AS (
  SELECT 'aten::' || unnest(names) AS name, positions
  FROM (VALUES
    ([3], ['_adaptive_avg_pool2d', '_adaptive_avg_pool2d_backward', '_adaptive_avg_pool3d',
      '_adaptive_avg_pool3d_backward', '_int_mm', 'bitwise_and', 'bitwise_or', 'cat',
      'clamp_max', 'clamp_min', 'dot', 'eq', 'floor_divide', 'ge', 'gelu', 'gt', 'index', 'le',
      'leaky_relu', 'logical_and', 'logical_or', 'lt', 'maximum', 'minimum',
      'mkldnn_adaptive_avg_pool2d', 'mkldnn_adaptive_avg_pool2d_backward', 'mul', 'mv', 'ne',
      'pow', 'remainder', 'sigmoid_backward', 'silu_backward', 'stack', 'take', 'tanh_backward',
      'tril', 'triu', 'vdot']),
    ([7], ['_addmm_activation', 'elu_backward', 'mkldnn_max_pool2d']),
    ([10, 11, 12, 13], ['_embedding_bag', '_embedding_bag_forward_only']),
    ([4], ['_foreach_norm', '_log_softmax', '_softmax', 'add', 'amax', 'amin', 'argmax',
      'argmin', 'clamp', 'cumprod', 'cumsum', 'gelu_backward', 'hardtanh', 'index_select',
      'lerp', 'linear', 'logsumexp', 'masked_fill', 'mse_loss', 'native_dropout_backward',
      'rsub', 'softplus', 'sub', 'threshold_backward', 'where']),
    ([5], ['_log_softmax_backward_data', '_softmax_backward_data', 'addcdiv', 'addcmul',
      'binary_cross_entropy', 'elu', 'gather', 'hardtanh_backward', 'leaky_relu_backward',
      'mse_loss_backward', 'nansum', 'smooth_l1_loss', 'std', 'var']),
    ([7, 8, 9, 10, 11], ['_native_batch_norm_legit']),
    ([9], ['_scaled_mm', 'avg_pool2d_backward', 'avg_pool3d_backward',
      'max_pool2d_with_indices_backward', 'max_pool3d_with_indices_backward']),
    ([2], ['abs', 'bitwise_not', 'ceil', 'cos', 'erf', 'exp', 'expm1', 'floor', 'isnan', 'log',
      'log1p', 'log2', 'logical_not', 'mish', 'neg', 'reciprocal', 'relu', 'rsqrt', 'sigmoid',
      'sign', 'silu', 'sin', 'sqrt', 'square', 'tanh']),
    ([6, 7], ['addmm', 'baddbmm', 'nll_loss2d_forward', 'nll_loss_forward']),
    ([6], ['addmv', 'binary_cross_entropy_backward', 'embedding', 'embedding_dense_backward',
      'linalg_vector_norm', 'smooth_l1_loss_backward']),
    ([2, 4], ['all', 'any']),
    ([8], ['avg_pool2d', 'avg_pool3d']),
    ([3, 4], ['bmm', 'div', 'mm']),
    ([10], ['convolution']),
    ([12, 13, 14], ['convolution_backward']),
    ([9, 10, 11, 12], ['cudnn_batch_norm']),
    ([10, 11, 12], ['cudnn_batch_norm_backward']),
    ([2, 3], ['log_sigmoid_forward', 'round']),
    ([7, 8], ['max_pool2d_with_indices', 'max_pool3d_with_indices']),
    ([3, 5], ['mean', 'prod', 'sum']),
    ([9, 10, 11], ['miopen_batch_norm', 'miopen_batch_norm_backward', 'native_batch_norm',
      'native_group_norm', 'native_layer_norm_backward']),
    ([11, 12, 13], ['native_batch_norm_backward', 'native_group_norm_backward']),
    ([4, 5], ['native_dropout']),
    ([6, 7, 8], ['native_layer_norm']),
    ([3, 4, 5, 6], ['norm']),
    ([5, 6], ['std_mean', 'var_mean'])
  ) AS o(positions, names)
)
SELECT
  m.name, m.model, m.first_input, m.per_element, m.weight, m.more_per_element, m.not_read, m.writes,
  o.positions AS outs, m.layout
FROM model AS m
LEFT JOIN out_argument AS o ON o.name = m.name
ORDER BY m.name
