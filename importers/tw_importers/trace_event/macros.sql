-- Small helpers of stage.sql, prepare.sql and normalize.sql.

-- Times beyond 95 years from the epoch are damage: differences and ends of such would overflow.
CREATE OR REPLACE TEMP MACRO usable_ns(ns) AS (
  CASE WHEN ns BETWEEN -3000000000000000000 AND 3000000000000000000 THEN ns::BIGINT END
);

-- Nanoseconds of a number text in microseconds that needs more care than moving its point:
-- exact to the ninth decimal, rounded half to even; NULL if it is not a number.
CREATE OR REPLACE TEMP MACRO exact_thousandfold(number_text) AS (
  TRY_CAST(trim(number_text, '"') AS DECIMAL(38, 9)) * 1000::DECIMAL(4, 0)
);
CREATE OR REPLACE TEMP MACRO exact_ns(number_text) AS (
  floor(exact_thousandfold(number_text))::HUGEINT
  + CASE
      WHEN exact_thousandfold(number_text) - floor(exact_thousandfold(number_text)) > 0.5 THEN 1
      WHEN exact_thousandfold(number_text) - floor(exact_thousandfold(number_text)) < 0.5 THEN 0
      ELSE abs(floor(exact_thousandfold(number_text))::HUGEINT % 2)
    END
);

-- Digits behind the point; 9 where there is more to the text than digits and a point.
CREATE OR REPLACE TEMP MACRO n_decimals(number_text) AS (
  CASE
    WHEN contains(number_text, 'e') OR contains(number_text, 'E') OR left(number_text, 1) = '"' THEN 9
    WHEN contains(number_text, '.') THEN length(number_text) - strpos(number_text, '.')
    ELSE 0
  END
);

-- Nanoseconds of a number text in microseconds, by moving its point where that is exact.
CREATE OR REPLACE TEMP MACRO nanoseconds(number_text, decimals) AS (
  usable_ns(CASE decimals
    WHEN 3 THEN TRY_CAST(replace(number_text, '.', '') AS BIGINT)
    WHEN 2 THEN TRY_CAST(replace(number_text, '.', '') || '0' AS BIGINT)
    WHEN 1 THEN TRY_CAST(replace(number_text, '.', '') || '00' AS BIGINT)
    WHEN 0 THEN TRY_CAST(number_text || '000' AS BIGINT)
    ELSE exact_ns(number_text)
  END)
);

-- The writers' habits that print a number this way, as bits:
-- 1 always three decimals, 2 shortest with a decimal point, 4 shortest; 0 none of them.
CREATE OR REPLACE TEMP MACRO number_styles(number_text, decimals) AS (
  CASE
    WHEN number_text IS NULL THEN 7
    WHEN decimals > 3 OR left(number_text, 2) = '-0' THEN 0
    WHEN decimals = 0 THEN 4
    WHEN decimals = 3 AND right(number_text, 1) <> '0' THEN 7
    WHEN decimals = 3 THEN 1
    WHEN right(number_text, 1) <> '0' THEN 6
    WHEN decimals = 1 THEN 2
    ELSE 0
  END::UTINYINT
);

-- Whether a value read as text was a string in the file, not a number, a list or the like; in doubt
-- it was not. NULL, where there is no value, is fine.
CREATE OR REPLACE TEMP MACRO is_string(value_text) AS (
  value_text IS NULL
  OR value_text NOT IN ('true', 'false')
  AND CASE
    -- Ranges of texts that begin like neither number, object nor list: faster than the first letter
    WHEN value_text < '-' OR value_text >= '.' AND value_text < '0'
      OR value_text >= ':' AND value_text < '[' OR value_text >= '\' AND value_text < '{'
      OR value_text >= '|'
      THEN true
    ELSE NOT json_valid(value_text)
  END
);

-- Keys of an event that have no column.
CREATE OR REPLACE TEMP MACRO unknown_keys(event_text) AS (
  nullif(
    json_merge_patch(
      event_text,
      '{"ph":null,"ts":null,"dur":null,"name":null,"pid":null,"tid":null,"args":null}'
    )::VARCHAR,
    '{}'
  )
);

-- The keys of a begin with `tdur`, the thread time (us) until its end, as complete events have it.
CREATE OR REPLACE TEMP MACRO with_thread_time(begin_keys, end_tts) AS (
  CASE
    WHEN TRY_CAST(end_tts AS DECIMAL(28, 3)) - TRY_CAST(begin_keys ->> 'tts' AS DECIMAL(28, 3))
      IS NULL THEN begin_keys
    ELSE json_merge_patch(begin_keys, json_object(
      'tdur',
      (TRY_CAST(end_tts AS DECIMAL(28, 3)) - TRY_CAST(begin_keys ->> 'tts' AS DECIMAL(28, 3)))::DOUBLE
    ))::VARCHAR
  END
);

-- The number a pid or tid is, also where the file wrote it as a string; NULL for names.
CREATE OR REPLACE TEMP MACRO json_number(value_json) AS TRY_CAST(trim(value_json, '"') AS BIGINT);

-- The JSON pointer of one key of an object, whatever characters it holds. (A JSONPath cannot name
-- the empty key, nor one that is a star.)
CREATE OR REPLACE TEMP MACRO json_path(key) AS (
  '/' || replace(replace(key, '~', '~0'), '/', '~1')
);

-- The key of an async group: `id`, or `id2` with its scope.
CREATE OR REPLACE TEMP MACRO async_id(id, text, pid) AS (
  coalesce(
    id::VARCHAR,
    json_extract(text, '$.id2.global')::VARCHAR,
    json_extract(text, '$.id2.local')::VARCHAR || ' of ' || pid::VARCHAR,
    ''
  )
);

-- Whether a value survives being read and printed by the JSON functions: strings and 64-bit
-- integers do, other numbers go through a double.
CREATE OR REPLACE TEMP MACRO is_exact_json(value_json) AS (
  value_json IS NULL
  OR left(value_json, 1) = '"'
  OR NOT (contains(value_json, '.') OR contains(value_json, 'e') OR contains(value_json, 'E'))
);
