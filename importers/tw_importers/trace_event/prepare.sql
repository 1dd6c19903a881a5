-- From events to tracks and spans, without any lock on the warehouse.
-- In: `source_trace`, the traces that are decoded together, `event` (stage.sql), and what it is stored
-- as, `event_row` and `event_kind` (kinds.py); `other` and `bracket` (brackets.sql). Out: `kind_time`,
-- `origin`, `track_number`, `kind_track`, `stream_number` and `device_number` (empty), `async_event`,
-- `counter_value`, `unfinished`, `sorted_span`.
-- Macros of the importer: category_of, is_on_device, is_restated_flow.
-- Several small traces may be decoded together: `seq` and the ordinals (`…_n`) count from
-- trace_n << 32, and trace_n from 0. Ordinals become ids once the first trace has one.

-- The times of the events of each kind: of few rows, all that concerns a trace follows.
CREATE TABLE kind_time AS
SELECT
  kind,
  min(ts_ns) AS first_ns,
  max(ts_ns + greatest(coalesce(dur_ns, 0), 0)) AS last_ns,
  count(*) FILTER (dur_ns < 0) AS n_negative,
  count(*) FILTER (dur_ns IS NULL AND ts_ns IS NOT NULL) AS n_without_dur
FROM event_row
GROUP BY kind;

-- Times inside a trace count from its first event; ts = 0 is the earliest.
CREATE TABLE origin AS
SELECT t.trace_n, coalesce(e.first_ns, 0) AS first_ns, coalesce(e.last_ns, 0) AS last_ns
FROM source_trace AS t
LEFT JOIN (
  SELECT k.trace_n, min(e.first_ns) AS first_ns, max(e.last_ns) AS last_ns
  FROM kind_time AS e
  JOIN event_kind AS k ON k.kind = e.kind
  WHERE k.ph <> 'M'
  GROUP BY k.trace_n
) AS e ON e.trace_n = t.trace_n;

-- The metadata that has columns.
CREATE TABLE metadata_name AS
SELECT unnest([
  'process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index'
]) AS name;

-- Names and sort indexes of processes and threads from metadata events; the last one wins.
CREATE TABLE process_metadata AS
SELECT
  seq >> 32 AS trace_n,
  name,
  pid,
  arg_max(json_extract_string(args, '$.name'), seq) AS display_name,
  arg_max(json_extract_string(args, '$.labels'), seq) AS labels,
  arg_max(TRY_CAST(json_extract_string(args, '$.sort_index') AS BIGINT), seq) AS sort_index
FROM other
WHERE ph = 'M'
GROUP BY seq >> 32, name, pid;

CREATE TABLE thread_metadata AS
SELECT
  seq >> 32 AS trace_n,
  name,
  pid,
  tid,
  arg_max(json_extract_string(args, '$.name'), seq) AS display_name,
  arg_max(TRY_CAST(json_extract_string(args, '$.sort_index') AS BIGINT), seq) AS sort_index
FROM other
WHERE ph = 'M'
GROUP BY seq >> 32, name, pid, tid;

-- Every process, every (pid, tid), and the tracks among them: those with slices or arrows.
CREATE TABLE track_number AS
WITH used AS (
  SELECT
    trace_n,
    pid,
    tid,
    bool_or(ph IN ('X', 'B', 'E', 'i', 'I', 'R', 's', 't', 'f')) AS has_slices,
    bool_or(is_on_device(cat)) IS TRUE AS is_device,
    bool_or(ph <> 'M') AS has_events
  FROM event_kind
  WHERE ph IS NOT NULL
  GROUP BY trace_n, pid, tid
)
SELECT
  trace_n,
  (trace_n << 32) + row_number() OVER (
    PARTITION BY trace_n
    ORDER BY has_slices DESC, json_number(pid), pid, json_number(tid), tid
  ) - 1 AS track_n,
  (trace_n << 32) + dense_rank() OVER (PARTITION BY trace_n ORDER BY json_number(pid), pid) - 1
    AS process_n,
  pid,
  tid,
  json_number(pid) AS pid_number,
  json_number(tid) AS tid_number,
  has_slices,
  is_device,
  has_events
FROM used;

-- Slices are stored by category. Categories are ranked once, on few values, because sorting 64-bit
-- keys is faster than sorting texts.
CREATE TABLE category_rank AS
SELECT cat, (dense_rank() OVER (ORDER BY category_of(cat) NULLS FIRST))::INTEGER AS rank
FROM (SELECT DISTINCT cat FROM event_kind);

-- Trace, rank and track of a slice as one number, by which slices are stored.
CREATE OR REPLACE TEMP MACRO track_key(rank, track_n) AS (
  ((track_n >> 32) << 56) | (rank::BIGINT << 32) | (track_n & 4294967295)
);

-- Properties that the kind of an event determines.
CREATE TABLE kind_track AS
SELECT
  k.kind, k.ph, k.cat, k.bp, p.track_n, track_key(r.rank, p.track_n) AS track_key, o.first_ns
FROM event_kind AS k
JOIN origin AS o ON o.trace_n = k.trace_n
JOIN track_number AS p
  ON p.trace_n = k.trace_n
  AND p.pid IS NOT DISTINCT FROM k.pid
  AND p.tid IS NOT DISTINCT FROM k.tid
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM k.cat
WHERE k.ph IS NOT NULL;

