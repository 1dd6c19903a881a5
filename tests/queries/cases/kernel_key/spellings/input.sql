-- One kernel as two demanglers write it, one whose linker's name is known, one that is only that, a
-- copy as two profilers write it, a memset, and one without a name.
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class, mangled_name)
VALUES
  (1, 1, 0, 0, 1, 'void a::f<4, true, A<char*, 3ul> >(float const*)', 'kernel', 'compute', NULL),
  (2, 1, 0, 0, 1, 'void a::f<(int)4, (bool)1, A<char *, (unsigned long)3>>(const T3 *)', 'kernel', 'compute', NULL),
  (3, 1, 0, 0, 1, 'g(int, float *)', 'kernel', 'compute', '_Z1giPf'),
  (4, 2, 0, 0, 1, '_Z1giPf.kd', 'kernel', 'compute', NULL),
  (5, 1, 0, 0, 1, 'Memcpy HtoD (Pageable -> Device)', 'memcpy', 'memory', NULL),
  (6, 2, 0, 0, 1, 'MEMORY_COPY_HOST_TO_DEVICE', 'memcpy', 'memory', NULL),
  (7, 1, 0, 0, 1, 'Memset (Device)', 'memset', 'memory', NULL),
  (8, 1, 0, 0, 1, NULL, 'kernel', 'communication', NULL),
  (9, 1, 0, 0, 1, 'Stream Wait', 'sync', 'sync', NULL);
