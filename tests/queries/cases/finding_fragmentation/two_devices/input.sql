-- Of 4,096 bytes of cuda 0, 1,624 are free in blocks of 512, 512 and 600: 1 - 600 / 1,624 = 63.1 % outside the
-- largest. Of cuda 1 all free memory is in one block. Of cuda 2 little is free, of 8,192 bytes 2 blocks of 256.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 3, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 0, 0);
INSERT INTO memory_segment (id, trace_id, device_kind, device_ordinal, address, reserved_bytes,
  stream, kind, pool) VALUES
  (1, 1, 'cuda', 0, 4096, 2048, 0, 'small', '0.0'), (2, 1, 'cuda', 0, 65536, 2048, 0, 'small', '0.0'),
  (3, 1, 'cuda', 1, 4096, 2048, 0, 'small', '0.0'), (4, 1, 'cuda', 2, 4096, 8192, 0, 'small', '0.0');
INSERT INTO memory_block (id, trace_id, memory_segment_id, address, bytes, requested_bytes, state)
VALUES
  (1, 1, 1, 4096, 512, 0, 'inactive'), (2, 1, 1, 4608, 1024, 1024, 'active_allocated'),
  (3, 1, 1, 5632, 512, 0, 'inactive'), (4, 1, 2, 65536, 600, 0, 'inactive'),
  (5, 1, 2, 66136, 1448, 1448, 'active_allocated'), (6, 1, 3, 4096, 2048, 0, 'inactive'),
  (7, 1, 4, 4096, 256, 0, 'inactive'), (8, 1, 4, 4352, 7680, 7680, 'active_allocated'),
  (9, 1, 4, 12032, 256, 0, 'inactive');
