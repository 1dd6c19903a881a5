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

-- Names that are not the field `name`.
CREATE TABLE own_name AS
SELECT
  b.seq,
  CASE c.meaning
    WHEN 'python' THEN if(
      b.step = 0, field_text(e.payload, '$.msg'),
      regexp_extract(field_text(e.payload, '$.msg'), '^[a-z]+:(.*)', 1, 's')
    )
    WHEN 'switch' THEN field_text(e.payload, '$.next_comm')
    WHEN 'metric' THEN field_text(e.payload, '$.counter_name')
    WHEN 'cuda_api' THEN f.name
    ELSE coalesce(nullif(field_text(e.payload, '$.tf_name'), ''), c.meaning)
  END AS name
FROM bare_span AS b
JOIN class_rule AS c USING (class_n)
JOIN event AS e USING (seq)
LEFT JOIN cuda_function AS f ON f.kind = split_part(c.event, '_', 1) AND f.id::VARCHAR = e.name
WHERE c.meaning IN ('python', 'switch', 'metric', 'cuda_api')
  OR (c.meaning IN ('kernel', 'copy') AND e.name = '');

-- What all slices of a class have in common; NULL: the slice has a name of its own.
CREATE TABLE class_span AS
SELECT
  class_n,
  meaning,
  CASE meaning
    WHEN 'session' THEN 'session'
    WHEN 'operation' THEN 'cpu_op'
    WHEN 'async_operation' THEN 'cpu_op'
    WHEN 'scheduling' THEN 'scheduling'
    WHEN 'stream_copy' THEN 'stream_executor'
    WHEN 'cuda_api' THEN if(event LIKE 'driver%', 'cuda_driver', 'cuda_runtime')
    WHEN 'hip_api' THEN 'hip_runtime'
    WHEN 'hsa_api' THEN 'hsa_runtime'
    WHEN 'hc_api' THEN 'hc_runtime'
    WHEN 'opencl_api' THEN 'opencl_runtime'
    WHEN 'dispatch' THEN 'hsa_queue'
    WHEN 'kernel' THEN 'kernel'
    WHEN 'copy' THEN 'gpu_memcpy'
    WHEN 'barrier' THEN 'gpu_sync'
    WHEN 'rendezvous' THEN 'rendezvous'
    WHEN 'allocator' THEN 'memory'
    WHEN 'allocator_bin' THEN 'memory'
    WHEN 'driver_memory' THEN 'memory'
    WHEN 'pool_memory' THEN 'memory'
    WHEN 'python' THEN 'python_log'
    WHEN 'switch' THEN 'sched'
    WHEN 'other' THEN coalesce(nullif(provider, ''), 'event')
    ELSE regexp_replace(meaning, '^rpc_.*$|^encode$', 'rpc')
  END AS category,
  coalesce(stem, name) AS stem,
  name,
  CASE WHEN meaning = 'dispatch' THEN 'aql_kernel_dispatch' END AS fixed_name
FROM class_rule;

-- Slices without their texts, which would be sorted with them: stored.sql adds them.
CREATE TABLE span AS
WITH named AS (
  SELECT
    b.seq,
    b.end_seq,
    p.track_n,
    b.at_ns - o.first_ns AS ts,
    b.dur,
    c.meaning,
    b.class_n,
    CASE
      WHEN w.kind = 'memset' AND c.meaning IN ('kernel', 'copy') THEN 'gpu_memset'
      WHEN c.meaning = 'python' AND b.step = 1 THEN 'user_annotation'
      ELSE c.category
    END AS category,
    CASE
      WHEN c.meaning IN ('python', 'switch', 'metric') THEN x.name
      WHEN x.name IS NOT NULL THEN x.name
      WHEN c.fixed_name IS NOT NULL THEN c.fixed_name
      WHEN c.meaning = 'other' OR e.name IS NULL THEN if(b.step = 0, c.name, c.stem)
      ELSE e.name
    END AS name,
    w.seq IS NOT NULL AS is_work,
    coalesce(b.has_other_end, false) AS has_other_end
  FROM bare_span AS b
  JOIN event AS e USING (seq)
  JOIN class_span AS c ON c.class_n = b.class_n
  JOIN span_place AS p ON p.seq = b.seq
  CROSS JOIN origin AS o
  LEFT JOIN work AS w ON w.seq = b.seq
  LEFT JOIN own_name AS x ON x.seq = b.seq
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
  false, false
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

-- The slice of each event, and whether it has a payload of its own.
CREATE TABLE stored_event AS
SELECT seq, rowid AS slice_n, false AS is_merged, is_work AS has_payload FROM span WHERE seq IS NOT NULL
UNION ALL
SELECT end_seq, rowid, true, is_work OR has_other_end FROM span WHERE end_seq IS NOT NULL
UNION ALL
SELECT q.seq, s.rowid, true, true FROM queued AS q JOIN span AS s ON s.seq = q.work_seq;

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
