-- From lines of logs, or events of dPRO's timelines, to messages and operations of servers.
-- In: tables of byteps_tables.sql. Out: `byteps_call` (one row for each message or operation),
-- `byteps_part` (which record is what), `unreadable_line`, `record_count`, `staged`.

CREATE TABLE unreadable_line (file_n BIGINT, line_n BIGINT, line VARCHAR);

-- Names of the nodes: role and rank, by the number that messages have for them.
CREATE TABLE byteps_node AS
SELECT node, any_value(role || '_' || node_rank ORDER BY file_n) AS name
FROM log_file
WHERE node IS NOT NULL AND role IN ('worker', 'server')
GROUP BY node;

CREATE TABLE link_line AS
SELECT file_n, line_n, line, unnest(regexp_extract(
  line, '^(\d{1,15}) (True|true|False|false) (True|true|False|false) (True|true|False|false) (\d+) (\d+) (\d+)$',
  ['ts', 'is_start', 'is_push', 'is_request', 'key', 'sender', 'receiver']
))
FROM log_line
WHERE role = 'links' AND line <> '' AND NOT (line_n = 0 AND starts_with(line, 'role='));

CREATE TABLE server_line AS
SELECT file_n, line_n, line, unnest(regexp_extract(
  line, '^(\d{1,15}): *(start|stop), *(\d+), *([A-Z_]+)(?:, *(\d{1,9}))?$',
  ['ts', 'edge', 'key', 'operation', 'thread']
))
FROM log_line
WHERE role = 'servers' AND line <> '';

INSERT INTO unreadable_line
SELECT file_n, line_n, line FROM link_line WHERE ts = ''
UNION ALL
SELECT file_n, line_n, line FROM server_line WHERE ts = '';

-- Begins and ends, numbered through; `place` is the link or server, `thread` counts from 0.
CREATE TABLE byteps_part AS
WITH part AS (
  SELECT
    0 AS source, l.file_n, l.line_n,
    l.ts::BIGINT * 1000 AS ts_ns,
    lower(l.is_start) = 'true' AS is_start,
    coalesce(s.name, 'node_' || l.sender) AS node,
    coalesce(r.name, 'node_' || l.receiver) AS peer,
    NULL::BIGINT AS thread,
    coalesce(k.tensor, l.key) AS tensor,
    coalesce(k.part, 0) AS part,
    CASE WHEN lower(l.is_push) = 'true' THEN 'PUSH' ELSE 'PULL' END
      || CASE WHEN lower(l.is_request) = 'true' THEN '_REQ' ELSE '_RES' END AS operation
  FROM link_line AS l
  LEFT JOIN byteps_node AS s ON s.node = l.sender
  LEFT JOIN byteps_node AS r ON r.node = l.receiver
  LEFT JOIN (SELECT key, any_value(tensor) AS tensor, any_value(part) AS part FROM key_tensor GROUP BY key) AS k
    ON k.key = l.key
  WHERE l.ts <> ''
  UNION ALL
  SELECT
    1, l.file_n, l.line_n, l.ts::BIGINT * 1000, l.edge = 'start', 'server_' || f.node_rank, NULL,
    coalesce(nullif(l.thread, '')::BIGINT + 1, 0), coalesce(k.tensor, l.key), coalesce(k.part, 0),
    l.operation
  FROM server_line AS l
  JOIN log_file AS f ON f.file_n = l.file_n
  LEFT JOIN (SELECT key, any_value(tensor) AS tensor, any_value(part) AS part FROM key_tensor GROUP BY key) AS k
    ON k.key = l.key
  WHERE l.ts <> ''
  UNION ALL
  SELECT
    2, e.role = 'servers', e.seq, e.ts_ns, e.ph = 'B',
    split_part(p.label, ' -> ', 1), nullif(split_part(p.label, ' -> ', 2), ''),
    CASE WHEN e.role = 'servers' THEN coalesce(TRY_CAST(e.tid AS BIGINT), 0) END,
    regexp_replace(e.name, '(~PART\d+)?\.[A-Z_]+$', ''),
    coalesce(TRY_CAST(nullif(regexp_extract(e.name, '~PART(\d+)\.[A-Z_]+$', 1), '') AS BIGINT), 0),
    regexp_extract(e.name, '\.([A-Z_]+)$', 1)
      || CASE WHEN e.role = 'servers' THEN '' WHEN starts_with(p.label, 'server') THEN '_RES' ELSE '_REQ' END
  FROM timeline_event AS e
  LEFT JOIN (
    SELECT role, pid, arg_max(label, seq) AS label
    FROM timeline_event
    WHERE ph = 'M' AND name = 'process_name'
    GROUP BY role, pid
  ) AS p ON p.role = e.role AND p.pid IS NOT DISTINCT FROM e.pid
  WHERE e.ph IN ('B', 'E') AND e.ts_ns IS NOT NULL
)
SELECT row_number() OVER (ORDER BY source, file_n, line_n) - 1 AS seq, *
FROM part;

