-- parameters: trace_id=1
-- Three begin at 100: Ev Idx orders them, and what has none comes last. An operator that never ended
-- has no duration. Ranges on a device, and other traces, are left out.
INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version, imported_at,
  base_ns, source_base_ns)
VALUES (1, 1, 'timeline', 'kineto', 'kineto', 1, '1', '2026-01-01', 1000500, 500),
  (2, 1, 'nodes', 'execution_trace', 'execution_trace', 1, '1', '2026-01-01', 0, 0);
INSERT INTO thread (id, trace_id, process_id, tid, source_tid)
VALUES (10, 1, 1, 70, '70'), (11, 1, 1, 80, '80'), (12, 1, 1, 7, '7');
INSERT INTO track (id, trace_id, kind, thread_id, device_id, stream)
VALUES (100, 1, 'thread', 10, NULL, NULL), (101, 1, 'thread', 11, NULL, NULL),
  (102, 1, 'stream', 12, 0, 7);
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json)
VALUES (1, 1, 100, 100, 900, 'cpu_op', 'aten::mm', 1, 4, NULL),
  (2, 1, 100, 100, -1, 'cpu_op', 'aten::t', 2, 1, NULL),
  (3, 1, 101, 50, 10, 'cpu_op', 'aten::add', 0, NULL, NULL),
  (4, 1, 100, 100, 1000, 'user_annotation', 'step', 0, NULL,
    '{"External id": 9, "Record function id": 4, "Ev Idx": 1}'),
  (5, 1, 102, 100, 1000, 'gpu_user_annotation', 'step', 0, NULL, '{"External id": 9}'),
  (6, 2, 100, 100, 1000, 'cpu_op', 'aten::mm', 0, NULL, NULL);
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, external_id, record_function_id,
  event_index)
VALUES (1, 1, 100, 100, 900, 'aten::mm', 10, 5, 2), (2, 1, 100, 100, -1, 'aten::t', 11, 6, NULL),
  (3, 1, 101, 50, 10, 'aten::add', NULL, 0, 0), (6, 2, 100, 100, 1000, 'aten::mm', 10, 5, 2);
INSERT INTO annotation (slice_id, trace_id, track_id, ts, dur, name, side, external_id)
VALUES (4, 1, 100, 100, 1000, 'step', 'host', 9), (5, 1, 102, 100, 1000, 'step', 'device', 9);
