-- The slices in their stored order, what became of each event, and what is wrong with them.
-- In: all tables before. Out: `span`, `entry`, `stored_event`, `origin`, and the accounts.

CREATE TABLE origin AS
SELECT
  coalesce(least(min(at_ns), (SELECT min(from_ns) FROM loss)), 0) AS first_ns,
  coalesce(
    greatest(max(at_ns + greatest(dur, 0)), (SELECT max(to_ns) FROM loss)), min(at_ns), 0
  ) AS last_ns
FROM bare_span;

CREATE TABLE loss_place AS
SELECT
  (SELECT count(*) FROM track_place) + row_number() OVER (ORDER BY s.stream_n) - 1 AS track_n,
  s.stream_n, s.name
FROM ctf_stream AS s
WHERE s.stream_n IN (SELECT stream_n FROM loss);

CREATE TABLE span AS
WITH named AS (
  SELECT
    b.seq,
    b.end_seq,
    p.track_n,
    b.at_ns - o.first_ns AS ts,
    b.dur,
    c.meaning,
    c.class_n,
    CASE c.meaning
      WHEN 'session' THEN 'session'
      WHEN 'operation' THEN 'cpu_op'
      WHEN 'async_operation' THEN 'cpu_op'
      WHEN 'scheduling' THEN 'scheduling'
      WHEN 'stream_copy' THEN 'stream_executor'
      WHEN 'cuda_api' THEN if(c.event LIKE 'driver%', 'cuda_driver', 'cuda_runtime')
      WHEN 'hip_api' THEN 'hip_runtime'
      WHEN 'hsa_api' THEN 'hsa_runtime'
      WHEN 'hc_api' THEN 'hc_runtime'
      WHEN 'opencl_api' THEN 'opencl_runtime'
      WHEN 'dispatch' THEN 'hsa_queue'
      WHEN 'kernel' THEN if(w.kind = 'memset', 'gpu_memset', 'kernel')
      WHEN 'copy' THEN if(w.kind = 'memset', 'gpu_memset', 'gpu_memcpy')
      WHEN 'barrier' THEN 'gpu_sync'
      WHEN 'rendezvous' THEN 'rendezvous'
      WHEN 'allocator' THEN 'memory'
      WHEN 'allocator_bin' THEN 'memory'
      WHEN 'driver_memory' THEN 'memory'
      WHEN 'pool_memory' THEN 'memory'
      WHEN 'python' THEN if(b.step = 1, 'user_annotation', 'python_log')
      WHEN 'switch' THEN 'sched'
      WHEN 'other' THEN coalesce(nullif(c.provider, ''), 'event')
      ELSE regexp_replace(c.meaning, '^rpc_.*$|^encode$', 'rpc')
    END AS category,
    CASE
      WHEN c.meaning = 'python' THEN if(
        b.step = 0, field_text(e.payload, '$.msg'),
        regexp_extract(field_text(e.payload, '$.msg'), '^[a-z]+:(.*)', 1, 's')
      )
      WHEN c.meaning = 'switch' THEN field_text(e.payload, '$.next_comm')
      WHEN c.meaning = 'metric' THEN field_text(e.payload, '$.counter_name')
      WHEN c.meaning = 'dispatch' THEN 'aql_kernel_dispatch'
      WHEN c.meaning IN ('kernel', 'copy') AND e.name = '' THEN
        coalesce(nullif(field_text(e.payload, '$.tf_name'), ''), c.meaning)
      WHEN c.meaning = 'cuda_api' THEN coalesce(f.name, e.name)
      WHEN c.meaning = 'other' OR e.name IS NULL THEN coalesce(if(b.step = 0, NULL, c.stem), c.name)
      ELSE e.name
    END AS name,
    CASE WHEN w.seq IS NULL THEN e.payload
      ELSE left(e.payload, -1) || if(e.payload = '{}', '', ',')
        || '"emitter_tid":' || coalesce(e.tid::VARCHAR, 'null')
        || ',"cpu":' || coalesce(e.cpu::VARCHAR, 'null') || '}'
    END AS args_json,
    CASE WHEN n.payload <> e.payload THEN '{"end":' || n.payload || '}' END AS extra_json
  FROM bare_span AS b
  JOIN event AS e USING (seq)
  JOIN class_rule AS c ON c.class_n = b.class_n
  JOIN span_place AS p ON p.seq = b.seq
  CROSS JOIN origin AS o
  LEFT JOIN work AS w ON w.seq = b.seq
  LEFT JOIN event AS n ON n.seq = b.end_seq
  LEFT JOIN cuda_function AS f ON f.kind = split_part(c.event, '_', 1) AND f.id::VARCHAR = e.name
    AND c.meaning = 'cuda_api'
  WHERE b.seq NOT IN (SELECT seq FROM queued)
)
SELECT * FROM named
UNION ALL
SELECT
  NULL, NULL, p.track_n, l.from_ns - o.first_ns, l.to_ns - l.from_ns, 'loss', NULL, 'lost_events',
  CASE
    WHEN l.n_packets = 0 THEN l.n_events || ' lost events'
    ELSE if(l.n_events > 0, l.n_events || ' lost events, ', '') || l.n_packets || ' lost packets'
  END,
  json_object('n_events', l.n_events, 'n_packets', l.n_packets), NULL
