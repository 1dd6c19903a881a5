-- The events of all documents of a rank as those of one: numbered through, on tracks of their own.
-- In: `document_event` (read.py). Out: `document_range`, `operation_thread`, `staged`.

-- Order of the documents, and the first number of each.
CREATE TABLE document_range AS
SELECT document, sum(n) OVER (ORDER BY ordinal) - n AS first_seq, n
FROM (
  SELECT document, count(*) AS n,
    list_position(['trace', 'horovod', 'nccl', 'io'], document) AS ordinal
  FROM document_event
  GROUP BY document
);

-- Timelines of TensorFlow 1, one after the other for each step: each begins with the names of its
-- processes, and the process of a device has the operators on all of its streams.
CREATE TABLE timeline_step AS
SELECT
  pid,
  TRY_CAST(regexp_extract(json_extract_string(args, '$.name'), '/device:GPU:(\d+)', 1) AS BIGINT) AS ordinal,
  seq AS first_seq,
  lead(seq, 1, 9223372036854775807) OVER (PARTITION BY pid ORDER BY seq) AS next_seq
FROM document_event
WHERE document = 'trace' AND ph = 'M' AND name = 'process_name'
  AND json_extract_string(args, '$.name') LIKE '%/device:GPU%/stream:all Compute%';

-- Steps count from 0 in the order of their times: the recorder joins the files of steps in any order.
CREATE TABLE operation_step AS
SELECT e.seq, dense_rank() OVER (ORDER BY s.begin_ns, s.first_seq) - 1 AS step
FROM (
  SELECT s.pid, s.first_seq, s.next_seq, min(e.ts_ns) AS begin_ns
  FROM timeline_step AS s
  JOIN document_event AS e
    ON e.document = 'trace' AND e.ph = 'X' AND e.pid = s.pid AND e.seq BETWEEN s.first_seq AND s.next_seq
  GROUP BY ALL
) AS s
JOIN document_event AS e
  ON e.document = 'trace' AND e.ph = 'X' AND e.pid = s.pid AND e.seq BETWEEN s.first_seq AND s.next_seq;

-- Lines of TensorFlow's profiler: operators and streams of a device. MXNet's has no names of lines:
-- operators are those of the process that the first operator of the graph runs in.
CREATE TABLE operation_thread AS
SELECT
  t.pid,
  t.tid,
  t.name AS thread_name,
  contains(t.name, 'TensorFlow Ops') AS is_operators,
  TRY_CAST(nullif(regexp_extract(t.name, 'Stream #(\d+)', 1), '') AS BIGINT) AS stream,
  TRY_CAST(regexp_extract(p.name, '/device:GPU:(\d+)', 1) AS BIGINT) AS ordinal
FROM (
  SELECT pid, tid, arg_max(json_extract_string(args, '$.name'), seq) AS name
  FROM document_event
  WHERE document = 'trace' AND ph = 'M' AND name = 'thread_name'
  GROUP BY pid, tid
) AS t
JOIN (
  SELECT pid, arg_max(json_extract_string(args, '$.name'), seq) AS name
  FROM document_event
  WHERE document = 'trace' AND ph = 'M' AND name = 'process_name'
  GROUP BY pid
) AS p ON p.pid = t.pid
WHERE contains(p.name, '/device:GPU')
  AND (contains(t.name, 'TensorFlow Ops') OR contains(t.name, 'Stream #'))
UNION ALL
SELECT DISTINCT e.pid, e.tid, NULL, true, NULL, s.ordinal
FROM document_event AS e
JOIN timeline_step AS s ON s.pid = e.pid
WHERE e.document = 'trace' AND e.ph = 'X'
UNION ALL
SELECT DISTINCT pid, tid, NULL, true, NULL, NULL
FROM document_event
WHERE document = 'trace' AND ph IN ('X', 'B', 'E')
  AND EXISTS (FROM platform WHERE name = 'mxnet')
  AND pid = (
    SELECT arg_min(pid, (ts_ns, seq))
    FROM document_event
    WHERE document = 'trace' AND ph IN ('X', 'B')
      AND mxnet_node_of(name) IN (SELECT label FROM graph_label)
  );

-- Horovod records a process for each tensor: here they are threads of one process. NCCL's sends and
-- receives of a channel overlap: each has a thread.
CREATE OR REPLACE VIEW typed_event AS
SELECT
  d.seq + r.first_seq AS seq,
  d.ph,
  CASE
    WHEN d.ph NOT IN ('X', 'B', 'E') THEN d.cat
    WHEN d.document IN ('horovod', 'nccl') THEN 'collective'
    WHEN t.is_operators THEN 'cpu_op'
    WHEN t.stream IS NOT NULL AND d.name ILIKE '%memcpy%' THEN 'gpu_memcpy'
    WHEN t.stream IS NOT NULL THEN 'kernel'
    ELSE d.cat
  END AS cat,
  CASE
    WHEN d.document = 'horovod' AND d.ph = 'M' THEN replace(d.name, 'process_', 'thread_')
    WHEN t.is_operators AND d.ph = 'X' THEN operation_of(d.args, d.name)
    ELSE d.name
  END AS name,
  CASE d.document
    WHEN 'horovod' THEN '"Horovod"' WHEN 'nccl' THEN '"NCCL"' WHEN 'io' THEN '"I/O"' ELSE d.pid
  END AS pid,
  CASE
    WHEN d.document = 'horovod' THEN d.pid
    WHEN d.document = 'nccl' AND d.ph <> 'M'
      THEN to_json(concat_ws(' ', trim(d.tid, '"'), regexp_extract(d.name, '\.(SEND|RECV)$', 1)))::VARCHAR
    ELSE d.tid
  END AS tid,
  d.id,
  d.bp,
  d.scope,
  d.ts_ns,
  d.dur_ns,
  d.args,
  d.text
FROM document_event AS d
JOIN document_range AS r ON r.document = d.document
LEFT JOIN operation_thread AS t
  ON d.document = 'trace' AND t.pid = d.pid AND t.tid = d.tid;

CREATE OR REPLACE VIEW staged AS
SELECT *, hash(ph, cat, pid, tid, bp, scope) AS kind FROM typed_event;

-- A rank's recording has no log of BytePS; their scripts find empty tables.
CREATE TABLE byteps_call (
  seq BIGINT, node VARCHAR, peer VARCHAR, operation VARCHAR, tensor VARCHAR, part BIGINT, occurrence BIGINT,
  end_seq BIGINT, step BIGINT
);
CREATE TABLE byteps_part (seq BIGINT, is_start BOOLEAN, operation VARCHAR);
CREATE TABLE unreadable_line (file_n BIGINT, line_n BIGINT, line VARCHAR);
CREATE TABLE timeline_event (role VARCHAR, ph VARCHAR, name VARCHAR, ts_ns BIGINT);
