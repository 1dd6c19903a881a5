-- From the text of an event to typed columns: one row an event, nothing derived, nothing lost.
-- Input: Arrow batches `event_text(seq, text, args, ts, dur)`; `args`, `ts` and `dur` verbatim.
--
-- Times become integer nanoseconds by moving the decimal point in the text. A text with more than
-- three decimals or an exponent goes through DECIMAL and is rounded half to even. (The JSON
-- functions would round every number to a double on the way.)
--
-- text: kept only where the columns do not hold all of it. The variables ts_style and
-- dur_style are how the file prints its times (macros.sql); a number printed otherwise keeps its
-- text as well.
WITH parsed AS (
  SELECT
    seq,
    text,
    nullif(args, '') AS args,
    nullif(ts, '') AS ts,
    nullif(dur, '') AS dur,
    len(json_keys(text)) - (args <> '')::INTEGER - (ts <> '')::INTEGER - (dur <> '')::INTEGER
      AS n_other_keys,
    unnest(json_transform(
      text,
      '{"ph":"VARCHAR","cat":"VARCHAR","name":"VARCHAR","pid":"JSON","tid":"JSON","id":"JSON",
        "bp":"VARCHAR","s":"VARCHAR"}'
    ))
  FROM event_text
),
placed AS (
  SELECT *, n_decimals(ts) AS ts_decimals, n_decimals(dur) AS dur_decimals
  FROM parsed
),
timed AS (
  SELECT
    *,
    nanoseconds(ts, ts_decimals) AS ts_ns,
    nanoseconds(dur, dur_decimals) AS dur_ns
  FROM placed
)
SELECT
  seq,
  ph,
  cat,
  name,
  pid::VARCHAR AS pid,
  -- without a thread, the main thread of the process is meant
  coalesce(tid, pid)::VARCHAR AS tid,
  id::VARCHAR AS id,
  bp,
  s AS scope,
  ts_ns,
  dur_ns,
  args,
  CASE
    WHEN ph IN ('X', 'i', 'I', 's', 't', 'f')
      -- no key is unknown, doubled or null
      AND n_other_keys = CASE
        WHEN cat IS NOT NULL AND name IS NOT NULL AND pid IS NOT NULL AND tid IS NOT NULL THEN 5
        ELSE 1 + (cat IS NOT NULL)::INTEGER + (name IS NOT NULL)::INTEGER
          + (pid IS NOT NULL)::INTEGER + (tid IS NOT NULL)::INTEGER
      END + CASE
        WHEN id IS NULL AND bp IS NULL AND s IS NULL THEN 0
        ELSE (id IS NOT NULL)::INTEGER + (bp IS NOT NULL)::INTEGER + (s IS NOT NULL)::INTEGER
      END
      -- JSON functions reformat numbers: exact for integers and strings, not for other numbers
      AND is_exact_json(id) AND is_exact_json(pid) AND is_exact_json(tid)
      AND (tid IS NOT NULL OR pid IS NULL)
      -- arrows have no column for arguments
      AND (ph IN ('X', 'i', 'I') OR (args IS NULL AND s IS NULL))
      AND ts_ns IS NOT NULL
      AND (number_styles(ts, ts_decimals) & getvariable('ts_style')) <> 0
      AND (number_styles(dur, dur_decimals) & getvariable('dur_style')) <> 0
      AND (dur IS NULL) = (ph <> 'X')
      AND (dur_ns IS NULL) = (dur IS NULL)
      AND name IS NOT NULL
      AND is_string(name)
      AND is_string(cat)
      AND is_string(s)
      AND is_string(bp)
      -- the JSON functions print a negative zero without its sign
      AND CASE WHEN pid = '0' OR tid = '0' OR id = '0' THEN NOT contains(text, '-0') ELSE true END
      THEN NULL
    ELSE text
  END AS text
FROM timed
