-- input: shared/modules_of_a_network.sql
-- Runner_0 launches a kernel (2), and a graph whose kernel (11) the operator of Linear_0 was captured into.
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (30, 1, 100, 200, 20, 'python_function', 'nn.Module: Runner_0', 0, NULL),
  (31, 1, 100, 205, 2, 'cuda_runtime', 'cudaGraphLaunch', 1, 30),
  (33, 1, 100, 210, 2, 'cuda_runtime', 'cudaLaunchKernel', 1, 30);
INSERT INTO python_call (slice_id, trace_id, track_id, ts, dur, name)
VALUES (30, 1, 100, 200, 20, 'nn.Module: Runner_0');
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (32, 1, 107, 210, 11, 'k', 'kernel', 'compute'), (34, 1, 107, 230, 2, 'k', 'kernel', 'compute');
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query,
  query_version) VALUES
  (100, 1, 1, 31, 32, 'launch', 'correlation', 1, 'default', 'q', 1),
  (101, 1, 1, 33, 34, 'launch', 'correlation', 1, 'default', 'q', 1),
  (102, 1, 1, 5, 32, 'op_device', 'graph_capture', 0.9, 'default', 'q', 1);
