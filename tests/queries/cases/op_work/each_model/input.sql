-- linear hides its addmm; add broadcasts 2 x 1 and 3 to 2 x 3; a convolution that keeps its places;
-- a copy writes halves and reads floats; mm of a type that is not known; an operator without shapes.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, input_dims_json, input_type_json,
  concrete_inputs_json) VALUES
  (1, 1, 0, 0, 100, 'aten::linear', '[[4,8],[3,8],[3]]', '["float","float","float"]', '["","",""]'),
  (2, 1, 0, 10, 50, 'aten::addmm', '[[3],[4,8],[8,3],[],[]]',
    '["float","float","float","Scalar","Scalar"]', '["","","","1","1"]'),
  (3, 1, 0, 100, 10, 'aten::add', '[[2,1],[3],[]]', '["float","float","Scalar"]', '["","","1"]'),
  (4, 1, 0, 200, 10, 'aten::convolution', '[[1,2,4,4],[3,2,3,3],[],[],[],[],[],[],[]]',
    '["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"]',
    '["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"]'),
  (5, 1, 0, 300, -1, 'aten::copy_', '[[10],[10],[]]', '["c10::Half","float","Scalar"]', NULL),
  (6, 1, 0, 400, 10, 'aten::mm', '[[2,3],[3,4]]', '["c10::New","c10::New"]', NULL),
  (7, 1, 0, 500, 10, 'aten::mm', NULL, NULL, NULL);
