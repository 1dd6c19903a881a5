-- When events happened, on the time of their trace's own clock: that of the record, or for events of
-- a device the field `timestamp`, which counts on one of several clocks.
-- In: `event`, `packet`, `ctf_trace` (read.py), `class_rule`, options. Out: `clock_domain` (clocks with
-- their offsets from the epoch), `placed` (seq and `at` of all events with another time than `ts`).

-- What a tool wrote that had placed the events already: their clock counts from 1970 by itself.
CREATE TABLE trace_clock AS
SELECT
  trace_n,
  coalesce(offset_ns, 0) AS offset_ns,
  clock IS NOT NULL AND offset_ns = 0
    AND NOT json_exists(environment_json, '$.tracer_buffering_scheme') AS is_placed
FROM ctf_trace;

CREATE TABLE timed AS
SELECT e.seq, e.ts, e.stamp, coalesce(e.pid, -1) AS pid, e.name, c.event, c.timing, t.offset_ns
FROM event AS e
JOIN class_rule AS c USING (class_n)
JOIN trace_clock AS t USING (trace_n)
WHERE c.timing IS NOT NULL AND e.stamp IS NOT NULL AND NOT t.is_placed;

-- The end of hsa_init, from which interceptionTracer counts.
CREATE TABLE hsa_init AS
SELECT coalesce(e.pid, -1) AS pid, max(e.ts) AS ts
FROM event AS e
JOIN class_rule AS c USING (class_n)
WHERE c.meaning = 'hsa_api' AND e.name = 'hsa_init'
GROUP BY ALL;

-- OpenCL's clock has no known origin. Calls that enqueue and the times at which work was queued are
-- in the same order, and so are callbacks and ends of work.
CREATE TABLE opencl_mark AS
SELECT
  coalesce(e.pid, -1) AS pid,
  CASE
    WHEN c.meaning = 'opencl_api' THEN if(c.step = 1, 'entry', 'exit')
    WHEN c.event = 'callback' THEN 'callback'
    WHEN c.event LIKE '%\_queued' ESCAPE '\' THEN 'queued'
    ELSE 'end'
  END AS mark,
  CASE WHEN c.timing IS NULL THEN e.ts ELSE least(e.stamp, 9223372036854775807)::BIGINT END AS ns,
  row_number() OVER (PARTITION BY coalesce(e.pid, -1), mark ORDER BY e.ts, e.seq) AS n
