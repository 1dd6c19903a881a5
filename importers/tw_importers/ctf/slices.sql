-- The slices in their stored order, what became of each event, and what is wrong with them.
-- In: all tables before. Out: `span`, `entry`, `stored_event`, `origin`, and the accounts.

CREATE TABLE origin AS
SELECT
  coalesce(least(min(at_ns), (SELECT min(from_ns) FROM loss)), 0) AS first_ns,
  coalesce(
    greatest(max(at_ns + greatest(dur, 0)), (SELECT max(to_ns) FROM loss)), min(at_ns), 0
  ) AS last_ns
FROM bare_span;

CREATE TABLE loss_track AS
SELECT
  (SELECT count(*) FROM track_number) + row_number() OVER (ORDER BY s.stream_n) - 1 AS track_n,
  s.stream_n, s.name
FROM ctf_stream AS s
WHERE s.stream_n IN (SELECT stream_n FROM loss);

-- The name shared by all slices of a class; NULL: each slice has its own name.
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

-- Numbers instead of texts in what is sorted; the order of an ENUM is that of its values here.
CREATE TYPE category AS ENUM (
  SELECT category FROM class_span
  UNION
  SELECT unnest(['gpu_memset', 'user_annotation', 'lost_events'])
  ORDER BY ALL
);
CREATE TYPE meaning AS ENUM (SELECT meaning FROM class_span UNION SELECT 'loss' ORDER BY ALL);

-- Slices without their payloads, which would be sorted with them: stored.sql adds them.
CREATE TABLE span AS
WITH named AS (
  SELECT
    k.seq,
    k.end_seq,
    t.track_n,
    k.at_ns - o.first_ns AS ts,
    k.dur,
    c.meaning::meaning AS meaning,
    k.class_n,
    CASE
      WHEN k.is_memset THEN 'gpu_memset'
      WHEN c.meaning = 'python' AND k.step = 1 THEN 'user_annotation'
      ELSE c.category
    END::category AS category,
    CASE
      WHEN k.own_name IS NOT NULL OR c.meaning IN ('python', 'switch', 'metric') THEN k.own_name
      WHEN c.fixed_name IS NOT NULL THEN c.fixed_name
      WHEN c.meaning = 'other' OR k.name IS NULL THEN if(k.step = 0, c.name, c.stem)
      ELSE k.name
    END AS name,
    k.is_work,
    coalesce(k.has_other_end, false) AS has_other_end
  FROM span_key AS k
  JOIN class_span AS c ON c.class_n = k.class_n
  JOIN track_number AS t
    ON t.kind = k.kind
    AND t.pid IS NOT DISTINCT FROM if(k.kind IN ('scheduler', 'processor'), NULL, k.pid)
    AND t.tid IS NOT DISTINCT FROM if(k.kind = 'thread', k.tid, NULL)
    AND t.cpu IS NOT DISTINCT FROM if(k.kind IN ('scheduler', 'processor'), k.cpu, NULL)
    AND t.device IS NOT DISTINCT FROM if(k.kind IN ('stream', 'device'), k.device, NULL)
    AND t.queue IS NOT DISTINCT FROM if(k.kind = 'stream', k.queue, NULL)
    AND t.sort IS NOT DISTINCT FROM if(k.kind IN ('stream', 'async'), k.sort, NULL)
  CROSS JOIN origin AS o
  WHERE NOT k.is_queued
)
SELECT * FROM named
UNION ALL
SELECT
  NULL, NULL, p.track_n, l.from_ns - o.first_ns, l.to_ns - l.from_ns, 'loss', NULL, 'lost_events',
  l.name, false, false
FROM loss AS l
JOIN loss_track AS p USING (stream_n)
CROSS JOIN origin AS o
ORDER BY category, track_n, ts, dur DESC, seq;

DROP TABLE span_key;

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
SELECT 'times at which device work was queued and submitted', count(*) FROM queued;

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
  'events of devices whose clock could not be related to that of the trace; they are at the times at '
  'which they were recorded'
FROM placed WHERE at_ns IS NULL;
