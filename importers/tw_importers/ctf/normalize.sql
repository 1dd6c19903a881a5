-- From prepared tables to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO process (id, trace_id, pid, name)
SELECT getvariable('first_id') + process_n, getvariable('trace_id'), pid, name
FROM scratch.process_number
ORDER BY process_n;

INSERT INTO thread (id, trace_id, process_id, tid, name, is_main)
SELECT
  getvariable('first_id') + t.track_n, getvariable('trace_id'),
  getvariable('first_id') + t.process_n, t.tid, t.name, t.tid = p.pid
FROM scratch.thread_number AS t
JOIN scratch.process_number AS p USING (process_n)
ORDER BY t.track_n;

INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json)
SELECT
  getvariable('first_id') + device_n, getvariable('trace_id'), 'gpu', device_n, 'GPU ' || device_n,
  CASE WHEN device <> '' THEN json_object('source_id', device) END
FROM scratch.device_number
ORDER BY device_n;

INSERT INTO track (id, trace_id, kind, name, process_id, thread_id, device_id, stream)
SELECT
  getvariable('first_id') + t.track_n,
  getvariable('trace_id'),
  CASE t.kind
    WHEN 'thread' THEN 'thread' WHEN 'stream' THEN 'stream' WHEN 'scheduler' THEN 'cpu'
    WHEN 'processor' THEN 'cpu' WHEN 'device' THEN 'engine' ELSE 'async'
  END,
  CASE t.kind
    WHEN 'thread' THEN coalesce(h.name, 'thread ' || t.tid)
    WHEN 'stream' THEN CASE
      WHEN t.queue IS NOT NULL THEN 'queue ' || t.queue
      WHEN t.sort IS NULL THEN 'queue'
      ELSE replace(t.sort, 'copy', 'copie') || 's'
    END
    WHEN 'scheduler' THEN 'CPU ' || t.cpu || ' (scheduling)'
    WHEN 'processor' THEN 'CPU ' || t.cpu
    WHEN 'device' THEN 'device events'
    WHEN 'async' THEN t.sort
    ELSE 'session'
  END,
  getvariable('first_id') + p.process_n,
  getvariable('first_id') + h.track_n,
  getvariable('first_id') + d.device_n,
  CASE WHEN t.kind = 'stream' THEN t.queue END
FROM scratch.track_number AS t
LEFT JOIN scratch.process_number AS p ON p.pid IS NOT DISTINCT FROM t.pid
LEFT JOIN scratch.thread_number AS h ON h.track_n = t.track_n
LEFT JOIN scratch.device_number AS d ON d.device = t.device
ORDER BY t.track_n;

INSERT INTO track (id, trace_id, kind, name)
SELECT getvariable('first_id') + track_n, getvariable('trace_id'), 'async', 'lost events of ' || name
FROM scratch.loss_track
ORDER BY track_n;

-- Windows of packets without duration may begin at one time: those that are equal in everything are
-- numbered.
CREATE TEMP TABLE loss_slice AS
SELECT s.entry_n, l.loss_n, l.n_events, l.n_packets
FROM (
  SELECT
    rowid AS entry_n, track_n, ts, dur, name,
    row_number() OVER (PARTITION BY track_n, ts, dur, name ORDER BY rowid) AS n
  FROM scratch.span
  WHERE meaning = 'loss'
) AS s
JOIN (
  SELECT
    l.loss_n, l.n_events, l.n_packets, p.track_n, l.from_ns - o.first_ns AS ts,
    l.to_ns - l.from_ns AS dur, l.name,
    row_number() OVER (
      PARTITION BY p.track_n, l.from_ns, l.to_ns, l.name ORDER BY l.loss_n
    ) AS n
  FROM scratch.loss AS l
  JOIN scratch.loss_track AS p USING (stream_n)
  CROSS JOIN scratch.origin AS o
) AS l USING (track_n, ts, dur, name, n);

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, is_leaf
)
SELECT
  getvariable('first_id') + s.rowid, getvariable('trace_id'), getvariable('first_id') + s.track_n,
  s.ts, s.dur, s.category::VARCHAR, s.name, n.depth, getvariable('first_id') + n.parent_n,
  json_object('n_events', l.n_events, 'n_packets', l.n_packets),
  n.is_leaf
FROM scratch.span AS s
JOIN scratch.nest AS n ON n.entry_n = s.rowid
JOIN loss_slice AS l ON l.entry_n = s.rowid
ORDER BY s.rowid;

INSERT INTO event_class (
  id, trace_id, name, n_events, first_ts, last_ts, stored_as, attributes_json, fields_json
)
SELECT
  getvariable('first_id') + c.class_n,
  getvariable('trace_id'),
  c.name,
  count(*),
  min(m.ts) - o.first_ns,
  max(m.ts) - o.first_ns,
  any_value(stored_as(c.meaning)) || CASE
    WHEN bool_and(e.is_merged) THEN ': ends'
    WHEN bool_or(e.is_merged) THEN ': ends, and some of their own'
    ELSE ''
  END,
  any_value(c.attributes_json),
  any_value(c.fields_json)
FROM scratch.stored_event AS e
JOIN scratch.event AS m USING (seq)
JOIN scratch.class_rule AS c USING (class_n)
CROSS JOIN scratch.origin AS o
GROUP BY c.class_n, c.name, o.first_ns
ORDER BY c.class_n;

INSERT INTO event_loss (id, trace_id, slice_id, from_ts, to_ts, n_events, n_packets, stream_number, cpu)
SELECT
  getvariable('first_id') + l.loss_n, getvariable('trace_id'),
  getvariable('first_id') + s.entry_n,
  l.from_ns - o.first_ns, l.to_ns - o.first_ns, l.n_events, l.n_packets, l.stream_n, l.cpu
FROM scratch.loss AS l
JOIN loss_slice AS s USING (loss_n)
CROSS JOIN scratch.origin AS o
ORDER BY l.loss_n;

DROP TABLE loss_slice;

INSERT INTO clock (
  id, trace_id, name, frequency_hz, reference_clock_id, offset_ns, uncertainty_ns, method, extra_json
)
SELECT
  getvariable('first_id') + clock_n, getvariable('trace_id'), name, frequency_hz,
  getvariable('first_id'), offset_ns, uncertainty_ns, method,
  CASE WHEN pid IS NOT NULL THEN json_object('pid', pid) END
FROM scratch.clock_domain
ORDER BY clock_n;

INSERT INTO clock (id, trace_id, name, frequency_hz, offset_ns, uncertainty_ns, method, extra_json)
SELECT
  getvariable('first_id') + 1000000 + trace_n, getvariable('trace_id'),
  coalesce(clock, 'cycles'), frequency, if(clock IS NULL, NULL, offset_ns), uncertainty_ns,
  if(clock IS NULL, NULL, 'metadata'),
  json_object('folder', folder, 'uuid', clock_uuid)
FROM scratch.ctf_trace
ORDER BY trace_n;
