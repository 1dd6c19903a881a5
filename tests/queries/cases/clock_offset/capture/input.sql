-- parameters: run_id=1
-- Traces 1 and 2 are captures of devices 0 and 1, trace 3 is their host's; its file counts from 1000.
-- The call disable_profile ended at 1000 + 8000, and the counters of device 0 had stopped 500 before: its
-- last record, at 200 + 700 on its own clock, ended at 8500. Device 1 does not say when its counters
-- stopped, so it begins (at 40) when the first call ended that is not the profiler's: at 1000 + 310.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', TIMESTAMP '2024-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, metadata_json)
VALUES
  (1, 1, 'c0', 0, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 200, 0,
    '{"tail_ns": 700, "tail_offset_ns": 500}'),
  (2, 1, 'c1', 1, 'sophgo', 'sophgo', 1, '0', TIMESTAMP '2024-01-01', 40, 0,
    '{"tail_ns": 700, "tail_offset_ns": null}'),
  (3, 1, 'h', NULL, 'chrome', 'chrome', 1, '0', TIMESTAMP '2024-01-01', 1000, 0, '{}');
INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth)
VALUES
  (1, 3, 0, 100, 50, 'tpudnn', 'enable_profile', 0),
  (2, 3, 0, 200, 100, 'cpu_op', 'aten::mm', 0),
  (3, 3, 0, 300, 10, 'tpudnn', 'tpudnnMatmulAsync', 0),
  (4, 3, 0, 400, 10, 'tpudnn', 'tpudnnGeluAsync', 0),
  (5, 3, 0, 7000, 1000, 'tpudnn', 'disable_profile', 0);
