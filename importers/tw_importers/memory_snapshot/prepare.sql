-- From a snapshot's records to changes of the allocator on a clock, without any lock.
-- In: `segment`, `block`, `entry`, `frame`, `history`, `annotation`, `not_used` (read.py).
-- Out: `event`, `origin`, `device_number`, `held`, `change`, `instant`, `unused`, `problem`.

-- Snapshots of torch before 2.1 lack the device of segments; with a single device it is that one.
CREATE TABLE held AS
SELECT
  s.segment_n,
  coalesce(s.device, o.device) AS device,
  s.total_size AS reserved_bytes,
  coalesce(b.allocated_bytes, 0) AS allocated_bytes
FROM segment AS s
LEFT JOIN (
  -- The history counts the bytes that were asked for, so the state must, too.
  SELECT segment_n, sum(coalesce(requested_size, size)) AS allocated_bytes
  FROM block
  WHERE state = 'active_allocated'
  GROUP BY segment_n
) AS b ON b.segment_n = s.segment_n
CROSS JOIN (
  SELECT CASE WHEN count(*) = 1 THEN min(device) WHEN count(*) = 0 THEN 0 END AS device FROM history
) AS o;

CREATE TABLE device_number AS
SELECT (row_number() OVER (ORDER BY device) - 1)::BIGINT AS device_n, device
FROM (
  SELECT device FROM held
  UNION
  SELECT device FROM history
  UNION
  SELECT device FROM annotation
)
WHERE device IS NOT NULL;

-- Microseconds since the epoch; entries without a time have that of the one before. Where none has
-- any, their order stands for times.
CREATE TABLE timed AS
WITH entry_time AS (
  SELECT
    e.*,
    h.device,
    CASE WHEN e.time_us BETWEEN 1 AND 3000000000000000 THEN e.time_us * 1000 END AS time_ns
  FROM entry AS e
  JOIN history AS h ON h.list_n = e.list_n
)
SELECT
  *,
  CASE
    WHEN count(time_ns) OVER () = 0 THEN seq
    ELSE coalesce(
      last_value(time_ns IGNORE NULLS) OVER (
        PARTITION BY list_n ORDER BY seq ROWS UNBOUNDED PRECEDING
      ),
      min(time_ns) OVER ()
    )
  END AS at_ns
FROM entry_time;

CREATE TABLE origin AS
SELECT
  coalesce(min(at_ns), 0) AS first_ns,
  coalesce(max(at_ns), 0) AS last_ns
FROM (
  SELECT at_ns FROM timed
  UNION ALL
  SELECT time_us * 1000 FROM annotation WHERE time_us BETWEEN 1 AND 3000000000000000
);

-- What each entry changed. A release counts when it was asked for; when it was completed, only
-- where a history leaves the requests out. After the last entry stands what the segments hold.
CREATE TABLE change AS
WITH kind AS (
  SELECT device, bool_or(action = 'free_requested') AS has_requests FROM timed GROUP BY device
),
state AS (
  SELECT
    device,
    sum(allocated_bytes) AS allocated_bytes,
    sum(reserved_bytes) AS reserved_bytes
  FROM held
  GROUP BY device
),
delta AS (
  SELECT
    t.*,
    CASE
      WHEN t.action = 'alloc' THEN t.size::HUGEINT
      WHEN t.action = 'free_requested' THEN -(t.size::HUGEINT)
      WHEN t.action = 'free_completed' AND NOT k.has_requests THEN -(t.size::HUGEINT)
    END AS bytes,
    CASE
      WHEN t.action IN ('segment_alloc', 'segment_map') THEN t.size::HUGEINT
      WHEN t.action IN ('segment_free', 'segment_unmap') THEN -(t.size::HUGEINT)
    END AS reserved_change
  FROM timed AS t
  JOIN kind AS k ON k.device = t.device
)
SELECT
  d.seq,
  d.device,
  d.at_ns - o.first_ns AS ts,
  d.action,
  d.addr,
  TRY_CAST(d.bytes AS BIGINT) AS bytes,
  TRY_CAST(coalesce(s.allocated_bytes, 0) - coalesce(sum(d.bytes) OVER later, 0) AS BIGINT)
    AS total_allocated_bytes,
  TRY_CAST(coalesce(s.reserved_bytes, 0) - coalesce(sum(d.reserved_change) OVER later, 0) AS BIGINT)
    AS total_reserved_bytes,
  d.bytes IS NULL AS is_sizeless,
  d.stack_n,
  json_merge_patch(
    json_object('addr', d.addr, 'size', d.size, 'stream', d.stream), coalesce(d.extra, '{}')
  )::VARCHAR AS args
FROM delta AS d
CROSS JOIN origin AS o
LEFT JOIN state AS s ON s.device = d.device
WINDOW later AS (
  PARTITION BY d.device ORDER BY d.at_ns, d.seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
);

-- All instants in the order they are stored: by category, track and time.
CREATE TABLE instant AS
SELECT 'memory' AS category, p.device_n, c.ts, c.seq, c.action AS name, c.args, true AS is_change
FROM change AS c
JOIN device_number AS p ON p.device = c.device
UNION ALL
SELECT
  'memory_annotation',
  p.device_n,
  coalesce(CASE WHEN a.time_us BETWEEN 1 AND 3000000000000000 THEN a.time_us * 1000 END - o.first_ns, 0),
  a.seq,
  a.name,
  json_merge_patch(json_object('stage', a.stage), coalesce(a.extra, '{}'))::VARCHAR,
  false
FROM annotation AS a
JOIN device_number AS p ON p.device = a.device
CROSS JOIN origin AS o
ORDER BY category, device_n, ts, seq;

-- One row a record read.
CREATE VIEW event AS
SELECT seq AS n FROM entry
UNION ALL
SELECT segment_n FROM segment
UNION ALL
SELECT segment_n FROM block
UNION ALL
SELECT seq FROM annotation
UNION ALL
SELECT n FROM (SELECT unnest(range(n)) AS n FROM not_used);

CREATE TABLE unused AS
SELECT reason, n FROM not_used
UNION ALL
SELECT 'entries without a device', count(*)
FROM entry
WHERE list_n NOT IN (SELECT list_n FROM history)
HAVING count(*) > 0
UNION ALL
SELECT 'annotations without a device', count(*) FROM annotation WHERE device IS NULL HAVING count(*) > 0;

-- A history that several devices share has rows for each of them.
CREATE TABLE derived AS
SELECT 'slice' AS table_name, count(*) - count(DISTINCT seq) AS n FROM timed;

CREATE TABLE problem AS
SELECT 'no_times' AS kind, 'note' AS severity, count(*) AS count,
  'entries without a time; the time of the previous entry is used, or their order if no entry has a time'
    AS meaning
FROM timed
WHERE time_ns IS NULL
UNION ALL
SELECT 'state_and_history_differ', 'warning', count(*),
  'entries after which allocated or reserved memory would be negative'
FROM change
WHERE total_allocated_bytes < 0 OR total_reserved_bytes < 0
UNION ALL
SELECT 'size_out_of_range', 'warning', count(*),
  'entries whose size, or the total after them, exceeds 64 bits; it is NULL'
FROM change
WHERE (bytes IS NULL) <> is_sizeless OR total_allocated_bytes IS NULL OR total_reserved_bytes IS NULL;
