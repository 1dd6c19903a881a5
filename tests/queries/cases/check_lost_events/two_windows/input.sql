-- Two windows of trace 1 with 3 and 4 lost events beside 5 recorded ones; trace 2 lost a packet.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES
  (1, 1, 'a', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 1000, 0),
  (2, 1, 'b', 'ctf', 'ctf', 1, '0', TIMESTAMP '2024-01-01', 5000, 0);
INSERT INTO event_class (id, trace_id, name, n_events, first_ts, last_ts, stored_as)
VALUES (1, 1, 'p:a', 2, 0, 9, 'slice'), (2, 1, 'p:b', 3, 0, 9, 'slice');
INSERT INTO event_loss (id, trace_id, slice_id, from_ts, to_ts, n_events, n_packets, stream_number)
VALUES (1, 1, 10, 5, 9, 3, 0, 0), (2, 1, 11, 20, 29, 4, 0, 0), (3, 2, 12, 1, 2, 0, 1, 0);
