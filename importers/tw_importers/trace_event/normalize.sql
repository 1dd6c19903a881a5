-- From prepared spans to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32), of the first trace. The scratch tables are
-- prepare.sql's.

INSERT INTO process
SELECT
  getvariable('first_id') + p.process_n,
  getvariable('trace_id') + p.trace_n,
  any_value(p.pid_number),
  any_value(s.display_name) FILTER (s.name = 'process_name'),
  any_value(s.labels) FILTER (s.name = 'process_labels'),
  NULL,
  any_value(s.sort_index) FILTER (s.name = 'process_sort_index'),
  p.pid,
  NULL
FROM scratch.track_number AS p
LEFT JOIN scratch.process_metadata AS s
  ON s.trace_n = p.trace_n AND s.pid IS NOT DISTINCT FROM p.pid
GROUP BY p.trace_n, p.process_n, p.pid
ORDER BY p.process_n;

INSERT INTO thread (
  id, trace_id, process_id, tid, name, sort_index, is_main, source_tid, extra_json
)
SELECT
  getvariable('first_id') + p.track_n,
  getvariable('trace_id') + p.trace_n,
  getvariable('first_id') + p.process_n,
  p.tid_number,
  any_value(s.display_name) FILTER (s.name = 'thread_name'),
  any_value(s.sort_index) FILTER (s.name = 'thread_sort_index'),
  p.tid_number = p.pid_number,
  p.tid,
  -- a thread without a track that more than metadata names
  CASE WHEN any_value(p.has_events AND NOT p.has_slices) THEN '{"has_events":true}' END
FROM scratch.track_number AS p
LEFT JOIN scratch.thread_metadata AS s
  ON s.trace_n = p.trace_n
  AND s.pid IS NOT DISTINCT FROM p.pid
  AND s.tid IS NOT DISTINCT FROM p.tid
GROUP BY p.trace_n, p.track_n, p.process_n, p.tid_number, p.pid_number, p.tid
ORDER BY p.track_n;

INSERT INTO device
SELECT
  getvariable('first_id') + device_n,
  getvariable('trace_id') + (device_n >> 32),
  NULL,
  kind,
  ordinal,
  name,
  vendor,
  NULL,
  memory_bytes,
  n_compute_units,
  NULL,
  NULL,
  NULL,
  properties_json
FROM scratch.device_number
ORDER BY device_n;

-- Threads and streams
INSERT INTO track (id, trace_id, kind, name, process_id, thread_id, device_id, stream, sort_index)
SELECT
  getvariable('first_id') + p.track_n,
  getvariable('trace_id') + p.trace_n,
  CASE WHEN d.device_n IS NULL THEN 'thread' ELSE 'stream' END,
  coalesce(
    nullif(trim(t.name), ''),
    CASE WHEN d.device_n IS NOT NULL THEN 'stream ' || d.stream END,
    CASE WHEN p.tid_number IS NULL THEN p.tid ->> '$' ELSE 'thread ' || p.tid_number END
  ),
  getvariable('first_id') + p.process_n,
  getvariable('first_id') + p.track_n,
  getvariable('first_id') + d.device_n,
  d.stream,
  t.sort_index
FROM scratch.track_number AS p
JOIN thread AS t ON t.id = getvariable('first_id') + p.track_n
LEFT JOIN scratch.stream_number AS d ON d.track_n = p.track_n
WHERE p.has_slices
ORDER BY p.track_n;

-- Async groups
INSERT INTO track (id, trace_id, kind, name, process_id)
SELECT
  getvariable('first_id') + n.first_async_n + a.async_n,
  getvariable('trace_id') + n.trace_n,
  'async',
  arg_min(a.name, a.seq),
  getvariable('first_id') + min(p.process_n)
FROM scratch.async_event AS a
JOIN scratch.numbering AS n ON n.trace_n = (a.seq >> 32)
LEFT JOIN scratch.track_number AS p ON p.trace_n = n.trace_n AND p.pid IS NOT DISTINCT FROM a.pid
GROUP BY n.trace_n, n.first_async_n, a.async_n
ORDER BY a.async_n;

-- Counters; `value` or an empty name of a series adds nothing to the counter's name
INSERT INTO track (id, trace_id, kind, name, process_id, extra_json)
SELECT
  getvariable('first_id') + n.first_counter_n + c.counter_n,
  getvariable('trace_id') + n.trace_n,
  'counter',
  concat_ws(' ', c.name, 'id: ' || nullif(trim(c.id, '"'), ''), CASE WHEN c.series NOT IN ('value', '') THEN c.series END),
  getvariable('first_id') + any_value(p.process_n),
  json_object('name', c.name, 'series', c.series)
FROM scratch.counter_value AS c
JOIN scratch.numbering AS n ON n.trace_n = (c.seq >> 32)
LEFT JOIN scratch.track_number AS p ON p.trace_n = n.trace_n AND p.pid IS NOT DISTINCT FROM c.pid
GROUP BY n.trace_n, n.first_counter_n, c.counter_n, c.name, c.id, c.series
ORDER BY c.counter_n;

INSERT INTO counter
SELECT
  getvariable('first_id') + (n.trace_n << 32)
    + row_number() OVER (PARTITION BY n.trace_n ORDER BY c.counter_n, c.ts_ns, c.seq) - 1,
  getvariable('trace_id') + n.trace_n,
  getvariable('first_id') + n.first_counter_n + c.counter_n,
  c.ts_ns - o.first_ns,
  c.value
FROM scratch.counter_value AS c
JOIN scratch.numbering AS n ON n.trace_n = (c.seq >> 32)
JOIN scratch.origin AS o ON o.trace_n = n.trace_n
ORDER BY c.counter_n, c.ts_ns, c.seq;
