-- Converts lists of numbers to changes of the allocated memory, without any lock.
-- In: `row`, `moment`, `size` (read.py). Out: `event`, `change`, `level`, `origin`, `unused`, `problem`.

-- What the numbers of actions and categories mean: _ACTION_TO_INDEX and _CATEGORY_TO_INDEX in
-- torch/profiler/_memory_profiler.py.
CREATE TABLE action_name AS
FROM (VALUES (1, 'preexisting'), (2, 'create'), (3, 'increment_version'), (4, 'destroy'))
  AS a(action, name);

CREATE TABLE category_name AS
FROM (VALUES
  (0, 'parameter'), (1, 'optimizer_state'), (2, 'input'), (3, 'temporary'), (4, 'activation'),
  (5, 'gradient'), (6, 'autograd_detail'), (7, NULL)
) AS c(category, name);

-- The raw form counts nanoseconds; what was there before the recording has the time -1.
CREATE TABLE raw_change AS
SELECT
  seq,
  CASE WHEN c0 BETWEEN 0 AND 3000000000000000000 THEN c0 END AS time_ns,
  c1 AS action,
  c2 AS bytes,
  c3 AS category
FROM row;

-- The other form counts microseconds and has the bytes held; changes are their differences.
CREATE TABLE level AS
WITH held AS (
  UNPIVOT (
    SELECT m.seq, m.c0 AS time_us, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7, s.c8
    FROM moment AS m
    JOIN size AS s USING (seq)
  )
  ON c1, c2, c3, c4, c5, c6, c7, c8 INTO NAME place VALUE bytes
)
SELECT
  seq,
  CASE WHEN time_us BETWEEN 0 AND 3000000000000000 THEN time_us * 1000 END AS time_ns,
  substr(place, 2)::BIGINT - 1 AS category,
  bytes
FROM held;

CREATE TABLE either AS
SELECT seq, time_ns, action, bytes, category FROM raw_change
UNION ALL
SELECT seq * 8 + category, time_ns, NULL, bytes, category
FROM (
  SELECT
    seq,
    time_ns,
    category,
    (bytes::HUGEINT - lag(bytes, 1, 0) OVER (PARTITION BY category ORDER BY seq)) AS bytes
  FROM level
)
WHERE bytes <> 0;

CREATE TABLE origin AS
SELECT
  coalesce(min(time_ns), 0) AS first_ns,
  coalesce(max(time_ns), 0) AS last_ns
FROM (SELECT time_ns FROM either UNION ALL SELECT time_ns FROM level);

CREATE TABLE change AS
SELECT
  e.seq,
  coalesce(e.time_ns, o.first_ns) - o.first_ns AS ts,
  coalesce(
    a.name,
    CASE
      WHEN e.action IS NOT NULL THEN 'action ' || e.action
      WHEN e.bytes > 0 THEN 'allocate'
      ELSE 'release'
    END
  ) AS name,
  TRY_CAST(e.bytes AS BIGINT) AS bytes,
  CASE WHEN e.category BETWEEN 0 AND 7 THEN c.name ELSE 'category ' || e.category END AS category
FROM either AS e
CROSS JOIN origin AS o
LEFT JOIN action_name AS a ON a.action = e.action
LEFT JOIN category_name AS c ON c.category = e.category
ORDER BY ts, e.seq;

-- One row a record read.
CREATE VIEW event AS
SELECT seq FROM row
UNION ALL
SELECT seq FROM moment;

-- Counted for the check that nothing is lost. Of the form by category a record is a moment with its
-- sizes, which is stored as counters; what changed is derived from them.
CREATE TABLE record_count AS
SELECT 'changes' AS source, count(*) AS n FROM row
UNION ALL
SELECT 'moments', greatest((SELECT count(*) FROM moment), (SELECT count(*) FROM size));

CREATE TABLE counted_level AS
SELECT seq, time_ns
FROM level
WHERE category IN (SELECT category FROM level GROUP BY category HAVING bool_or(bytes <> 0));

CREATE TABLE merged AS
SELECT 'moments without a time or without any allocation' AS reason, count(*) AS n
FROM moment AS m
SEMI JOIN size AS s ON s.seq = m.seq
ANTI JOIN counted_level AS l ON l.seq = m.seq AND l.time_ns IS NOT NULL;

CREATE TABLE derived AS
SELECT 'counter' AS table_name, count(*) - count(DISTINCT seq) AS n
FROM counted_level
WHERE time_ns IS NOT NULL
UNION ALL
SELECT 'slice', count(*) - (SELECT count(*) FROM raw_change) FROM change;

CREATE TABLE unused AS
SELECT 'times without sizes, or sizes without a time' AS reason, abs(m.n - s.n) AS n
FROM (SELECT count(*) AS n FROM moment) AS m
CROSS JOIN (SELECT count(*) AS n FROM size) AS s
WHERE m.n <> s.n;

CREATE TABLE problem AS
SELECT 'unknown_action' AS kind, 'warning' AS severity, count(*) AS count,
  'unknown actions; their bytes are counted' AS meaning
FROM row
WHERE c1 NOT BETWEEN 1 AND 4
UNION ALL
SELECT 'unknown_category', 'warning', count(*), 'unknown categories'
FROM row
WHERE c3 NOT BETWEEN 0 AND 7
UNION ALL
SELECT 'no_usable_time', 'warning', count(*), 'times beyond 95 years; replaced by the first time'
FROM row
WHERE c0 > 3000000000000000000 OR c0 < -1;
