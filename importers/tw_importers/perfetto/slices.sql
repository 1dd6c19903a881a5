-- Slices in the order they are stored, values and points of flows.
-- In: `event`, `sample`, `hop`, `packet_count` (read.py), `track_of` (tracks.sql), `origin`, and
-- `bracket` as brackets.py left it. Out: `span`, `value`, `point`, `entry` (what the nesting pass
-- orders), and the account of all packets.

CREATE TABLE span AS
SELECT
  e.seq,
  b.end_seq,
  t.track_n,
  e.ts_ns - o.first_ns AS ts,
  CASE e.phase WHEN 'B' THEN b.dur WHEN 'X' THEN coalesce(e.dur_ns, -1) ELSE 0 END AS dur,
  e.category,
  e.name,
  e.phase,
  CASE
    WHEN z.args IS NULL THEN e.args
    WHEN e.args IS NULL THEN z.args
    ELSE json_merge_patch(e.args, z.args)::VARCHAR
  END AS args,
  CASE
    WHEN z.extra IS NULL THEN e.extra
    WHEN e.extra IS NULL THEN z.extra
    ELSE json_merge_patch(e.extra, z.extra)::VARCHAR
  END AS extra
FROM event AS e
JOIN track_of AS t USING (source_track_n)
CROSS JOIN origin AS o
LEFT JOIN bracket AS b ON b.seq = e.seq
LEFT JOIN event AS z ON z.seq = b.end_seq
WHERE e.phase IN ('B', 'X', 'i')
ORDER BY e.category NULLS FIRST, t.track_n, ts, dur DESC, e.seq;

CREATE VIEW entry AS
SELECT
  s.rowid AS entry_n,
  s.track_n,
  s.ts,
  -- what never ends lies over all that follows, also what begins at the very end
  CASE WHEN s.dur = -1 THEN o.last_ns - o.first_ns - s.ts + 1 ELSE greatest(s.dur, 0) END AS reach,
  s.seq
FROM span AS s
CROSS JOIN origin AS o;

CREATE TABLE value AS
SELECT t.track_n, s.ts_ns - o.first_ns AS ts, s.value, s.seq
FROM sample AS s
JOIN track_of AS t USING (source_track_n)
CROSS JOIN origin AS o
ORDER BY t.track_n, ts, s.seq;

-- Points of a flow: the first begins it, the last ends it where the trace says so; an id may be used
-- again afterwards. They are on the slice that the event begins or ends.
CREATE TABLE point AS
WITH bound AS (
  SELECT
    h.flow, h.is_last, e.ts_ns, e.seq,
    coalesce(s.rowid, z.rowid) AS slice_n,
    coalesce(s.track_n, z.track_n) AS track_n
  FROM hop AS h
  JOIN event AS e USING (seq)
  LEFT JOIN span AS s ON s.seq = h.seq
  LEFT JOIN span AS z ON z.end_seq = h.seq
),
counted AS (
  SELECT
    *,
    coalesce(sum(is_last::INTEGER) OVER (
      PARTITION BY flow ORDER BY ts_ns, seq, is_last
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS use_n
  FROM bound
  WHERE slice_n IS NOT NULL
)
SELECT
  slice_n,
  track_n,
  ts_ns - o.first_ns AS ts,
  flow,
  CASE
    WHEN is_last THEN 'f'
    WHEN row_number() OVER (PARTITION BY flow, use_n ORDER BY ts_ns, seq, is_last) = 1 THEN 's'
    ELSE 't'
  END AS phase
FROM counted
CROSS JOIN origin AS o
ORDER BY ts_ns, seq, is_last, flow;

-- Every packet is stored, merged or unused.
CREATE TABLE record_count AS
SELECT 'events' AS source, count(*) AS n FROM event
UNION ALL
SELECT 'other packets', coalesce(sum(n), 0) FROM packet_count;

CREATE TABLE merged AS
SELECT reason, n FROM packet_count WHERE what = 'merged'
UNION ALL
SELECT 'ends of slices', count(end_seq) FROM bracket;

CREATE TABLE unused AS
SELECT reason, n FROM packet_count WHERE what = 'unused'
UNION ALL
SELECT 'end without a beginning', count(*) FROM bracket WHERE is_unmatched_end HAVING count(*) > 0
UNION ALL
SELECT
  CASE WHEN phase IS NULL THEN 'events without a type' ELSE 'events of phase ' || phase END,
  count(*)
FROM event
WHERE phase IS NULL OR phase NOT IN ('B', 'E', 'i', 'X', 'C')
GROUP BY phase;

CREATE TABLE derived AS
SELECT 'counter' AS table_name, count(*) AS n
FROM sample AS s
JOIN event AS e USING (seq)
WHERE e.phase IS DISTINCT FROM 'C'
UNION ALL
SELECT 'flow_point', count(*) FROM point;

CREATE TABLE problem AS
SELECT 'unfinished_slice' AS kind, 'note' AS severity, count(*) AS count,
  'slices without an end; their dur is -1' AS meaning
FROM span
WHERE dur = -1
UNION ALL
SELECT 'closed_by_outer_end', 'note', count(*),
  'slices without an end of their own; they end with the slice around them'
FROM bracket
WHERE step = 1 AND end_seq IS NULL AND dur <> -1
UNION ALL
SELECT 'flow_without_slice', 'note', (SELECT count(*) FROM hop) - count(*),
  'points of flows at ends without a beginning, dropped'
FROM point;
