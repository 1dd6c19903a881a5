-- Trace 1: process 100 has steps 1 [0, 100) with 2 [20, 50) inside it, 3 [80, 120) overlapping its end,
-- then a gap, an empty step 4, and 5, which never ended, so that it lasts to 6 [300, 310).
-- Process 101 has no step, so it has those of 100, and so has what belongs to no process.
-- Trace 2: two processes have steps; process 202 and what belongs to none have none.
-- Trace 3: a step that never ended lasts to the trace's end, which belongs to it.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns, end_ts)
SELECT id, 1, id::VARCHAR, 'kineto', 'kineto', 1, '0', TIMESTAMP '2026-01-01', 0, 0, 500
FROM unnest([1, 2, 3]) AS t(id);
INSERT INTO process (id, trace_id) VALUES (100, 1), (101, 1), (200, 2), (201, 2), (202, 2), (300, 3);
INSERT INTO track (id, trace_id, kind, process_id)
VALUES (10, 1, 'thread', 100), (20, 2, 'thread', 200), (21, 2, 'thread', 201),
  (30, 3, 'thread', 300);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, number)
VALUES (1, 1, 10, 0, 100, 11), (2, 1, 10, 20, 30, 12), (3, 1, 10, 80, 40, 13),
  (4, 1, 10, 200, 0, 14), (5, 1, 10, 210, -1, 15), (6, 1, 10, 300, 10, NULL),
  (7, 2, 20, 0, 100, 1), (8, 2, 21, 50, 100, 1), (9, 3, 30, 5, -1, 1);
