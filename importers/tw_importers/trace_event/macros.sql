-- Nanoseconds of a number text in microseconds that needs more care than moving its point:
-- exact to the ninth decimal, rounded half to even; NULL for what is no number or beyond 64 bits.
CREATE OR REPLACE TEMP MACRO picoseconds(number_text) AS (
  TRY_CAST(number_text AS DECIMAL(38, 9)) * 1000::DECIMAL(4, 0)
);
CREATE OR REPLACE TEMP MACRO exact_ns(number_text) AS (
  TRY_CAST(floor(picoseconds(number_text)) AS BIGINT)
  + CASE
      WHEN picoseconds(number_text) - floor(picoseconds(number_text)) > 0.5 THEN 1
      WHEN picoseconds(number_text) - floor(picoseconds(number_text)) < 0.5 THEN 0
      ELSE TRY_CAST(floor(picoseconds(number_text)) AS BIGINT) % 2
    END
);

-- Digits behind the point; 9 where an exponent makes that meaningless.
CREATE OR REPLACE TEMP MACRO n_decimals(number_text) AS (
  CASE
    WHEN contains(number_text, 'e') OR contains(number_text, 'E') THEN 9
    WHEN contains(number_text, '.') THEN length(number_text) - strpos(number_text, '.')
    ELSE 0
  END
);

-- Nanoseconds of a number text in microseconds, by moving its point where that is exact.
CREATE OR REPLACE TEMP MACRO nanoseconds(number_text, decimals) AS (
  CASE decimals
    WHEN 3 THEN TRY_CAST(replace(number_text, '.', '') AS BIGINT)
    WHEN 2 THEN TRY_CAST(replace(number_text, '.', '') || '0' AS BIGINT)
    WHEN 1 THEN TRY_CAST(replace(number_text, '.', '') || '00' AS BIGINT)
    WHEN 0 THEN TRY_CAST(number_text || '000' AS BIGINT)
    ELSE exact_ns(number_text)
  END
);

-- The writers' habits that print a number this way (bits, see stage.sql).
CREATE OR REPLACE TEMP MACRO number_styles(number_text, decimals) AS (
  CASE
    WHEN number_text IS NULL THEN 7
    WHEN decimals = 0 THEN 4
    WHEN decimals > 3 OR left(number_text, 2) = '-0' THEN 0
    WHEN decimals = 3 AND right(number_text, 1) <> '0' THEN 7
    WHEN decimals = 3 THEN 1
    WHEN right(number_text, 1) <> '0' THEN 6
    WHEN decimals = 1 THEN 2
    ELSE 0
  END::UTINYINT
);
