-- Names of CUDA functions by CUPTI's callback ids, for ids that tracers record as numbers.
CREATE TABLE cuda_function (kind VARCHAR, id BIGINT, name VARCHAR);
INSERT INTO cuda_function VALUES
('runtime', 3, 'cudaGetDeviceCount_v3020'), ('runtime', 13, 'cudaLaunch_v3020'),
('runtime', 20, 'cudaMalloc_v3020'), ('runtime', 22, 'cudaFree_v3020'),
('runtime', 31, 'cudaMemcpy_v3020'), ('runtime', 41, 'cudaMemcpyAsync_v3020'),
('runtime', 51, 'cudaMemsetAsync_v3020'), ('runtime', 131, 'cudaStreamSynchronize_v3020'),
('runtime', 165, 'cudaDeviceSynchronize_v3020'), ('runtime', 211, 'cudaLaunchKernel_v7000'),
('driver', 307, 'cuLaunchKernel');

DELETE FROM cuda_function AS f USING named_function AS n WHERE n.kind = f.kind AND n.id = f.id;
INSERT INTO cuda_function SELECT DISTINCT ON (kind, id) kind, id, name FROM named_function;