-- Devices and the tracks on them, filled by importers of formats that have devices.
CREATE TABLE device_number (
  device_n BIGINT, kind VARCHAR, ordinal BIGINT, name VARCHAR, vendor VARCHAR,
  memory_bytes BIGINT, n_compute_units BIGINT, properties_json VARCHAR
);
CREATE TABLE stream_number (track_n BIGINT, device_n BIGINT, stream BIGINT);

-- Async slices and instants live on a track of their own for each process, category and id.
CREATE TABLE async_event AS
SELECT
  seq,
  ((seq >> 32) << 32)
    + dense_rank() OVER (PARTITION BY seq >> 32 ORDER BY id_pid, cat, async_name, id) - 1 AS async_n,
  pid,
  name
FROM other
WHERE ph IN ('b', 'n', 'S', 'T', 'p') AND ts_ns IS NOT NULL;

-- The values of counter events: one counter for each series in `args`.
CREATE TABLE counter_value AS
SELECT
  seq,
  ((seq >> 32) << 32)
    + dense_rank() OVER (PARTITION BY seq >> 32 ORDER BY pid, name, id, series) - 1 AS counter_n,
  pid,
  name,
  id,
  series,
  ts_ns,
  TRY_CAST(json_extract_string(args, json_path(series)) AS DOUBLE) AS value
FROM (
  SELECT seq, pid, id, name, args, ts_ns, unnest(json_keys(args)) AS series
  FROM other
  WHERE ph = 'C' AND ts_ns IS NOT NULL AND json_type(args) = 'OBJECT'
);

-- Track ordinals: threads and streams first, then async groups, then counters.
CREATE TABLE numbering AS
SELECT
  t.trace_n,
  coalesce(p.n_tracks, 0) AS first_async_n,
  coalesce(p.n_tracks, 0) + coalesce(a.n_groups, 0) AS first_counter_n
FROM source_trace AS t
LEFT JOIN (
  SELECT trace_n, count(*) AS n_tracks FROM track_number WHERE has_slices GROUP BY trace_n
) AS p ON p.trace_n = t.trace_n
LEFT JOIN (
  SELECT seq >> 32 AS trace_n, count(DISTINCT async_n) AS n_groups
  FROM async_event
  GROUP BY seq >> 32
) AS a ON a.trace_n = t.trace_n;

-- Slices that reach further than their duration: what never ends lies over all slices until the end
-- of the trace, also over one that begins there; what ends before it begins reaches nowhere.
CREATE TABLE unfinished AS
SELECT e.seq, greatest(o.last_ns - e.ts_ns, 0) + 1 AS reach
FROM event_row AS e
JOIN (
  SELECT k.kind
  FROM event_kind AS k
  JOIN kind_time AS t ON t.kind = k.kind
  WHERE k.ph = 'X' AND t.n_without_dur > 0
) AS k ON k.kind = e.kind
JOIN origin AS o ON o.trace_n = (e.seq >> 32)
WHERE e.dur_ns IS NULL AND e.ts_ns IS NOT NULL
UNION ALL
SELECT b.seq, greatest(o.last_ns - b.ts_ns, 0) + 1
FROM bracket AS b
JOIN origin AS o ON o.trace_n = b.trace_n
WHERE b.step = 1 AND b.dur = -1;

-- All slices, still without order. An id has 32 bits for `seq`.
CREATE VIEW span AS
SELECT
  k.track_key,
  e.ts_ns - k.first_ns AS ts,
  CASE WHEN k.ph = 'X' THEN coalesce(e.dur_ns, -1) ELSE 0 END AS dur,
  (e.seq & 4294967295)::UINTEGER AS seq
FROM event_row AS e
JOIN kind_track AS k ON k.kind = e.kind
WHERE k.ph IN ('X', 'i', 'I', 'R') AND e.ts_ns IS NOT NULL
UNION ALL
SELECT
  track_key(
    r.rank, CASE WHEN b.is_on_thread THEN p.track_n ELSE n.first_async_n + a.async_n END
  ),
  b.ts_ns - o.first_ns,
  b.dur,
  (b.seq & 4294967295)::UINTEGER
FROM bracket AS b
JOIN other AS e ON e.seq = b.seq
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM e.cat
LEFT JOIN track_number AS p
  ON p.trace_n = b.trace_n
  AND p.pid IS NOT DISTINCT FROM e.pid
  AND p.tid IS NOT DISTINCT FROM e.tid
LEFT JOIN async_event AS a ON a.seq = b.seq
JOIN numbering AS n ON n.trace_n = b.trace_n
JOIN origin AS o ON o.trace_n = b.trace_n
WHERE b.step = 1
UNION ALL
SELECT
  track_key(r.rank, n.first_async_n + a.async_n),
  e.ts_ns - o.first_ns,
  0,
  (e.seq & 4294967295)::UINTEGER
FROM other AS e
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM e.cat
JOIN async_event AS a ON a.seq = e.seq
JOIN numbering AS n ON n.trace_n = (e.seq >> 32)
JOIN origin AS o ON o.trace_n = (e.seq >> 32)
WHERE e.ph IN ('n', 'T', 'p');

-- Slices in the order they are stored (numbering.py). Sorting is fastest where it sorts all
-- columns and their keys fit 32 bytes, one more than its width for each.
CREATE TABLE sorted_span AS
SELECT track_key, ts, dur, seq
FROM span
ORDER BY track_key, ts, dur DESC, seq;