-- The first begin of a message belongs to the first end of it, and so on: dPRO sorts both. Of pushes
-- one more than of all else precedes the steps that count, the one that sends initial values.
CREATE TABLE byteps_call AS
WITH ranked AS (
  SELECT *, row_number() OVER (
    PARTITION BY node, peer, thread, tensor, part, operation, is_start ORDER BY ts_ns, seq
  ) - 1 AS occurrence
  FROM byteps_part
  WHERE operation <> 'INIT'
),
-- a step has one sum less than workers, and one of all else
counted AS (
  SELECT *, CASE
    WHEN operation = 'SUM' THEN occurrence // (SELECT greatest(count(DISTINCT node) - 1, 1)
      FROM byteps_part WHERE starts_with(node, 'worker_'))
    WHEN operation IN ('PUSH_REQ', 'PUSH_RES') THEN occurrence - 1
    ELSE occurrence
  END AS number
  FROM ranked
)
SELECT
  b.* EXCLUDE (number),
  e.seq AS end_seq,
  e.ts_ns - b.ts_ns AS dur_ns,
  CASE WHEN b.number - w.first_step BETWEEN 0 AND w.n_steps - 1
    THEN b.number - w.first_step
  END AS step
FROM counted AS b
CROSS JOIN byteps_window AS w
LEFT JOIN ranked AS e
  ON NOT e.is_start
  AND e.node IS NOT DISTINCT FROM b.node AND e.peer IS NOT DISTINCT FROM b.peer
  AND e.thread IS NOT DISTINCT FROM b.thread AND e.tensor IS NOT DISTINCT FROM b.tensor
  AND e.part = b.part AND e.operation = b.operation AND e.occurrence = b.occurrence
WHERE b.is_start;

CREATE TABLE record_count AS
SELECT 0 AS trace_n, 'begins and ends of messages and server operations' AS source, count(*) AS n FROM byteps_part
UNION ALL
SELECT 0, 'unreadable lines', count(*) FROM unreadable_line
UNION ALL
SELECT 0, 'other events of timelines', count(*) FROM timeline_event WHERE ph IS NULL OR ph NOT IN ('B', 'E') OR ts_ns IS NULL;

-- Processes are the nodes; their threads the links they send on, or those of the server.
CREATE OR REPLACE VIEW typed_event AS
SELECT
  seq,
  'X' AS ph,
  CASE WHEN thread IS NULL THEN 'rpc' ELSE 'server_op' END AS cat,
  operation AS name,
  to_json(coalesce(node, 'unknown'))::VARCHAR AS pid,
  to_json(CASE
    WHEN thread IS NULL THEN coalesce(node, 'unknown') || ' -> ' || coalesce(peer, 'unknown')
    ELSE 'thread ' || thread
  END)::VARCHAR AS tid,
  NULL::VARCHAR AS id,
  NULL::VARCHAR AS bp,
  NULL::VARCHAR AS scope,
  ts_ns,
  dur_ns,
  to_json({'tensor': tensor, 'part': part})::VARCHAR AS args,
  NULL::VARCHAR AS text
FROM byteps_call;

CREATE OR REPLACE VIEW staged AS
SELECT *, hash(ph, cat, pid, tid, bp, scope) AS kind FROM typed_event;
