-- gloo records neither the other side of a send or recv, nor an input of a scatter but on its root: no
-- two sends and no two receives can be one communication, and the scatters of both ranks can.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01', 2000, 0);
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind, n_input_elements, data_type, input_bytes)
VALUES
  (1, 1, 0, 0, 10, 'gloo:recv', 'host', 'recv', 20, 'float', 80),
  (2, 2, 0, 0, 10, 'gloo:recv', 'host', 'recv', 20, 'float', 80),
  (3, 1, 0, 20, 10, 'gloo:send', 'host', 'send', 20, 'float', 80),
  (4, 1, 0, 40, 10, 'gloo:scatter', 'host', 'scatter', 12, 'float', 48),
  (5, 2, 0, 40, 10, 'gloo:scatter', 'host', 'scatter', NULL, NULL, NULL);