FROM event AS e
JOIN class_rule AS c USING (class_n)
WHERE c.provider = 'openclTracer' AND (
  c.event = 'callback'
  OR (c.timing IS NOT NULL AND (c.event LIKE '%\_queued' ESCAPE '\' OR c.event LIKE '%\_end' ESCAPE '\'))
  OR (c.meaning = 'opencl_api' AND contains(e.name, 'Enqueue'))
);

CREATE TABLE opencl_clock AS
WITH counted AS (
  SELECT
    pid,
    count(*) FILTER (mark = 'entry') AS n_entries,
    count(*) FILTER (mark = 'exit') AS n_exits,
    count(*) FILTER (mark = 'queued') AS n_queued,
    count(*) FILTER (mark = 'callback') AS n_callbacks,
    count(*) FILTER (mark = 'end') AS n_ends,
    -- Sums as HUGEINT: means of nanoseconds since 1970 are not exact in a double.
    sum(ns::HUGEINT) FILTER (mark = 'callback') - sum(ns::HUGEINT) FILTER (mark = 'end') AS late,
    sum(ns::HUGEINT) FILTER (mark = 'exit') - sum(ns::HUGEINT) FILTER (mark = 'queued') AS early
  FROM opencl_mark
  GROUP BY pid
),
bound AS (
  SELECT
    q.pid,
    max(e.ns - q.ns) AS lower_ns,
    min(x.ns - q.ns) AS upper_ns
  FROM opencl_mark AS q
  LEFT JOIN opencl_mark AS e ON e.pid = q.pid AND e.mark = 'entry' AND e.n = q.n
  LEFT JOIN opencl_mark AS x ON x.pid = q.pid AND x.mark = 'exit' AND x.n = q.n
  WHERE q.mark = 'queued'
  GROUP BY q.pid
)
SELECT
  c.pid,
  CASE
    WHEN (SELECT value FROM import_option WHERE name = 'opencl_clock') = 'mean' THEN 'mean'
    WHEN b.lower_ns > b.upper_ns THEN 'interval contradictory'
    ELSE 'interval'
  END AS method,
  CASE
    WHEN c.n_queued = 0 OR c.n_queued <> c.n_exits THEN NULL
    WHEN (SELECT value FROM import_option WHERE name = 'opencl_clock') = 'mean' THEN
      CASE WHEN c.n_callbacks = c.n_queued AND c.n_ends = c.n_queued
        THEN floor_half(c.late, c.early, c.n_queued)
      END
    WHEN c.n_entries = c.n_queued THEN floor_half(b.lower_ns::HUGEINT, b.upper_ns::HUGEINT, 1)
  END::BIGINT AS offset_ns,
  CASE WHEN c.n_entries = c.n_queued THEN (abs(b.upper_ns - b.lower_ns) + 1) // 2 END AS uncertainty_ns
FROM counted AS c
LEFT JOIN bound AS b USING (pid);

CREATE TABLE placed AS
SELECT
  t.seq,
  CASE
    WHEN t.timing IN ('cuda_us', 'cuda_us_queued') THEN TRY_CAST(t.stamp::HUGEINT * 1000 AS BIGINT)
    WHEN t.timing = 'cuda_ns' THEN TRY_CAST(t.stamp AS BIGINT)
    WHEN t.timing = 'hc' THEN TRY_CAST(t.stamp::HUGEINT + t.offset_ns AS BIGINT)
    WHEN t.timing = 'hsa_init' THEN TRY_CAST(t.stamp::HUGEINT + h.ts AS BIGINT)
    WHEN t.timing = 'opencl' THEN TRY_CAST(t.stamp::HUGEINT + o.offset_ns AS BIGINT)
  END AS at_ns
FROM timed AS t
LEFT JOIN hsa_init AS h ON h.pid = t.pid
LEFT JOIN opencl_clock AS o ON o.pid = t.pid;

-- The clocks of a capture besides the one of the records, with the offset from each to the time of
-- that one; NULL where it could not be found.
CREATE TABLE clock_domain AS
SELECT row_number() OVER (ORDER BY name, pid) AS clock_n, *
FROM (
  SELECT DISTINCT
    'CUDA device (microseconds)' AS name, NULL::BIGINT AS pid, 1e6 AS frequency_hz,
    0::BIGINT AS offset_ns, 500::BIGINT AS uncertainty_ns, 'epoch' AS method
  FROM timed WHERE timing LIKE 'cuda_us%'
  UNION ALL
  SELECT DISTINCT 'CUPTI', NULL, NULL, 0, NULL, 'epoch' FROM timed WHERE timing = 'cuda_ns'
  UNION ALL
  SELECT 'HSA system', NULL, NULL, any_value(offset_ns), 0, 'trace clock'
  FROM timed WHERE timing = 'hc' HAVING count(*) > 0
  UNION ALL
  SELECT DISTINCT 'since hsa_init', nullif(t.pid, -1), NULL, h.ts, NULL,
    CASE WHEN h.ts IS NOT NULL THEN 'hsa_init' END
  FROM timed AS t LEFT JOIN hsa_init AS h ON h.pid = t.pid
  WHERE t.timing = 'hsa_init'
  UNION ALL
  SELECT DISTINCT 'OpenCL device', nullif(t.pid, -1), NULL, o.offset_ns, o.uncertainty_ns,
    CASE WHEN o.offset_ns IS NOT NULL THEN o.method END
  FROM timed AS t LEFT JOIN opencl_clock AS o ON o.pid = t.pid
  WHERE t.timing = 'opencl'
);
