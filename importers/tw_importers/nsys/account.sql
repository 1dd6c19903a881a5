-- Counts of records and problems, without any lock.
-- Out: `event`, `unused`, `problem`.

-- One row a record read.
CREATE VIEW event AS
SELECT rowid FROM kernel UNION ALL SELECT rowid FROM memcpy UNION ALL SELECT rowid FROM memset
UNION ALL SELECT rowid FROM sync_op UNION ALL SELECT rowid FROM graph_trace
UNION ALL SELECT rowid FROM api UNION ALL SELECT rowid FROM nvtx
UNION ALL SELECT rowid FROM thread_event UNION ALL SELECT rowid FROM memory_usage
UNION ALL SELECT rowid FROM cpu_fault UNION ALL SELECT rowid FROM gpu_fault
UNION ALL SELECT rowid FROM gpu_metric;

CREATE TABLE record_count AS
SELECT 'events' AS source, count(*) AS n FROM event
UNION ALL
SELECT 'messages', count(*) FROM diagnostic
UNION ALL
SELECT 'rows of other tables', coalesce(sum(n), 0)::BIGINT FROM unread;

CREATE TABLE merged AS
SELECT 'messages reported as problems' AS reason, count(*) AS n
FROM diagnostic
WHERE severity IN (2, 3) AND text IS NOT NULL;

CREATE VIEW nvtx_slice AS
SELECT "start"
FROM nvtx
WHERE eventType IS NULL OR eventType IN (SELECT event_type FROM nvtx_style);

CREATE TABLE unused AS
SELECT 'table ' || table_name || ': not part of the timeline' AS reason, n FROM unread
UNION ALL
SELECT 'records without a start', n
FROM (
  SELECT count(*) AS n
  FROM (
    SELECT "start" FROM kernel UNION ALL SELECT "start" FROM memcpy
    UNION ALL SELECT "start" FROM memset UNION ALL SELECT "start" FROM sync_op
    UNION ALL SELECT "start" FROM graph_trace UNION ALL SELECT "start" FROM api
    UNION ALL SELECT "start" FROM thread_event UNION ALL SELECT "start" FROM nvtx_slice
    UNION ALL SELECT "start" FROM memory_usage UNION ALL SELECT "start" FROM cpu_fault
    UNION ALL SELECT "start" FROM gpu_fault UNION ALL SELECT timestamp FROM gpu_metric
  )
  WHERE "start" IS NULL
)
WHERE n > 0
UNION ALL
SELECT 'NVTX records that name domains, categories and threads', n
FROM (SELECT count(*) AS n FROM nvtx WHERE eventType IN (FROM nvtx_naming))
WHERE n > 0
UNION ALL
SELECT 'NVTX records of an unknown type', n
FROM (
  SELECT count(*) AS n
  FROM nvtx
  WHERE eventType NOT IN (FROM nvtx_naming) AND eventType NOT IN (SELECT event_type FROM nvtx_style)
)
WHERE n > 0
UNION ALL
SELECT 'diagnostic messages that only inform', n
FROM (SELECT count(*) AS n FROM diagnostic WHERE coalesce(severity, 0) NOT IN (2, 3))
WHERE n > 0
UNION ALL
SELECT 'diagnostic messages without a text', n
FROM (SELECT count(*) AS n FROM diagnostic WHERE severity IN (2, 3) AND text IS NULL)
WHERE n > 0;

CREATE TABLE problem AS
SELECT
  if(severity = 3, 'profiler_error', 'profiler_warning') AS kind,
  if(severity = 3, 'error', 'warning') AS severity,
  count(*) AS count,
  left(text, 500) AS meaning
FROM diagnostic
WHERE severity IN (2, 3) AND text IS NOT NULL
GROUP BY ALL
UNION ALL
SELECT 'time_out_of_range', 'warning', sum(n)::BIGINT,
  'times outside of 1938 to 2096, treated as missing'
FROM invalid_time
UNION ALL
SELECT 'sync_label', 'note', count(*),
  'synchronizations labelled differently from the waiting call; the name of the call is used'
FROM wait_kind
WHERE is_corrected
UNION ALL
SELECT 'backtrace_call', 'note', count(*),
  'calls recorded again with a backtrace; shown on separate tracks, not counted as launches'
FROM api
WHERE eventClass = 67
UNION ALL
SELECT 'hidden_kernels', 'warning', count(*),
  'CUDA graph launches recorded as a whole, without their kernels; record with '
  '--cuda-graph-trace=node to see them'
FROM graph_trace
UNION ALL
SELECT 'unfinished', 'note', count(*), 'slices without an end; their dur is -1'
FROM span
WHERE dur = -1
UNION ALL
SELECT 'negative_duration', 'note', count(*), 'slices that end before they start, kept unchanged'
FROM span
WHERE dur < -1
UNION ALL
SELECT 'unnamed', 'warning', count(*), 'records whose name is missing from the string table'
FROM (
  SELECT nameId AS id FROM api
  UNION ALL
  SELECT coalesce(c.demangledName, c.shortName)
  FROM kernel AS k
  JOIN kernel_configuration AS c ON c.rowid = k.configuration_n
) AS u
ANTI JOIN name AS n ON n.id = u.id;
