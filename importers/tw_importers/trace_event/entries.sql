-- Converts spans to the input of the nesting pass, and counts all records.
-- In: the tables of prepare.sql, and `slice_order` (numbering.py). Out: `slice_reach`, `flow_end`,
-- `bound_flow`, `entry` (what the nesting pass orders), `unused`, `merged`, `derived`, `problem`.

-- The same with `reach`: how long a slice lies over others.
CREATE VIEW slice_reach AS
SELECT s.slice_n, s.seq, s.track_n, s.ts, coalesce(u.reach, greatest(s.dur, 0)) AS reach
FROM slice_order AS s
LEFT JOIN unfinished AS u ON u.seq = s.seq;

-- Points of recorded arrows that correlation ids do not repeat; numbered below 0, as they are no slices.
CREATE TABLE flow_end AS
SELECT
  -row_number() OVER (ORDER BY e.seq) AS entry_n,
  e.seq,
  k.track_n,
  e.ts_ns - k.first_ns AS ts,
  k.ph = 'f' AND k.bp IS DISTINCT FROM 'e' AS to_next
FROM event_row AS e
JOIN kind_track AS k ON k.kind = e.kind
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

-- Input of the nesting pass: slices, and arrows that need their enclosing slice.
CREATE VIEW entry AS
SELECT slice_n AS entry_n, track_n, ts, reach, seq FROM slice_reach
UNION ALL
SELECT entry_n, track_n, ts, 0, seq FROM flow_end;

-- Events that the timeline does not show. All of them stay in source_event.
CREATE TABLE unused AS
SELECT trace_n, reason, count(*) AS n
FROM (
  SELECT seq >> 32 AS trace_n, CASE
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
  SELECT trace_n, 'end without a beginning' FROM bracket WHERE is_unmatched_end
)
WHERE reason IS NOT NULL
GROUP BY trace_n, reason;

-- Records that became part of another record's row, and rows that are not a record of their own.
CREATE TABLE merged AS
SELECT trace_n, 'ends of slices' AS reason, count(*) AS n
FROM bracket
WHERE end_seq IS NOT NULL
GROUP BY trace_n
UNION ALL
SELECT seq >> 32, 'metadata of processes and threads', count(*)
FROM other
WHERE ph = 'M' AND name IN (FROM metadata_name)
GROUP BY seq >> 32;

CREATE TABLE derived AS
SELECT seq >> 32 AS trace_n, 'counter' AS table_name, count(*) - count(DISTINCT seq) AS n
FROM counter_value
GROUP BY seq >> 32
UNION ALL
SELECT seq >> 32, 'flow_point', count(*) FROM bound_flow GROUP BY seq >> 32;

-- Problems with times.
CREATE TABLE problem AS
SELECT trace_n, 'unfinished_slice' AS kind, 'note' AS severity, count(*) AS count,
  'slices without an end; their dur is -1' AS meaning
FROM bracket
WHERE step = 1 AND dur = -1
GROUP BY trace_n
UNION ALL
SELECT trace_n, 'closed_by_outer_end', 'note', count(*),
  'slices without an end of their own; they end with the slice around them'
FROM bracket
WHERE step = 1 AND end_seq IS NULL AND dur <> -1
GROUP BY trace_n
UNION ALL
SELECT seq >> 32, 'unreadable_counter_value', 'warning', count(*),
  'counter values that are not a number'
FROM counter_value
WHERE value IS NULL
GROUP BY seq >> 32
UNION ALL
SELECT k.trace_n, 'negative_duration', 'note', sum(t.n_negative)::BIGINT,
  'slices with a negative dur, kept unchanged'
FROM kind_time AS t
JOIN event_kind AS k ON k.kind = t.kind
WHERE k.ph = 'X' AND t.n_negative > 0
GROUP BY k.trace_n
UNION ALL
SELECT k.trace_n, 'unreadable_duration', 'warning', sum(t.n_without_dur)::BIGINT,
  'slices whose dur is missing or not a number; their dur is -1'
FROM kind_time AS t
JOIN event_kind AS k ON k.kind = t.kind
WHERE k.ph = 'X' AND t.n_without_dur > 0
GROUP BY k.trace_n;
