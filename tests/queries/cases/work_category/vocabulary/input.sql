-- One name of each category, names that differ only in types left out, an event without a name, and
-- names outside of the time window. Copies have no category.
-- window: 0ns 1ns
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
VALUES
  (1, 1, 0, 0, 1, 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)', 'kernel', 'compute'),
  (2, 1, 0, 1, 1, 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)', 'kernel', 'compute'),
  (3, 1, 0, 2, 1, 'void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)', 'kernel', 'compute'),
  (4, 1, 0, 3, 1, 'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>(cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1::Params)', 'kernel', 'compute'),
  (5, 1, 0, 4, 1, 'Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN_LDSB1.kd', 'kernel', 'compute'),
  (6, 1, 0, 5, 1, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'kernel', 'compute'),
  (7, 1, 0, 6, 1, 'triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_2', 'kernel', 'compute'),
  (8, 1, 0, 7, 1, 'triton_poi_fused_add_cos_sin_0', 'kernel', 'compute'),
  (9, 1, 0, 8, 1, '_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_4PipeEEEEEvT0_', 'kernel', 'compute'),
  (10, 1, 0, 9, 1, 'sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_warpsize2x2x1_g1_execute_kernel_cudnn_infer', 'kernel', 'compute'),
  (11, 1, 0, 10, 1, 'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4> >(at::native::ReduceOp<float>)', 'kernel', 'compute'),
  (12, 1, 0, 11, 1, 'void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)', 'kernel', 'compute'),
  (13, 1, 0, 12, 1, 'void clover::par_reduce_kernel<calc_dt_kernel(int, clover::Buffer2D<double> &)::[lambda(int, int) (instance 1)]>(T1)', 'kernel', 'compute'),
  (14, 1, 0, 13, 1, 'saxpy(double *, double)', 'kernel', 'compute'),
  (15, 1, 0, 14, 1, 'vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)', 'kernel', 'compute'),
  (16, 1, 0, 15, 1, 'fmhaSm100aKernel_QkvE4m3OBfloat16H64', 'kernel', 'compute'),
  (17, 1, 0, 16, 1, 'void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*)', 'kernel', 'compute'),
  (18, 1, 0, 17, 1, 'void fbgemm_gpu::permute_2D_lengths_kernel<int>(int)', 'kernel', 'compute'),
  (19, 1, 0, 18, 1, 'split_embedding_codegen_forward_unweighted_kernel<float>(float)', 'kernel', 'compute'),
  (20, 1, 0, 19, 1, 'void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, 1>(int)', 'kernel', 'compute'),
  (21, 1, 0, 20, 1, 'void moe::dev::finalize::finalizeKernel<float>(int)', 'kernel', 'compute'),
  (90, 1, 0, 0, 1, NULL, 'kernel', 'compute'),
  (91, 1, 0, 0, 1, 'Memcpy HtoD', 'memcpy', 'memory');
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name)
VALUES
  (101, 1, 0, 0, 1, 'aten::mm'),
  (102, 1, 0, 1, 1, 'aten::copy_'),
  (103, 1, 0, 2, 1, 'autograd::engine::evaluate_function: MmBackward0'),
  (104, 1, 0, 3, 1, 'record_param_comms'),
  (105, 1, 0, 4, 1, 'c10d::allreduce_'),
  (106, 1, 0, 5, 1, 'aten::_foreach_add_'),
  (107, 1, 0, 6, 1, 'aten::_fused_adam_'),
  (108, 1, 0, 7, 1, 'aten::native_layer_norm_backward'),
  (109, 1, 0, 8, 1, 'aten::uniform_'),
  (110, 1, 0, 9, 1, 'aten::embedding'),
  (111, 1, 0, 10, 1, 'sgl_kernel::rotary_embedding'),
  (112, 1, 0, 11, 1, 'vllm::moe_forward'),
  (113, 1, 0, 12, 1, 'aten::convolution'),
  (114, 1, 0, 13, 1, 'aten::_softmax'),
  (115, 1, 0, 14, 1, 'aten::sum'),
  (116, 1, 0, 15, 1, 'sglang::store_cache'),
  (117, 1, 0, 16, 1, 'fbgemm::permute_2D_sparse_data'),
  (118, 1, 0, 17, 1, 'forward'),
  (119, 1, 0, 18, 1, 'triton_poi_fused_add_cos_sin_0');
