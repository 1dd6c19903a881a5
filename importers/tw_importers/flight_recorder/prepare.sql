-- From records to tracks and slices, without any lock.
-- In: `record`, `frame`, `group_config`, `group_status`, `source_trace` (read.py). Several dumps may be
-- decoded together: ordinals (`…_n`) count from trace_n << 32, and trace_n from 0.

-- The values of records; older versions have seq_id. A value of another type is NULL.
CREATE TABLE operation AS
SELECT
  trace_n,
  record_n,
  stack_n,
  args,
  v.record_id,
  v.pg_id AS group_number,
  coalesce(v.process_group[1], v.pg_id::VARCHAR) AS group_name,
  v.process_group[2] AS group_description,
  v.profiling_name AS name,
  coalesce(v.is_p2p, regexp_matches(v.profiling_name, ':(send|recv) ')) AS is_p2p,
  coalesce(
    CASE WHEN coalesce(v.is_p2p, regexp_matches(v.profiling_name, ':(send|recv) ')) THEN v.p2p_seq_id END,
    v.collective_seq_id,
    v.seq_id
  ) AS sequence_number,
  v.op_id AS op_number,
  v.state,
  coalesce(v.retired, false) AS is_retired,
  v.duration_ms,
  v.timeout_ms,
  nullif(v.input_sizes, 'null') AS input_sizes,
  nullif(v.input_dtypes, 'null') AS input_types,
  nullif(v.output_sizes, 'null') AS output_sizes,
  nullif(v.output_dtypes, 'null') AS output_types,
  CASE WHEN v.time_created_ns BETWEEN 1 AND 4000000000000000000 THEN v.time_created_ns END
    AS created_at,
  -- JSON has 0 where it did not happen.
  CASE WHEN v.time_discovered_started_ns BETWEEN 1 AND 4000000000000000000
    THEN v.time_discovered_started_ns END AS started_at,
  CASE WHEN v.time_discovered_completed_ns BETWEEN 1 AND 4000000000000000000
    THEN v.time_discovered_completed_ns END AS completed_at
FROM (
  SELECT
    *,
    json_transform(
      args,
      '{"record_id":"BIGINT","pg_id":"BIGINT","process_group":["VARCHAR"],"profiling_name":"VARCHAR",
        "is_p2p":"BOOLEAN","p2p_seq_id":"BIGINT","collective_seq_id":"BIGINT","seq_id":"BIGINT",
        "op_id":"BIGINT","state":"VARCHAR","retired":"BOOLEAN","duration_ms":"DOUBLE",
        "timeout_ms":"BIGINT","input_sizes":"JSON","input_dtypes":"JSON","output_sizes":"JSON",
        "output_dtypes":"JSON","time_created_ns":"BIGINT","time_discovered_started_ns":"BIGINT",
        "time_discovered_completed_ns":"BIGINT"}'
    ) AS v
  FROM record
);

-- Records in their order; those without a time have that of the one before.
CREATE TABLE timed AS
SELECT
  *,
  (trace_n << 32) + record_n AS seq,
  coalesce(
    last_value(created_at IGNORE NULLS) OVER (
      PARTITION BY trace_n ORDER BY record_n ROWS UNBOUNDED PRECEDING
    ),
    min(created_at) OVER (PARTITION BY trace_n),
    0
  ) AS at_ns,
  CASE WHEN completed_at >= created_at THEN completed_at END AS end_ns
FROM operation;

CREATE TABLE origin AS
SELECT
  s.trace_n,
  coalesce(min(t.at_ns), 0) AS first_ns,
  coalesce(max(greatest(t.at_ns, coalesce(t.started_at, 0), coalesce(t.end_ns, 0))), 0) AS last_ns
FROM source_trace AS s
LEFT JOIN timed AS t ON t.trace_n = s.trace_n
GROUP BY s.trace_n;

-- A track for each process group.
CREATE TABLE track_number AS
SELECT
  trace_n,
  group_number,
  group_name,
  any_value(group_description) AS group_description,
  (trace_n << 32)
    + row_number() OVER (PARTITION BY trace_n ORDER BY group_number, group_name) - 1 AS track_n
FROM timed
GROUP BY trace_n, group_number, group_name;

-- Slices in the order they are stored. What has not ended has dur -1; what has ended without a time, 0.
CREATE TABLE span AS
SELECT
  (trace_n << 32)
    + row_number() OVER (PARTITION BY trace_n ORDER BY track_n, ts, dur DESC, seq) - 1 AS slice_n,
  *
FROM (
  SELECT
    t.*,
    p.track_n,
    t.at_ns - o.first_ns AS ts,
    CASE
      WHEN t.end_ns IS NOT NULL THEN t.end_ns - t.at_ns
      WHEN t.state = 'completed' OR t.is_retired THEN 0
      ELSE -1
    END AS dur,
    t.started_at - o.first_ns AS started_ts,
    t.completed_at - o.first_ns AS completed_ts,
    o.last_ns - t.at_ns AS rest_ns
  FROM timed AS t
  JOIN track_number AS p
    ON p.trace_n = t.trace_n
    AND p.group_number IS NOT DISTINCT FROM t.group_number
    AND p.group_name IS NOT DISTINCT FROM t.group_name
  JOIN origin AS o ON o.trace_n = t.trace_n
)
ORDER BY slice_n;

CREATE VIEW entry AS
SELECT slice_n AS entry_n, track_n, ts, CASE WHEN dur < 0 THEN rest_ns ELSE dur END AS reach, seq
FROM span;

CREATE VIEW event AS
SELECT seq FROM timed
UNION ALL
SELECT (trace_n << 32) + n FROM (SELECT trace_n, unnest(range(n_invalid)) AS n FROM source_trace);

CREATE TABLE unused AS
SELECT trace_n, 'invalid records' AS reason, n_invalid AS n FROM source_trace WHERE n_invalid > 0;

CREATE TABLE problem AS
SELECT trace_n, 'no_times' AS kind, 'note' AS severity, count(*) AS count,
  'records without a time; they have that of the record before' AS meaning
FROM timed
WHERE created_at IS NULL
GROUP BY trace_n
UNION ALL
SELECT trace_n, 'no_end_times', 'note', count(*),
  'operations that have ended, without a time; their dur is 0'
FROM span
WHERE dur = 0 AND end_ns IS NULL
GROUP BY trace_n
UNION ALL
SELECT trace_n, 'invalid_record', 'warning', n_invalid, 'records that are not valid'
FROM source_trace
WHERE n_invalid > 0
UNION ALL
SELECT trace_n, 'unknown_group', 'warning', count(*), 'records without a process group'
FROM timed
WHERE group_name IS NULL
GROUP BY trace_n;

-- Every record becomes one slice.
CREATE TABLE merged (trace_n BIGINT, reason VARCHAR, n BIGINT);
CREATE TABLE derived (trace_n BIGINT, table_name VARCHAR, n BIGINT);
