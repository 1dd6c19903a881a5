-- window: 100ns 200ns
-- Lives that end where the window begins are not in it, neither by a release (1) nor by another allocation (2);
-- of the others, one begins there (3), one ends behind it (4), one begins where it ends (5), and one is live (6).
-- What was released at the begin (7) and in the window (8) was allocated before the recording.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO memory_event (slice_id, trace_id, track_id, ts, name, address, bytes, device_kind, device_ordinal, source_order)
VALUES
  (1, 1, 0, 10, 'alloc', 1, 10, 'cuda', 0, 1), (11, 1, 0, 100, 'free', 1, -10, 'cuda', 0, 11),
  (2, 1, 0, 20, 'alloc', 2, 20, 'cuda', 0, 2), (3, 1, 0, 100, 'alloc', 2, 30, 'cuda', 0, 12),
  (12, 1, 0, 100, 'free', 2, -30, 'cuda', 0, 13),
  (4, 1, 0, 30, 'alloc', 4, 40, 'cuda', 0, 3), (13, 1, 0, 300, 'free', 4, -40, 'cuda', 0, 14),
  (5, 1, 0, 200, 'alloc', 5, 50, 'cuda', 0, 15), (6, 1, 0, 40, 'alloc', 6, 60, 'cuda', 0, 4),
  (7, 1, 0, 100, 'free', 7, -70, 'cuda', 0, 16), (8, 1, 0, 150, 'free', 8, -80, 'cuda', 0, 17);
