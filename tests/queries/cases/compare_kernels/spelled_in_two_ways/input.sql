-- parameters: a=pytorch b=nsight
-- f is spelled in two ways; of g the linker's name is known on one side and is all the other has;
-- h<1> and h<2> are other functions, alone with that last part of their names; of k one side has two.
INSERT INTO run (id, name, kind, created_at)
VALUES (1, 'pytorch', 'measured', TIMESTAMP '2024-01-01'), (2, 'nsight', 'measured', TIMESTAMP '2024-01-02');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES
  (1, 1, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0),
  (2, 2, 't', 0, 'nsys', 'nsys', 1, '0', TIMESTAMP '2024-01-02', 0, 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, mangled_name)
VALUES
  (1, 1, 0, 0, 50, 'void f<4>(float const*)', 'kernel', 'compute', NULL),
  (2, 1, 0, 60, 40, '_Z1gv', 'kernel', 'compute', NULL),
  (3, 1, 0, 110, 30, 'void h<1>(int)', 'kernel', 'compute', NULL),
  (4, 1, 0, 150, 20, 'k(int)', 'kernel', 'compute', NULL),
  (11, 2, 0, 0, 100, 'void f<(int)4>(const T2 *)', 'kernel', 'compute', NULL),
  (12, 2, 0, 110, 40, 'g()', 'kernel', 'compute', '_Z1gv'),
  (13, 2, 0, 160, 33, 'void h<(int)2>(int)', 'kernel', 'compute', NULL),
  (14, 2, 0, 200, 2, 'void k<(int)1>(T1)', 'kernel', 'compute', NULL),
  (15, 2, 0, 210, 1, 'void k<(int)2>(T1)', 'kernel', 'compute', NULL);
