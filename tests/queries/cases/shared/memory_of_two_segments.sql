-- A device with two segments: one of four blocks, of which two are in use (one does not say what was
-- asked for), one awaits its release and one is free; the other all free.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO memory_segment (id, trace_id, device_kind, device_ordinal, address, reserved_bytes,
  stream, kind, pool) VALUES
  (1, 1, 'cuda', 0, 4096, 2048, 0, 'small', '0.0'),
  (2, 1, 'cuda', 0, 65536, 1024, 7, 'small', '0.1');
INSERT INTO memory_block (id, trace_id, memory_segment_id, address, bytes, requested_bytes, state)
VALUES
  (1, 1, 1, 4096, 512, 300, 'active_allocated'),
  (2, 1, 1, 4608, 512, NULL, 'active_allocated'),
  (3, 1, 1, 5120, 256, 200, 'active_awaiting_free'),
  (4, 1, 1, 5376, 768, 0, 'inactive'),
  (5, 1, 2, 65536, 1024, 0, 'inactive');
