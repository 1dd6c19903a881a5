-- Pairs of begins and ends: B and E on threads, b and e (older: S and F) of async groups.
-- In: `event` (stage.sql). Out: `other`, and `bracket`, one row for each begin and each end:
--   end_seq: the end of a begin; NULL where it has none of its own
--   dur: from the begin to its end in ns; -1 for begins that never end
--   is_unmatched_end: no begin is open that this end could close
--   is_mismatched: the end has another name or category than its begin (rematched in brackets.py)
-- Macros of the importer: async_id.

-- `seq >> 32` is the trace of a record (prepare.sql).

-- All that is neither a plain slice nor a plain flow point: little beside the rest of a file.
CREATE TABLE other AS
SELECT
  seq,
  ph,
  cat,
  name,
  pid,
  tid,
  async_id(id, text, pid) AS id,
  -- an id means the same in every process, unless it is a local one
  CASE
    WHEN ph IN ('b', 'n', 'e', 'S', 'T', 'p', 'F') AND (
      id IS NOT NULL OR json_exists(text, '$.id2.global')
    ) THEN NULL
    ELSE pid
  END AS id_pid,
  CASE WHEN ph IN ('S', 'F', 'T', 'p') THEN coalesce(name, '') ELSE '' END AS async_name,
  ts_ns,
  args,
  CASE
    WHEN ph IN ('B', 'E') AND contains(text, '"tts"') THEN json_extract_string(text, '$.tts')
  END AS tts
FROM event
WHERE text IS NOT NULL AND ph IS NOT NULL;

-- An end closes the last begin that is still open: on a thread whatever it is called, in an async
-- group if it has the same name.
CREATE TABLE bracket AS
WITH marked AS (
  SELECT
    seq,
    seq >> 32 AS trace_n,
    ts_ns,
    ph IN ('B', 'E') AS is_on_thread,
    CASE WHEN ph IN ('B', 'E') THEN pid ELSE id_pid END AS pid,
    CASE WHEN ph IN ('B', 'E') THEN tid::VARCHAR ELSE id END AS id_key,
    CASE WHEN ph IN ('B', 'E') THEN '' ELSE coalesce(cat, '') END AS group_cat,
    -- S and F do not pair with b and e
    CASE WHEN ph IN ('B', 'E') THEN '' ELSE if(ph IN ('S', 'F'), 'S ', 'b ') || coalesce(name, '') END AS group_name,
    cat,
    name,
    CASE WHEN ph IN ('B', 'b', 'S') THEN 1 ELSE -1 END AS step
  FROM other
  WHERE ph IN ('B', 'E', 'b', 'e', 'S', 'F') AND ts_ns IS NOT NULL
),
leveled AS (
  SELECT
    *,
    sum(step) OVER (
      PARTITION BY trace_n, is_on_thread, pid, id_key, group_cat, group_name
      ORDER BY ts_ns, seq ROWS UNBOUNDED PRECEDING
    ) + (step < 0)::INTEGER AS level
  FROM marked
)
SELECT
  seq,
  trace_n,
  is_on_thread,
  ts_ns,
  step,
  pid,
  id_key,
  group_cat,
  cat,
  name,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(seq) OVER same_level END AS end_seq,
  CASE WHEN lead(step) OVER same_level = -1 THEN lead(ts_ns) OVER same_level - ts_ns ELSE -1 END
    AS dur,
  step = -1 AND lag(step) OVER same_level IS DISTINCT FROM 1 AS is_unmatched_end,
  is_on_thread AND step = 1 AND lead(step) OVER same_level = -1 AND coalesce(
    name <> lead(name) OVER same_level OR cat <> lead(cat) OVER same_level, false
  ) AS is_mismatched
FROM leveled
WINDOW same_level AS (
  PARTITION BY trace_n, is_on_thread, pid, id_key, group_cat, group_name, level
  ORDER BY ts_ns, seq
);

-- An async end without a name closes the last begin of its group that no other end closes.
UPDATE bracket SET end_seq = p.end_seq, dur = coalesce(p.dur, -1), is_unmatched_end = p.is_unmatched
FROM (
  WITH leveled AS (
    SELECT *, sum(step) OVER (
      PARTITION BY trace_n, pid, id_key, group_cat
      ORDER BY ts_ns, seq ROWS UNBOUNDED PRECEDING
    ) + (step < 0)::INTEGER AS level
    FROM bracket
    WHERE NOT is_on_thread
      AND (step = 1 AND end_seq IS NULL OR is_unmatched_end AND name IS NULL)
  )
  SELECT
    seq,
    CASE WHEN lead(step) OVER same_level = -1 THEN lead(seq) OVER same_level END AS end_seq,
    CASE WHEN lead(step) OVER same_level = -1 THEN lead(ts_ns) OVER same_level - ts_ns END AS dur,
    step = -1 AND lag(step) OVER same_level IS DISTINCT FROM 1 AS is_unmatched
  FROM leveled
  WINDOW same_level AS (
    PARTITION BY trace_n, pid, id_key, group_cat, level ORDER BY ts_ns, seq
  )
) AS p
WHERE p.seq = bracket.seq;
