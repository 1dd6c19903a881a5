-- input: shared/work_below_roofline.sql
-- The second trace of the run has device work, but none to gain: the means are half.
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (2, 1, 'u', 4, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (901, 2, 9, 0, 100, 'other', 'kernel', 'compute');
