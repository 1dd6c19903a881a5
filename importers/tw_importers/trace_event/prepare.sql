-- From events to places and spans, without any lock on the warehouse.
-- In: `event` (stage.sql), and what it is stored as, `event_row` and `event_kind` (kinds.py); `other`
-- and `bracket` (brackets.sql). Out: `origin`, `place`, `kind_place`, `stream_place` and
-- `device_place` (empty), `async_event`, `counter_value`, `sorted_span`, `slice_order`, `slice_reach`,
-- `flow_end`, `bound_flow`, `entry` (what the nesting pass orders), `unused`, `problem`.
-- Macros of the importer: category_of, is_on_device, is_restated_flow.
-- Ordinals (`…_n`) count from 0 and become ids once the trace has one.

-- Times inside a trace count from its first event; ts = 0 is the earliest.
CREATE TABLE origin AS
SELECT
  coalesce(min(ts_ns), 0) AS first_ns,
  coalesce(max(ts_ns + greatest(coalesce(dur_ns, 0), 0)), 0) AS last_ns
FROM event
WHERE ph <> 'M';

-- The metadata that has columns.
CREATE TABLE metadata_name AS
SELECT unnest([
  'process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index'
]) AS name;

-- Names and sort indexes of processes and threads from metadata events; the last one wins.
CREATE TABLE process_metadata AS
SELECT
  name,
  pid,
  arg_max(json_extract_string(args, '$.name'), seq) AS display_name,
  arg_max(json_extract_string(args, '$.labels'), seq) AS labels,
  arg_max(TRY_CAST(json_extract_string(args, '$.sort_index') AS BIGINT), seq) AS sort_index
FROM other
WHERE ph = 'M'
GROUP BY name, pid;

CREATE TABLE thread_metadata AS
SELECT
  name,
  pid,
  tid,
  arg_max(json_extract_string(args, '$.name'), seq) AS display_name,
  arg_max(TRY_CAST(json_extract_string(args, '$.sort_index') AS BIGINT), seq) AS sort_index
FROM other
WHERE ph = 'M'
GROUP BY name, pid, tid;

-- Every process, every (pid, tid), and the tracks among them: those with slices or arrows.
CREATE TABLE place AS
WITH used AS (
  SELECT
    pid,
    tid,
    bool_or(ph IN ('X', 'B', 'E', 'i', 'I', 'R', 's', 't', 'f')) AS has_slices,
    bool_or(is_on_device(cat)) IS TRUE AS is_device,
    bool_or(ph <> 'M') AS has_events
  FROM event_kind
  WHERE ph IS NOT NULL
  GROUP BY pid, tid
)
SELECT
  (row_number() OVER (
    ORDER BY has_slices DESC, json_number(pid), pid, json_number(tid), tid
  ) - 1)::BIGINT AS place_n,
  (dense_rank() OVER (ORDER BY json_number(pid), pid) - 1)::BIGINT AS process_n,
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

-- Rank and track of a slice as one number, by which slices are stored.
CREATE OR REPLACE TEMP MACRO place_key(rank, track_n) AS (rank::BIGINT << 32 | track_n);

-- What follows from the kind of an event.
CREATE TABLE kind_place AS
SELECT k.kind, k.ph, k.cat, k.bp, p.place_n, place_key(r.rank, p.place_n) AS place_key
FROM event_kind AS k
JOIN place AS p ON p.pid IS NOT DISTINCT FROM k.pid AND p.tid IS NOT DISTINCT FROM k.tid
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM k.cat
WHERE k.ph IS NOT NULL;

-- Devices and the tracks on them, filled by importers of formats that have devices.
CREATE TABLE device_place (
  device_n BIGINT, kind VARCHAR, ordinal BIGINT, name VARCHAR, vendor VARCHAR,
  memory_bytes BIGINT, n_compute_units BIGINT, properties_json VARCHAR
);
CREATE TABLE stream_place (place_n BIGINT, device_n BIGINT, stream BIGINT);

-- Async slices and instants live on a track of their own for each process, category and id.
CREATE TABLE async_event AS
SELECT
  seq,
  (dense_rank() OVER (ORDER BY id_pid, cat, async_name, id) - 1)::BIGINT AS async_n,
  pid,
  name
FROM other
WHERE ph IN ('b', 'n', 'S', 'T', 'p') AND ts_ns IS NOT NULL;

