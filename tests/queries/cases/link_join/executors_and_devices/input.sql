-- parameters: trace_id=1
-- Run 1 waited for the executor's slice 11, which ends after all others, and ends with 12 inside of it;
-- run 2 for the kernel 14, which ends after the executor's slice 13; that of run 2's own thread (15) and
-- what ends after it (16) do not count. Runs 3 and 4 of another process overlap; 17 may be of either.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns)
VALUES (1, 1, 't', 0, 'ctf', 'ctf', 1, '0', '2026-01-01', 0, 0);
INSERT INTO track (id, trace_id, process_id, kind) VALUES
  (1, 1, 7, 'thread'), (2, 1, 7, 'thread'), (3, 1, 7, 'stream'), (4, 1, 8, 'thread'),
  (5, 1, 8, 'thread'), (6, 1, 8, 'thread');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id) VALUES
  (1, 1, 1, 0, 100, 'session', 'DirectSession::Run', 0, NULL),
  (2, 1, 1, 100, 100, 'session', 'DirectSession::Run', 0, NULL),
  (3, 1, 4, 0, 60, 'session', 'DirectSession::Run', 0, NULL),
  (4, 1, 5, 50, 60, 'session', 'DirectSession::Run', 0, NULL),
  (10, 1, 2, 5, 20, 'scheduling', 'a', 0, NULL),
  (11, 1, 2, 40, 50, 'scheduling', 'b', 0, NULL),
  (12, 1, 2, 80, 10, 'cpu_op', 'b', 1, 11),
  (13, 1, 2, 110, 30, 'scheduling', 'c', 0, NULL),
  (14, 1, 3, 130, 60, 'kernel', 'k', 0, NULL),
  (15, 1, 1, 105, 94, 'scheduling', 'd', 1, 2),
  (16, 1, 2, 195, 10, 'scheduling', 'e', 0, NULL),
  (17, 1, 6, 52, 5, 'scheduling', 'f', 0, NULL);
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) VALUES
  (1, 1, 1, 0, 100, 'DirectSession::Run', 0), (2, 1, 1, 100, 100, 'DirectSession::Run', 1),
  (3, 1, 4, 0, 60, 'DirectSession::Run', 0), (4, 1, 5, 50, 60, 'DirectSession::Run', 1);
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) VALUES
  (14, 1, 3, 130, 60, 'k', 'kernel', 'compute');
