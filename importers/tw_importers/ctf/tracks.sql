-- Tracks of slices: threads, processors, queues of devices, and groups of what crosses threads.
-- In: `bare_span`, `class_rule`, `work`, `queued`. Out: `process_number`, `thread_number`,
-- `device_number`, `track_number`, and `span_key`: what slices have that is not in a payload.

-- Calls of CUDA are recorded when a buffer is delivered, by another thread than the caller: the one
-- whose pthread_id they state, or else a thread of their own.
CREATE TABLE caller AS
SELECT e.seq, field_number(e.payload, '$.threadId') AS thread, TRY_CAST(e.name AS BIGINT) AS callback
FROM event AS e
JOIN class_rule AS c USING (class_n)
WHERE c.meaning = 'cuda_api';

CREATE TABLE pthread AS
SELECT pid, field_number(context, '$.pthread_id') AS pthread, any_value(tid) AS tid
FROM event
WHERE tid IS NOT NULL AND json_exists(context, '$.pthread_id') AND EXISTS (FROM caller)
GROUP BY ALL;

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

CREATE TEMP TABLE span_key AS
SELECT
  b.seq,
  b.end_seq,
  b.class_n,
  b.at_ns,
  b.dur,
  b.step,
  b.name,
  x.name AS own_name,
  b.has_other_end,
  w.seq IS NOT NULL AS is_work,
  coalesce(w.kind = 'memset' AND c.meaning IN ('kernel', 'copy'), false) AS is_memset,
  q.seq IS NOT NULL AS is_queued,
  CASE
    WHEN c.meaning IN ('kernel', 'copy', 'barrier') AND w.seq IS NOT NULL THEN 'stream'
    WHEN c.meaning IN ('kernel', 'copy', 'barrier', 'queued') THEN 'device'
    WHEN c.meaning = 'switch' THEN 'scheduler'
    WHEN c.pairing IN ('name', 'key') AND c.meaning <> 'cuda_api' THEN 'async'
    WHEN coalesce(a.thread, b.tid) IS NOT NULL THEN 'thread'
    WHEN b.cpu IS NOT NULL THEN 'processor'
    ELSE 'session'
  END AS kind,
  b.pid,
  CASE WHEN a.thread IS NULL THEN b.tid ELSE coalesce(p.tid, a.thread) END AS tid,
  b.cpu,
  coalesce(w.device, '') AS device,
  w.queue,
  CASE
    WHEN w.seq IS NOT NULL AND w.queue IS NULL AND w.provider <> 'openclTracer' THEN w.meaning
    WHEN c.pairing IN ('name', 'key') AND w.seq IS NULL THEN c.stem
  END AS sort
FROM bare_span AS b
JOIN class_rule AS c USING (class_n)
LEFT JOIN work AS w USING (seq)
LEFT JOIN own_name AS x USING (seq)
LEFT JOIN (SELECT DISTINCT seq FROM queued) AS q USING (seq)
LEFT JOIN caller AS a USING (seq)
LEFT JOIN pthread AS p ON p.pthread = a.thread AND p.pid IS NOT DISTINCT FROM b.pid;

CREATE TABLE process_number AS
SELECT row_number() OVER (ORDER BY pid NULLS FIRST) - 1 AS process_n, pid, name
FROM (
  SELECT k.pid, min(n.name) AS name
  FROM (
    SELECT DISTINCT pid FROM span_key
    UNION
    SELECT NULL
  ) AS k
  LEFT JOIN (
    SELECT DISTINCT pid, field_text(context, '$.procname') AS name
    FROM event
    WHERE json_exists(context, '$.procname')
    UNION
    SELECT field_number(environment_json, '$.vpid'), field_text(environment_json, '$.procname')
    FROM ctf_trace
  ) AS n ON n.pid IS NOT DISTINCT FROM k.pid
  GROUP BY k.pid
);

CREATE TABLE device_number AS
SELECT
  row_number() OVER (ORDER BY device) - 1 AS device_n,
  device,
  coalesce(TRY_CAST(device AS BIGINT), 0) AS own_ordinal
FROM (SELECT DISTINCT device FROM span_key WHERE kind IN ('stream', 'device'));

CREATE TABLE track_number AS
SELECT
  row_number() OVER (ORDER BY pid NULLS FIRST, kind <> 'thread', kind, tid, cpu, device, queue, sort) - 1
    AS track_n,
  *
FROM (
  SELECT DISTINCT
    kind,
    if(kind IN ('scheduler', 'processor'), NULL, pid) AS pid,
    if(kind = 'thread', tid, NULL) AS tid,
    if(kind IN ('scheduler', 'processor'), cpu, NULL) AS cpu,
    if(kind IN ('stream', 'device'), device, NULL) AS device,
    if(kind = 'stream', queue, NULL) AS queue,
    if(kind IN ('stream', 'async'), sort, NULL) AS sort
  FROM span_key
);

CREATE TABLE thread_number AS
SELECT track_n, t.tid, p.process_n, n.name
FROM track_number AS t
JOIN process_number AS p ON p.pid IS NOT DISTINCT FROM t.pid
LEFT JOIN (
  SELECT m.pid, m.tid, any_value(field_text(e.payload, '$.threadName')) AS name
  FROM event AS e
  JOIN class_rule AS c USING (class_n)
  JOIN moment AS m USING (seq)
  WHERE c.meaning = 'python'
  GROUP BY ALL
) AS n ON n.tid = t.tid AND n.pid IS NOT DISTINCT FROM t.pid
WHERE t.kind = 'thread';

DROP VIEW mark;

DROP TABLE moment;