-- The values of counter events: one counter for each series in `args`.
CREATE TABLE counter_value AS
SELECT
  seq,
  (dense_rank() OVER (ORDER BY pid, name, id, series) - 1)::BIGINT AS counter_n,
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
  (SELECT count(*) FROM place WHERE has_slices) AS first_async_n,
  (SELECT count(*) FROM place WHERE has_slices)
    + (SELECT count(DISTINCT async_n) FROM async_event) AS first_counter_n;

-- Slices that reach further than their duration: what never ends lies over all slices until the end
-- of the trace; what ends before it begins reaches nowhere.
CREATE TABLE unfinished AS
SELECT e.seq, greatest(o.last_ns - e.ts_ns, 0) AS reach
FROM event_row AS e
JOIN kind_place AS k ON k.kind = e.kind
CROSS JOIN origin AS o
WHERE k.ph = 'X' AND e.dur_ns IS NULL AND e.ts_ns IS NOT NULL
UNION ALL
SELECT b.seq, greatest(o.last_ns - b.ts_ns, 0)
FROM bracket AS b
CROSS JOIN origin AS o
WHERE b.step = 1 AND b.dur = -1;

-- All slices, still without order. An id has 32 bits for `seq`.
CREATE VIEW span AS
SELECT
  k.place_key,
  e.ts_ns - o.first_ns AS ts,
  CASE WHEN k.ph = 'X' THEN coalesce(e.dur_ns, -1) ELSE 0 END AS dur,
  e.seq::UINTEGER AS seq
FROM event_row AS e
JOIN kind_place AS k ON k.kind = e.kind
CROSS JOIN origin AS o
WHERE k.ph IN ('X', 'i', 'I', 'R') AND e.ts_ns IS NOT NULL
UNION ALL
SELECT
  place_key(
    r.rank, CASE WHEN b.is_on_thread THEN p.place_n ELSE n.first_async_n + a.async_n END
  ),
  b.ts_ns - o.first_ns,
  b.dur,
  b.seq::UINTEGER
FROM bracket AS b
JOIN other AS e ON e.seq = b.seq
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM e.cat
LEFT JOIN place AS p ON p.pid IS NOT DISTINCT FROM e.pid AND p.tid IS NOT DISTINCT FROM e.tid
LEFT JOIN async_event AS a ON a.seq = b.seq
CROSS JOIN numbering AS n
CROSS JOIN origin AS o
WHERE b.step = 1
UNION ALL
SELECT
  place_key(r.rank, n.first_async_n + a.async_n), e.ts_ns - o.first_ns, 0, e.seq::UINTEGER
FROM other AS e
JOIN category_rank AS r ON r.cat IS NOT DISTINCT FROM e.cat
JOIN async_event AS a ON a.seq = e.seq
CROSS JOIN numbering AS n
CROSS JOIN origin AS o
WHERE e.ph IN ('n', 'T', 'p');

-- Slices in the order they are stored; rowid is their ordinal. Sorting is fastest where it sorts all
-- columns and their keys fit 32 bytes, one more than its width for each.
CREATE TABLE sorted_span AS
SELECT place_key, ts, dur, seq
FROM span
ORDER BY place_key, ts, dur DESC, seq;

CREATE VIEW slice_order AS
SELECT rowid AS slice_n, seq::BIGINT AS seq, place_key & 4294967295 AS track_n, ts, dur
FROM sorted_span;

-- The same with `reach`: how long a slice lies over others.
CREATE VIEW slice_reach AS
SELECT s.slice_n, s.seq, s.track_n, s.ts, coalesce(u.reach, greatest(s.dur, 0)) AS reach
FROM slice_order AS s
LEFT JOIN unfinished AS u ON u.seq = s.seq;

-- Points of recorded arrows that correlation ids do not repeat; numbered behind the slices.
CREATE TABLE flow_end AS
SELECT
  n.n_slices + row_number() OVER (ORDER BY e.seq) - 1 AS entry_n,
  e.seq,
  k.place_n AS track_n,
  e.ts_ns - o.first_ns AS ts,
  k.ph = 'f' AND k.bp IS DISTINCT FROM 'e' AS to_next
FROM event_row AS e
JOIN kind_place AS k ON k.kind = e.kind
CROSS JOIN origin AS o
CROSS JOIN (SELECT count(*) AS n_slices FROM sorted_span) AS n
WHERE k.ph IN ('s', 't', 'f')
  AND e.ts_ns IS NOT NULL
  AND is_restated_flow(k.cat) IS NOT TRUE;

