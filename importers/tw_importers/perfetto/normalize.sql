-- From prepared rows to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32). The scratch tables are tracks.sql's and slices.sql's.

INSERT INTO process (id, trace_id, pid, name, labels, sort_index)
SELECT
  getvariable('first_id') + p.process_n,
  getvariable('trace_id'),
  p.pid,
  arg_max(n.name, (n.priority << 32) + n.n),
  arg_max(n.labels, n.n),
  arg_max(n.sort_index, n.n)
FROM scratch.process_number AS p
LEFT JOIN scratch.named AS n ON n.pid = p.pid AND n.tid IS NULL
GROUP BY p.process_n, p.pid
ORDER BY p.process_n;

INSERT INTO thread (id, trace_id, process_id, tid, name, sort_index, is_main)
SELECT
  getvariable('first_id') + t.thread_n,
  getvariable('trace_id'),
  getvariable('first_id') + p.process_n,
  t.tid,
  arg_max(n.name, (n.priority << 32) + n.n),
  arg_max(n.sort_index, n.n),
  t.tid = t.pid
FROM scratch.thread_number AS t
JOIN scratch.process_number AS p USING (pid)
LEFT JOIN scratch.named AS n ON n.pid = t.pid AND n.tid = t.tid
GROUP BY t.thread_n, t.pid, t.tid, p.process_n
ORDER BY t.thread_n;

-- Tracks inside that of a thread are the thread's as well.
INSERT INTO track (
  id, trace_id, kind, name, process_id, thread_id, parent_track_id, unit, sort_index, extra_json
)
SELECT
  getvariable('first_id') + t.track_n,
  getvariable('trace_id'),
  CASE
    WHEN t.kind = 'counter' THEN 'counter'
    WHEN t.tid IS NOT NULL THEN 'thread'
    ELSE 'async'
  END,
  coalesce(
    t.name,
    h.name,
    CASE WHEN t.kind = 'thread' THEN 'thread ' || t.tid ELSE t.key END
  ),
  getvariable('first_id') + p.process_n,
  h.id,
  getvariable('first_id') + a.track_n,
  t.unit,
  coalesce(t.rank, CASE WHEN t.kind = 'thread' THEN h.sort_index END),
  CASE WHEN t.description IS NOT NULL THEN json_object('description', t.description) END
FROM scratch.track_number AS t
LEFT JOIN scratch.process_number AS p USING (pid)
LEFT JOIN scratch.thread_number AS e ON e.pid = t.pid AND e.tid = t.tid
LEFT JOIN thread AS h ON h.id = getvariable('first_id') + e.thread_n
LEFT JOIN scratch.known_track AS k ON k.uuid = t.parent
LEFT JOIN scratch.track_number AS a ON a.key = k.key
ORDER BY t.track_n;

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, phase, args_json, extra_json,
  is_leaf
)
SELECT
  getvariable('first_id') + s.rowid,
  getvariable('trace_id'),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  s.category,
  s.name,
  n.depth,
  getvariable('first_id') + n.parent_n,
  CASE WHEN s.phase = 'B' THEN 'X' ELSE s.phase END,
  s.args,
  s.extra,
  n.is_leaf
FROM scratch.span AS s
JOIN scratch.nest AS n ON n.entry_n = s.rowid
ORDER BY s.rowid;

INSERT INTO counter (id, trace_id, track_id, ts, value)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  value
FROM scratch.value
ORDER BY rowid;

INSERT INTO flow_point (id, trace_id, track_id, ts, phase, flow_key, binding, slice_id)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id') + track_n,
  ts,
  phase,
  flow::VARCHAR,
  'e',
  getvariable('first_id') + slice_n
FROM scratch.point
ORDER BY rowid;
