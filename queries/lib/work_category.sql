/* ---
name = "work_category"
version = 1
title = "Short names and categories of kernels and operators"
help = """
One row per kernel name and operator name of the scope, without regard to a time window. The category
of a kernel follows from its name alone, that of an operator from its name alone; words are searched
in the order of this text, so the first category that fits is the one given. The vocabulary of both is
this file.

Categories: gemm (with the parts of a split product), convolution, attention (with writes to a KV
cache), normalization, rope, softmax, elementwise (with fills, activations and conversions of types),
reduction (with scans, sorts, pooling and losses), embedding, optimizer, transpose_copy (copies,
permutations, gathering and scattering), random (with dropout), moe (routing and products of experts),
communication:KIND, triton:CATEGORY (kernels that a compiler generated, by the operators in their
name; without a more specific one elementwise or reduction, by the kind of the kernel), and other.

short_name is the name without namespaces, parameters, types that repeat, and numbers of lambdas; of a
product the layout, types and tile, of NCCL the collective, operation, type and protocol. Names of
more than 100 characters are cut. Kernels of the scope that would have the same short name have a
suffix computed from the whole name, so a short name stands for one name.
"""
grain = ["kind", "name"]
requires = { schema = ">=13" }
scale = "once"
computed_once = "reports"
columns = ["kind", "name", "short_name", "category"]

[column]
kind = { type = "VARCHAR", unit = "text", check = "IN ('kernel', 'operator')", help = "kernel or operator" }
name = { nullable = false, help = "Name as recorded" }
short_name = { type = "VARCHAR", unit = "text", help = "Short name, unique among the kernels of the scope; of an operator its name" }
category = { nullable = false, help = "Category" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT
    name,
    -- Suffixes that compilers append to a symbol: clones, and AMD's kernel descriptor.
    trim(
      regexp_replace(name, '(\s*\[clone [^\]]*\]|\s*\(?\.kd\)?|\.isra\.\d+|\.constprop\.\d+)+$', '')
    ) AS bare
  FROM (SELECT DISTINCT name FROM whole_gpu_op WHERE kind = 'kernel' AND name IS NOT NULL)
),
-- Mangled names are a sequence of lengths with as many characters each, one for each namespace. The
-- first component of what follows, the first template argument, is read in the same way.
mangled AS (
  SELECT
    name,
    list_reduce(
      range(24),
      lambda done, n: CASE
        WHEN regexp_matches(done.rest, '^\d+[A-Za-z_]')
        THEN struct_pack(
          first := CASE
            WHEN done.argument = '' THEN substr(
              done.rest, length(regexp_extract(done.rest, '^\d+')) + 1,
              regexp_extract(done.rest, '^\d+')::INTEGER
            )
            ELSE done.first
          END,
          argument := CASE
            WHEN done.argument = '' THEN ''
            ELSE substr(
              done.rest, length(regexp_extract(done.rest, '^\d+')) + 1,
              regexp_extract(done.rest, '^\d+')::INTEGER
            )
          END,
          rest := substr(
            done.rest,
            length(regexp_extract(done.rest, '^\d+')) + 1
              + regexp_extract(done.rest, '^\d+')::INTEGER
          )
        )
        WHEN done.argument = ''
        THEN struct_pack(
          first := done.first,
          argument := '?',
          rest := regexp_extract(done.rest, '^I(?:L[a-z]\d+E)*N(?:S\d*_|St)?(\d+[A-Za-z_].*)', 1)
        )
        ELSE done
      END,
      struct_pack(first := '', argument := '', rest := regexp_replace(bare, '^_ZN?K?', ''))
    ) AS part
  FROM kernel
  WHERE regexp_matches(bare, '^_ZN?K?\d{1,4}[A-Za-z_]') AND NOT regexp_matches(bare, '\d{5}')
),
-- Each line removes or rewrites one thing; the type that a lambda computes with stays.
signed AS (
  SELECT
    k.name,
    k.bare,
    m.part.first || CASE
      WHEN m.part.argument IN ('', '?') THEN ''
      ELSE '<' || m.part.argument || '>'
    END AS unmangled,
    list_reduce(
      range(8),
      lambda done, n: regexp_replace(done, '\([^()]*\)', '', 'g'),
      regexp_replace(
        regexp_replace(
          regexp_replace(
            regexp_replace(
              regexp_replace(
                regexp_replace(k.bare,
                  '\(anonymous namespace\)::|\{anonymous\}::|<unnamed>::', '', 'g'),
                '^std::enable_if<.*?>::type ', ''),
              '\[lambda\(([^()]*)\) \(instance (\d+)\)\]', '{lambda(\1)#\2}', 'g'),
            '::operator ?\(\)\(\) const', '', 'g'),
          '::\{lambda\(\)#\d+\}', '', 'g'),
        '::\{lambda\(([^()]*)\)#\d+\}', '<\1>', 'g')
    ) AS signature
  FROM kernel AS k
  LEFT JOIN mangled AS m ON m.name = k.name
),
spelled AS (
  SELECT
    *,
    lower(signature) AS text,
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            regexp_replace(
              regexp_replace(
                regexp_replace(
                  regexp_replace(signature, '^void ', ''),
                '\b(?:[A-Za-z_]\w*::)+', '', 'g'),
              '(\d)ul?\b', '\1', 'g'),
            ' >', '>', 'g'),
          ', (?:[Aa]rray<char ?\*, ?\d+>|TrivialOffsetCalculator<\d+, unsigned int>'
            || '|(?:Load|Store)With(?:out)?Cast(?:<\d+>)?)', '', 'g'),
        'TensorList\w*Metadata<[^<>]*>, ', '', 'g'),
      '\b((?:Binary|AUnary|BUnary)Functor)<(\w+), \w+, \w+, (\w+)<\w+>>', '\1<\3<\2>>', 'g'),
    'ReduceOp<(\w+), (?:func_wrapper_t<\w+, )?(\w+)<.*$', 'ReduceOp<\2<\1>>>') AS spelling
  FROM signed
),
shown AS (
  SELECT
    *,
    CASE
      WHEN unmangled <> '' THEN unmangled
      -- cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1
      WHEN regexp_matches(spelling, '^Kernel2?<cutlass\w*>')
      THEN regexp_extract(spelling, '<(\w+)', 1)
      -- ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_AllReduce_RING_LL_Sum_float
      WHEN regexp_matches(spelling, '^(?:nccl|rccl)(?:Dev)?Kernel_')
      THEN regexp_replace(spelling, '^(nccl|rccl)(?:Dev)?Kernel_(\w+).*', '\1_\2')
      -- Tensile: layout, types, tile and instruction.
      WHEN starts_with(spelling, 'Cijk_')
      THEN concat_ws(
        '_',
        regexp_extract(spelling, '^Cijk_[A-Za-z]+_[A-Za-z]+_[A-Z0-9]+'),
        nullif(regexp_extract(spelling, '_(MT\d+x\d+x\d+)', 1), ''),
        nullif(regexp_extract(spelling, '_(MI\d+x\d+x\d+(?:x\d+)?)_', 1), '')
      )
      -- cuBLAS and cuDNN, MIOpen: without the instruction and the order of the pipeline.
      WHEN regexp_matches(spelling, '^sm\d+_xmma_\w+_tilesize\d')
      THEN regexp_replace(spelling, '^(sm\d+_xmma_\w*?)_tilesize(\d+x\d+x\d+).*', '\1_\2')
      WHEN regexp_matches(spelling, '^igemm_\w+_bt\d')
      THEN regexp_replace(spelling, '^(igemm_\w*?_bt\d+x\d+x\d+).*', '\1')
      ELSE spelling
    END AS whole
  FROM spelled
),
shortened AS (
  SELECT
    name,
    text,
    CASE WHEN length(whole) > 100 THEN left(whole, 99) || '…' ELSE whole END AS short
  FROM shown
),
counted AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY short) AS n_of_short,
    count(*) OVER (PARTITION BY short, left(md5(name), 4)) AS n_of_hash
  FROM shortened
),
operator AS (
  SELECT
    name,
    -- Without library, autograd's wrapper, variant in place, list or native, and direction.
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(lower(name), '^autograd::engine::evaluate_function: ', ''),
          '^(?:[a-z0-9_]+(?:::|:|\.))+', ''),
        '^_*(?:foreach_|native_|fused_(?:adam)?)?', ''),
      '_*(?:backward\d*|_out|_)*$', '') AS text,
    lower(name) AS whole
  FROM (SELECT DISTINCT name FROM whole_cpu_op WHERE name IS NOT NULL)
)
SELECT
  'kernel' AS kind,
  name,
  CASE
    WHEN n_of_short = 1 THEN short
    WHEN n_of_hash = 1 THEN short || ' #' || left(md5(name), 4)
    ELSE short || ' #' || md5(name)
  END AS short_name,
  CASE
    WHEN regexp_matches(text, '^triton_(?:poi|per|red|tem|for|spl)')
    THEN 'triton:' || CASE
      WHEN regexp_matches(text, 'moe|expert') THEN 'moe'
      WHEN regexp_matches(text, 'attention|sdpa') THEN 'attention'
      WHEN regexp_matches(text, '^triton_tem\w*conv') THEN 'convolution'
      WHEN regexp_matches(text, '^triton_tem') THEN 'gemm'
      WHEN regexp_matches(
        text, '(?:layer|group|batch|rms)_?norm|mean\w*rsqrt|rsqrt\w*mean|var_mean'
      ) THEN 'normalization'
      WHEN regexp_matches(text, 'softmax|amax\w*exp|exp\w*amax') THEN 'softmax'
      WHEN regexp_matches(text, 'embedding') THEN 'embedding'
      WHEN regexp_matches(text, 'rand|dropout|bernoulli') THEN 'random'
      WHEN regexp_matches(text, '^triton_(?:per|red|spl)') THEN 'reduction'
      ELSE 'elementwise'
    END
    WHEN regexp_matches(
      text,
      '^(?:void )?(?:nccl|rccl|msccl)|multimem_\w*(?:reduce|gather)|cross_device_reduce|custom_?ar\b'
        || '|quick_?reduce|nvshmem|(?:one|two)_?shot_\w*reduce|all_?reduce_\w*kernel|lamport'
        || '|\b(?:deep_ep|pplx|mori)::'
    )
    THEN 'communication:' || CASE
      WHEN regexp_matches(text, 'all_?reduce|cross_device_reduce|quick_?reduce|custom_?ar\b|shot_\w*reduce')
      THEN 'allreduce'
      WHEN regexp_matches(text, 'reduce_?scatter') THEN 'reducescatter'
      WHEN regexp_matches(text, 'all_?gather') THEN 'allgather'
      WHEN regexp_matches(text, 'all_?to_?all|dispatch|combine') THEN 'alltoall'
      WHEN regexp_matches(text, 'send|recv') THEN 'sendrecv'
      WHEN regexp_matches(text, 'broadcast|bcast') THEN 'broadcast'
      WHEN regexp_matches(text, '_reduce') THEN 'reduce'
      ELSE 'unknown'
    END
    WHEN regexp_matches(
      text,
      'embedding_?(?:forward|backward|codegen|bag|dense|grad|kernel)|split_embedding|parallel_embedding'
        || '|linearize_index|bounds_check_indices|krn_partial|compute_num_of_partial'
    ) AND NOT contains(text, 'rotary')
    THEN 'embedding'
    WHEN regexp_matches(
      text,
      'adam(?:w|_|functor|mode|\b)|adagrad|\blamb(?:_|functor|\d|\b)|(?:_|\b)sgd(?:_|functor|\b)'
        || '|rmsprop|adadelta|\blion\b|\bmuon'
    )
    THEN 'optimizer'
    WHEN regexp_matches(
      text,
      '(?:\b|_|f)moe(?:\b|_|[a-z])|topk_?gating|_topk_forward|topk_softmax|matmul_ogs|_finalize_matmul'
        || '|bitmatrix|_combined_routing|routing_?indices|grouped_?topk|fused_experts|expert_offset'
        || '|^(?:void )?bmm_\w*dynbatch'
    )
    THEN 'moe'
    WHEN regexp_matches(
      text,
      'fmha|flash_?(?:attn|attention|fwd|bwd|infer|decode|mla|splitkv)|attention|attn_(?:fwd|bwd)'
        || '|(?:\b|_)(?:mha|mla)_|sdpa|kv_?cache|reshape_and_cache|concat_and_cache|reduce_segments'
        || '|bwd_kernel_(?:fuse|dk_dv|dq)|bwd_preprocess|batchprefill|batchdecode|flashinfer'
    )
    THEN 'attention'
    WHEN regexp_matches(text, 'rotary|(?:\b|_)rope(?:\b|_)') THEN 'rope'
    WHEN regexp_matches(
      text,
      '(?:layer|rms|batch|group|instance|l2)_?norm|(?:\b|_)bn_(?:fw|bw)|gammabeta|rowwisemoments'
        || '|computefusedparams|welford'
    )
    THEN 'normalization'
    WHEN regexp_matches(text, 'soft_?max') THEN 'softmax'
    WHEN regexp_matches(
      text,
      '(?:\b|_|\d)conv(?:olution|[123]d|_|\b|::)|implicit_?gemm|igemm_(?:fwd|bwd|wrw)|fprop|[dw]grad'
        || '|scudnn|winograd|bwd_(?:weight|data)|\bfft2d_|miopen\w*conv|im2col|col2im|cudnn::cnn'
        || '|cask_cudnn'
    )
    THEN 'convolution'
    WHEN regexp_matches(
      text,
      '(?:^|[^b])gemm|gemv|^cijk_|nvjet|matmul|cublas|splitkreduce|wvsplitk|(?:\b|_)bmm(?:\b|_)|_mm_kernel'
        || '|xmma|cutlass\w*tensorop|\bdot_kernel|\bepilogue::impl'
    )
    THEN 'gemm'
    WHEN regexp_matches(text, 'multi_?tensor_?apply|foreach_')
    THEN CASE
      WHEN contains(text, 'copy') THEN 'transpose_copy'
      WHEN contains(text, 'norm') THEN 'reduction'
      ELSE 'elementwise'
    END
    WHEN regexp_matches(
      text,
      'distribution_|curand|hiprand|rocrand|philox|randperm|bernoulli|dropout|multinomial'
    )
    THEN 'random'
    WHEN regexp_matches(
      text,
      '\breduce_kernel|\bcub::\w*(?:reduce|scan|sort|compact|select|histogram|unique)|\brocprim::'
        || '|\bhipcub|tensor_kernel_scan|radixsort|bitonicsort|topk|arg(?:max|min)'
        || '|(?:max|avg|average)_?pool|nll_?loss|cross_?entropy|cumsum|krowreduction|kcolumnreduction'
        || '|krowreduc|kcolreduc|input_reduce|searchsorted|top_?[kp]_?sampling|_sampling_'
    )
    THEN 'reduction'
    WHEN regexp_matches(
      text,
      'copy_kernel_|catarraybatched|transpose|permute|nchw_?to|nhwc_?to|cnhw|recat_'
        || '|index_?(?:select|elementwise|copy|put|func|ing_?(?:backward|forward))|gather_kernel'
        || '|scatter_(?:gather|add|kernel)|masked_(?:select|scatter)|flip_kernel|roll_cuda'
        || '|rocclr_copy|memcpy|triu_tril|repeat_interleave|offsets_range|to_dense_representation'
    )
    THEN 'transpose_copy'
    WHEN regexp_matches(
      text,
      'elementwise|pointwise_|fillfunctor|act_and_mul|activation|(?:silu|gelu|swiglu|geglu)_?\w*'
        || '|(?:\b|_|fp8|hfp8)(?:de)?quanti|_quant(?:_|\b)|qparam|fp8|hfp8|(?:sub)?tensoropwith|rocclr_fill|kloop_'
        || '|relu|\bloop_\w*fusion|wrapped_|optensor|add_bias|arange|_routing_memset'
    )
    THEN 'elementwise'
    ELSE 'other'
  END AS category
FROM counted
UNION ALL
SELECT
  'operator' AS kind,
  name,
  name AS short_name,
  CASE
    WHEN regexp_matches(whole, '^triton_(?:poi|per|red|tem|for|spl)')
    THEN 'triton:' || CASE
      WHEN regexp_matches(whole, 'moe|expert') THEN 'moe'
      WHEN regexp_matches(whole, 'attention|sdpa') THEN 'attention'
      WHEN regexp_matches(whole, '^triton_tem\w*conv') THEN 'convolution'
      WHEN regexp_matches(whole, '^triton_tem') THEN 'gemm'
      WHEN regexp_matches(
        whole, '(?:layer|group|batch|rms)_?norm|mean\w*rsqrt|rsqrt\w*mean|var_mean'
      ) THEN 'normalization'
      WHEN regexp_matches(whole, 'softmax|amax\w*exp|exp\w*amax') THEN 'softmax'
      WHEN regexp_matches(whole, 'embedding') THEN 'embedding'
      WHEN regexp_matches(whole, 'rand|dropout|bernoulli') THEN 'random'
      WHEN regexp_matches(whole, '^triton_(?:per|red|spl)') THEN 'reduction'
      ELSE 'elementwise'
    END
    WHEN regexp_matches(
      whole,
      '^(?:nccl|gloo|mpi|ucc|xccl):|c10d::|c10d_functional::|^record_param_comms|symm_mem::'
        || '|all_?reduce|all-reduce|reduce_?scatter|all_?gather|all_?(?:to|2)_?all|moe(?:dispatch|combine)$'
    )
    THEN 'communication:' || CASE
      WHEN regexp_matches(whole, 'all_?-?reduce') THEN 'allreduce'
      WHEN regexp_matches(whole, 'reduce_?-?scatter') THEN 'reducescatter'
      WHEN regexp_matches(whole, 'all_?-?gather') THEN 'allgather'
      WHEN regexp_matches(whole, 'all_?-?(?:to|2)_?-?all|dispatch|combine') THEN 'alltoall'
      WHEN regexp_matches(whole, 'send|recv') THEN 'sendrecv'
      WHEN contains(whole, 'broadcast') THEN 'broadcast'
      WHEN regexp_matches(whole, '(?::|_)reduce') THEN 'reduce'
      ELSE 'unknown'
    END
    WHEN regexp_matches(whole, 'adamw?_|adagrad_$|sgd_$|rmsprop|adadelta|^optimizer\.|fused_(?:adam|sgd|lamb)')
    THEN 'optimizer'
    WHEN regexp_matches(
      whole,
      '(?:::|_|^)(?:f|fused_)?moe(?:_|::|$)|fused_experts|topk_(?:softmax|sigmoid)|grouped_topk'
        || '|matmul_ogs|^topk$|^sorttokens$|tokenpermute'
    )
    THEN 'moe'
    WHEN regexp_matches(
      whole,
      'attention|flash_?attn|fmha|fusedattn|(?:::|_)mha_|(?:::|_)mla_|sdpa|store_cache|kv_cache|and_cache'
    )
    THEN 'attention'
    WHEN regexp_matches(whole, 'rotary|(?:::|_|fused)rope') THEN 'rope'
    WHEN regexp_matches(whole, '(?:layer|rms|batch|group|instance|l2)_?norm') THEN 'normalization'
    WHEN contains(whole, 'softmax') AND NOT contains(whole, 'cross_entropy') THEN 'softmax'
    WHEN regexp_matches(whole, 'embedding_(?:bag|dense)|embeddingbag|split_?(?:embedding|lookup)|bounds_check_indices')
      OR text IN ('embedding', 'embedding_renorm')
    THEN 'embedding'
    WHEN regexp_matches(whole, 'conv(?:olution|[123]d|bias|transpose|_depthwise|_fwd|_bwd)')
      AND NOT contains(whole, 'convert')
    THEN 'convolution'
    WHEN regexp_matches(whole, '(?:^|[^b])gemm|matmul|scaled_mm|_grouped_mm')
      OR regexp_matches(text, '^(?:b?mm|(?:ba?)?add(?:bmm|mm|mv|r)|baddbmm|int_mm|mv|v?dot|linear|einsum|addmm_activation)$')
    THEN 'gemm'
    WHEN regexp_matches(
      text,
      '^(?:rand\w*|normal|uniform|bernoulli|multinomial|exponential|cauchy|log_normal|geometric|random'
        || '|(?:feature_|alpha_|fused_)?dropout\w*)$'
    )
    THEN 'random'
    WHEN regexp_matches(
      text,
      '^(?:(?:nan)?sum\w*|(?:nan)?mean|prod|max|min|a?max|a?min|aminmax|argmax|argmin|any|all|norm'
        || '|linalg_(?:vector_)?norm|var(?:_mean)?|std(?:_mean)?|logsumexp|cumsum|cumprod|cum(?:max|min)|topk'
        || '|sort|argsort|unique\w*|histc|bincount|median|mode|count_nonzero|searchsorted|bucketize'
        || '|\w*_?loss\w*|\w*cross_?entropy\w*|(?:mkldnn_)?(?:adaptive_)?(?:max|avg|average)_?pool\w*|asynchronous_\w*cumsum)$'
    )
    THEN 'reduction'
    WHEN regexp_matches(
      text,
      '^(?:(?:to_)?copy|to|contiguous|clone|cat|stack|concat\w*|transpose\w*|t|permute\w*|index\w*|gather\w*'
        || '|scatter\w*|slice\w*|select\w*|narrow|expand\w*|(?:unsafe_)?view\w*|alias|as_strided|detach|(?:un)?squeeze|reshape\w*|flatten\w*|movedim|numpy_t|repeat\w*|tile|roll|flip'
        || '|masked_(?:select|scatter)|pad\w*|constant_pad_nd|reflection_pad\w*|unfold\w*|pixel_\w*|take\w*'
        || '|tril|triu|split\w*|chunk|unbind|nonzero|recat\w*|pin_memory|local_scalar_dense|resize|set'
        || '|offsets_range|to_dense_representation|memcpy\w*)$'
    )
    THEN 'transpose_copy'
    WHEN regexp_matches(
      text,
      '^(?:add\w*|sub|rsub|mul|div|neg|abs|sign|exp(?:m1|2)?|log\w*|pow|sqrt|rsqrt|square|reciprocal|sin|cos|tan'
        || '|relu\w*|gelu\w*|\w*silu\w*|mish|tanh|sigmoid|hardtanh|hardswish|hardsigmoid|leaky_relu|elu|softplus'
        || '|threshold|clamp\w*|maximum|minimum|where|masked_fill|fill|zero|zeros\w*|ones\w*|full\w*|erf\w*|floor\w*'
        || '|ceil|round|trunc|frac|lerp|addcmul|addcdiv|eq|ne|lt|le|gt|ge|logical_\w*|bitwise_\w*|isnan|isinf'
        || '|isfinite|nan_to_num|remainder|fmod|atan2?|acos|asin|sinh|cosh|glu|\w*_and_mul|mul_and_\w*'
        || '|\w*quant\w*|biasadd|cast|arange|linspace|amp_\w*|prelu|celu|selu|complex|real|imag)$'
    ) OR regexp_matches(whole, 'quantized$|quantize')
    THEN 'elementwise'
    ELSE 'other'
  END AS category
FROM operator
ORDER BY kind, name
