-- Ten all_reduces of two ranks, to which both come at once: nine take 10, one takes 30.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2026-01-01');
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns, clock_id)
VALUES (1, 1, 'a', 0, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0, 10),
  (2, 1, 'b', 1, 'kineto', 'kineto', 1, '0', '2026-01-01', 0, 0, 20);
INSERT INTO clock (id, trace_id, name, offset_ns, uncertainty_ns, method)
VALUES (10, 1, 'host', 0, 0, 'reference'), (20, 2, 'host', 0, 0, 'collective');
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, kind)
SELECT 100 * t + n, t, 0, 100 * n, CASE n WHEN 3 THEN 30 ELSE 10 END, 'nccl', 'device', 'allreduce'
FROM range(10) AS a(n), range(1, 3) AS b(t);
INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence, link_set, query, query_version)
SELECT -n - 1, NULL, 1, 100 + n, 200 + n, 'collective_peer', 'order', 0.9, 'default', 'q', 1 FROM range(10) AS a(n);
