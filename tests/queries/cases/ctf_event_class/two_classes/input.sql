-- Class a has two events, b one.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES
  (1, 1, 'a', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 5000, 0);
INSERT INTO event_class (id, trace_id, name, n_events, first_ts, last_ts, stored_as)
VALUES (1, 1, 'p:a', 2, 3, 9, 'launch'), (2, 1, 'p:b', 1, 5, 5, 'launch: ends');
INSERT INTO recorded_event (
  id, trace_id, slice_id, event_class_id, is_merged, ts, placed_ts, stream_number
) VALUES (1, 1, 10, 1, false, 3, 3, 0), (2, 1, 10, 2, true, 5, 5, 0), (3, 1, 11, 1, false, 9, 9, 0);