FROM loss AS l
JOIN loss_place AS p USING (stream_n)
CROSS JOIN origin AS o
ORDER BY category, track_n, ts, dur DESC, seq;

-- An unfinished switch lasts until the next one of the processor.
UPDATE span SET dur = x.dur FROM (
  SELECT rowid AS span_n, coalesce(lead(ts) OVER (PARTITION BY track_n ORDER BY ts, seq) - ts, -1) AS dur
  FROM span WHERE meaning = 'switch'
) AS x
WHERE span.rowid = x.span_n;

CREATE VIEW entry AS
SELECT rowid AS entry_n, track_n, ts, greatest(dur, 0) AS reach, rowid AS seq FROM span;

-- The slice of each event, and the times of both.
CREATE TABLE stored_event AS
SELECT m.seq, x.slice_n, m.seq <> x.own_seq AS is_merged, m.class_n, m.ts, m.at_ns, m.pid, m.tid, m.cpu
FROM moment AS m
JOIN (
  SELECT seq, seq AS own_seq, rowid AS slice_n FROM span WHERE seq IS NOT NULL
  UNION ALL
  SELECT end_seq, seq, rowid FROM span WHERE end_seq IS NOT NULL
  UNION ALL
  SELECT q.seq, q.work_seq, s.rowid FROM queued AS q JOIN span AS s ON s.seq = q.work_seq
) AS x ON x.seq = m.seq
ORDER BY m.seq;

CREATE TABLE merged AS
SELECT 'ends, merged with their begins' AS reason, count(*) AS n FROM span WHERE end_seq IS NOT NULL
UNION ALL
SELECT 'times at_ns which device work was queued and submitted', count(*) FROM queued;

CREATE TABLE derived AS
SELECT 'slice' AS table_name, count(*) AS n FROM loss;

CREATE TABLE unused AS SELECT '' AS reason, 0 AS n WHERE false;

CREATE TABLE problem AS
SELECT 'lost_events' AS kind, 'warning' AS severity, sum(n_events)::BIGINT AS count,
  'events that the tracer discarded, in the windows of slices of category lost_events' AS meaning
FROM loss WHERE n_events > 0 HAVING count(*) > 0
UNION ALL
SELECT 'lost_packets', 'warning', sum(n_packets)::BIGINT,
  'packets that the tracer overwrote, in the windows of slices of category lost_events'
FROM loss WHERE n_packets > 0 HAVING count(*) > 0
UNION ALL
SELECT 'end_without_begin', 'note', count(*),
  'ends of pairs whose begin was not recorded, kept as instants'
FROM bare_span WHERE step = -1
UNION ALL
SELECT 'begin_without_end', 'note', count(*),
  'begins of pairs whose end was not recorded; their slices are unfinished'
FROM bare_span WHERE step = 1 AND dur = -1
UNION ALL
SELECT 'no_clock', 'warning', count(*),
  'traces without a clock: times are cycles, not comparable with others'
FROM ctf_trace WHERE clock IS NULL
UNION ALL
SELECT 'unplaced_device_event', 'warning', count(*),
  'events of devices whose clock could not be related to that of the trace; they are at_ns the times at_ns '
  'which they were recorded'
FROM placed WHERE at_ns IS NULL;