-- Flows, version 2: `bind_id` of an event with flow_out begins, with flow_in ends, with both continues
-- a flow at the slice itself.
CREATE TABLE bound_flow AS
SELECT
  b.seq,
  CASE WHEN b.flow_in AND b.flow_out THEN 't' WHEN b.flow_out THEN 's' ELSE 'f' END AS phase,
  b.bind_id,
  s.track_n,
  s.ts,
  s.slice_n
FROM (
  SELECT
    seq,
    json_extract(text, '$.bind_id')::VARCHAR AS bind_id,
    coalesce(json_extract_string(text, '$.flow_in') = 'true', false) AS flow_in,
    coalesce(json_extract_string(text, '$.flow_out') = 'true', false) AS flow_out
  FROM event
  WHERE text IS NOT NULL AND contains(text, '"bind_id"')
) AS b
JOIN slice_order AS s ON s.seq = b.seq
WHERE b.bind_id IS NOT NULL AND (b.flow_in OR b.flow_out);

-- What the nesting pass puts in order: slices, and arrows that need the slice around them.
CREATE VIEW entry AS
SELECT slice_n AS entry_n, track_n, ts, reach, seq FROM slice_reach
UNION ALL
SELECT entry_n, track_n, ts, 0, seq FROM flow_end;

-- What the file held and the timeline does not show. Everything stays in source_event.
CREATE TABLE unused AS
SELECT reason, count(*) AS n
FROM (
  SELECT CASE
    WHEN ph IS NULL THEN 'no phase'
    WHEN ph IN ('N', 'O', 'D') THEN 'object snapshots (N, O, D)'
    WHEN ph IN ('P') THEN 'samples (P)'
    WHEN ph IN ('v', 'V') THEN 'memory dumps (v, V)'
    WHEN ph IN ('c', '(', ')', '=') THEN 'clock sync and context events'
    WHEN ph NOT IN ('X', 'B', 'E', 'b', 'e', 'n', 'i', 'I', 'R', 's', 't', 'f', 'C', 'M',
                    'S', 'F', 'T', 'p') THEN 'unknown phase ' || ph
    WHEN ts_ns IS NULL AND ph <> 'M' THEN 'no usable timestamp'
    WHEN ph = 'C' AND coalesce(len(json_keys(args)), 0) = 0 THEN 'counter without values'
    WHEN ph = 'M' AND name NOT IN (FROM metadata_name) THEN 'metadata of unknown kinds'
    WHEN ph = 'M' AND name IS NULL THEN 'metadata of unknown kinds'
  END AS reason
  FROM event
  WHERE text IS NOT NULL
  UNION ALL
  SELECT 'end without a beginning' FROM bracket WHERE is_unmatched_end
)
WHERE reason IS NOT NULL
GROUP BY reason;

-- Records that became part of another record's row, and rows that are not a record of their own.
CREATE TABLE merged AS
SELECT 'ends of slices' AS reason, count(*) AS n FROM bracket WHERE end_seq IS NOT NULL
UNION ALL
SELECT 'metadata of processes and threads', count(*)
FROM other
WHERE ph = 'M' AND name IN (FROM metadata_name);

CREATE TABLE derived AS
SELECT 'counter' AS table_name, count(*) - count(DISTINCT seq) AS n FROM counter_value
UNION ALL
SELECT 'flow_point', count(*) FROM bound_flow;

-- Problems with times.
CREATE TABLE problem AS
SELECT 'unfinished_slice' AS kind, 'note' AS severity, count(*) AS count,
  'slices without an end; their dur is -1' AS meaning
FROM bracket
WHERE step = 1 AND dur = -1
UNION ALL
SELECT 'closed_by_outer_end', 'note', count(*),
  'slices without an end of their own; they end with the slice around them'
FROM bracket
WHERE step = 1 AND end_seq IS NULL AND dur <> -1
UNION ALL
SELECT 'unreadable_counter_value', 'warning', count(*), 'counter values that are not a number'
FROM counter_value
WHERE value IS NULL
UNION ALL
SELECT 'negative_duration', 'note', count(*), 'slices with a negative dur, kept unchanged'
FROM event
WHERE ph = 'X' AND dur_ns < 0
UNION ALL
SELECT 'unreadable_duration', 'warning', count(*),
  'slices whose dur is missing or not a number; their dur is -1'
FROM event
WHERE ph = 'X' AND dur_ns IS NULL AND ts_ns IS NOT NULL;
