-- From lines to nodes with a start and a length, without any lock.
-- In: `log` and `setting` (__init__.py).

CREATE TABLE parsed AS
SELECT
  seq,
  m.kind,
  TRY_CAST(m.npu AS BIGINT) AS npu,
  TRY_CAST(TRY_CAST(m.tick AS BIGINT)::HUGEINT * 1000 // frequency_mhz AS BIGINT) AS tick,
  TRY_CAST(m.node AS UBIGINT) AS node,
  regexp_replace(m.rest, ', ?[^=,]*type=\d+\s*$', '') AS name,
  TRY_CAST(nullif(regexp_extract(m.rest, ', ?[^=,]*type=(\d+)\s*$', 1), '') AS BIGINT) AS type
FROM (
  SELECT
    seq,
    regexp_extract(
      line,
      '(?:^|[ \]])(issue|callback),[^=,]+=(\d+), ?[^=,]+=(\d+), ?[^=,]+=(\d+), ?[^=,]+=(.*?)\s*$',
      ['kind', 'npu', 'tick', 'node', 'rest']
    ) AS m
  FROM log
)
CROSS JOIN setting;

CREATE TABLE event AS
SELECT *
FROM parsed
WHERE kind <> '' AND npu IS NOT NULL AND tick IS NOT NULL AND node IS NOT NULL;

-- A node that is issued again is done again: the n-th time with the n-th.
CREATE TABLE numbered AS
SELECT
  *,
  row_number() OVER (PARTITION BY npu, node, kind ORDER BY seq) AS nth
FROM event;

CREATE TABLE origin AS
SELECT
  coalesce(min(tick), 0)::BIGINT AS first_ns,
  coalesce(max(tick), 0)::BIGINT AS last_ns
FROM event;

-- lanes as Chakra's timeline visualizer has them; the type decides, in older logs the name
CREATE TABLE done AS
SELECT
  i.seq,
  i.npu,
  i.node,
  i.name,
  i.type,
  i.tick - o.first_ns AS ts,
  coalesce(c.tick - i.tick, -1) AS dur,
  c.seq AS end_seq,
  CASE
    WHEN i.type BETWEEN 5 AND 7 OR i.type IS NULL AND contains(i.name, 'COMM_') THEN 4
    WHEN i.type = 4 OR i.type IS NULL AND contains(i.name, 'COMP_NODE') THEN 3
    WHEN (i.type IN (2, 3) OR i.type IS NULL AND contains(i.name, 'MEM_'))
      AND contains(i.name, 'REMOTE_MEMORY') THEN 2
    WHEN i.type IN (2, 3) OR i.type IS NULL AND contains(i.name, 'MEM_') THEN 1
    ELSE 5
  END AS track_kind
FROM numbered AS i
LEFT JOIN numbered AS c
  ON c.kind = 'callback' AND c.npu = i.npu AND c.node = i.node AND c.nth = i.nth
CROSS JOIN origin AS o
WHERE i.kind = 'issue';

CREATE TABLE npu AS
SELECT npu, row_number() OVER (ORDER BY npu) - 1 AS npu_n
FROM (SELECT DISTINCT npu FROM done);

CREATE TABLE track_number AS
SELECT d.npu, n.npu_n, d.track_kind, row_number() OVER (ORDER BY d.npu, d.track_kind) - 1 AS track_n
FROM (SELECT DISTINCT npu, track_kind FROM done) AS d
JOIN npu AS n ON n.npu = d.npu;

CREATE TABLE span AS
SELECT d.*, p.track_n, p.npu_n
FROM done AS d
JOIN track_number AS p ON p.npu = d.npu AND p.track_kind = d.track_kind
ORDER BY p.track_n, d.ts, d.dur DESC, d.seq;

CREATE VIEW entry AS
SELECT rowid AS entry_n, track_n, ts, greatest(dur, 0) AS reach, seq FROM span;

CREATE TABLE unused AS
SELECT 'log lines that do not refer to a node' AS reason, count(*) AS n
FROM parsed
WHERE kind = ''
HAVING count(*) > 0
UNION ALL
SELECT 'ends of nodes that were never issued', count(*)
FROM numbered AS c
ANTI JOIN done AS d ON d.end_seq = c.seq
WHERE c.kind = 'callback'
HAVING count(*) > 0
UNION ALL
SELECT 'lines with numbers out of range', count(*)
FROM parsed
WHERE kind <> '' AND (npu IS NULL OR tick IS NULL OR node IS NULL)
HAVING count(*) > 0
UNION ALL
SELECT 'lines with invalid UTF-8', count(*) FROM log WHERE line IS NULL HAVING count(*) > 0;

CREATE TABLE record_count AS SELECT 'lines' AS source, count(*) AS n FROM log;

CREATE TABLE merged AS
SELECT 'ends of nodes' AS reason, count(*) AS n FROM done WHERE end_seq IS NOT NULL;

CREATE TABLE problem AS
SELECT 'unfinished_node' AS kind, 'warning' AS severity, count(*) AS count,
  'nodes that were issued but never finished; kept with dur -1' AS meaning
FROM done
WHERE end_seq IS NULL
UNION ALL
SELECT 'end_without_issue', 'warning', count(*), 'nodes that finished but were never issued; skipped'
FROM numbered AS c
ANTI JOIN done AS d ON d.end_seq = c.seq
WHERE c.kind = 'callback'
UNION ALL
SELECT 'unknown_node_type', 'note', count(*), 'nodes with neither a recognised type nor a recognised name'
FROM done
WHERE track_kind = 5
UNION ALL
SELECT 'number_out_of_range', 'warning', count(*), 'events with numbers out of range; skipped'
FROM parsed
WHERE kind <> '' AND (npu IS NULL OR tick IS NULL OR node IS NULL)
UNION ALL
SELECT 'not_text', 'warning', count(*), 'lines with invalid UTF-8; skipped'
FROM log
WHERE line IS NULL;
