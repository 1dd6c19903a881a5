-- Begins and ends of slices in pairs, without any lock on the warehouse.
-- In: `event` (read.py), `track_of` (tracks.sql). Out: `origin`, `bracket`.

CREATE TABLE origin AS
SELECT
  coalesce(min(ts_ns), 0) AS first_ns,
  coalesce(max(ts_ns + greatest(coalesce(dur_ns, 0), 0)), 0) AS last_ns
FROM event;

-- An end closes the last begin of its track that is open, whatever it is called (brackets.py: unless
-- it has another name or category). In the columns that `rematch_threads` reads.
CREATE TABLE bracket AS
WITH marked AS (
  SELECT
    e.seq, e.ts_ns, t.track_n, e.name, e.category,
    CASE WHEN e.phase = 'B' THEN 1 ELSE -1 END AS step
  FROM event AS e
  JOIN track_of AS t USING (source_track_n)
  WHERE e.phase IN ('B', 'E')
),
leveled AS (
  SELECT
    *,
    sum(step) OVER (PARTITION BY track_n ORDER BY ts_ns, seq ROWS UNBOUNDED PRECEDING)
      + (step < 0)::INTEGER AS level
  FROM marked
)
SELECT
  seq,
  0 AS trace_n,
  true AS is_on_thread,
  ts_ns,
  step,
  NULL::VARCHAR AS pid,
  track_n::VARCHAR AS id_key,
  category AS cat,
  name,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(seq) OVER same_level END AS end_seq,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(ts_ns) OVER same_level - ts_ns ELSE -1 END
    AS dur,
  step = -1 AND lag(step) OVER same_level IS DISTINCT FROM 1 AS is_unmatched_end,
  step = 1 AND lead(step) OVER same_level = -1 AND coalesce(
    name <> lead(name) OVER same_level OR category <> lead(category) OVER same_level, false
  ) AS is_mismatched
FROM leveled
WINDOW same_level AS (PARTITION BY track_n, level ORDER BY ts_ns, seq);
