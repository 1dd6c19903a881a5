-- SQLite's operators and functions as DuckDB macros.
--
-- A value whose type varies by row is sqlite_any, STRUCT(n DOUBLE, i BIGINT,
-- t VARCHAR): a number is n, and i too when it is an integer; a text is t; NULL is NULL. Compared
-- field by field, NULLs last, numbers come before texts, as SQLite orders them.

CREATE OR REPLACE TEMP MACRO sqlite_any_of_int(x) AS
  CASE WHEN x IS NOT NULL
    THEN CAST({'n': CAST(x AS DOUBLE), 'i': CAST(x AS BIGINT), 't': NULL}
      AS STRUCT(n DOUBLE, i BIGINT, t VARCHAR)) END;

CREATE OR REPLACE TEMP MACRO sqlite_any_of_real(x) AS
  CASE WHEN x IS NOT NULL AND NOT isnan(x)
    THEN CAST({'n': x, 'i': NULL, 't': NULL} AS STRUCT(n DOUBLE, i BIGINT, t VARCHAR)) END;

CREATE OR REPLACE TEMP MACRO sqlite_any_of_text(x) AS
  CASE WHEN x IS NOT NULL
    THEN CAST({'n': NULL, 'i': NULL, 't': x} AS STRUCT(n DOUBLE, i BIGINT, t VARCHAR)) END;

-- A value that compares as in SQLite: 7 equals 7.0
CREATE OR REPLACE TEMP MACRO sqlite_key(x) AS
  CASE WHEN x IS NOT NULL THEN {
    'n': x.n,
    'i': coalesce(x.i, CASE WHEN x.n = trunc(x.n) THEN TRY_CAST(x.n AS BIGINT) END),
    't': x.t} END;

-- 15 digits, always with a decimal point
CREATE OR REPLACE TEMP MACRO sqlite_real_text(x) AS
  CASE
    WHEN isnan(x) THEN NULL
    WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Inf' ELSE '-Inf' END
    WHEN contains(format('{:.15g}', x), '.') THEN format('{:.15g}', x)
    WHEN contains(format('{:.15g}', x), 'e') THEN replace(format('{:.15g}', x), 'e', '.0e')
    ELSE format('{:.15g}', x + 0.0) || '.0'
  END;

CREATE OR REPLACE TEMP MACRO sqlite_any_text(x) AS
  CASE
    WHEN x.t IS NOT NULL THEN x.t
    WHEN x.i IS NOT NULL THEN CAST(x.i AS VARCHAR)
    ELSE sqlite_real_text(x.n)
  END;

-- The longest numeric prefix of a text, '' without one
CREATE OR REPLACE TEMP MACRO sqlite_digits(x) AS
  regexp_extract(x, '^[ \t\n\v\f\r]*([+-]?[0-9]+)', 1);

CREATE OR REPLACE TEMP MACRO sqlite_number_prefix(x) AS
  regexp_extract(x, '^[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)', 1);

-- A decimal integer; beyond 64 bits the nearest integer
CREATE OR REPLACE TEMP MACRO sqlite_digits_int(d) AS
  CASE
    WHEN d = '' THEN 0
    ELSE coalesce(
      TRY_CAST(d AS BIGINT),
      CASE WHEN starts_with(d, '-') THEN -9223372036854775807 - 1 ELSE 9223372036854775807 END)
  END;

CREATE OR REPLACE TEMP MACRO sqlite_text_int(x) AS
  CASE WHEN x IS NOT NULL THEN sqlite_digits_int(sqlite_digits(x)) END;

CREATE OR REPLACE TEMP MACRO sqlite_text_real(x) AS
  CASE WHEN x IS NOT NULL
    THEN coalesce(TRY_CAST(nullif(sqlite_number_prefix(x), '') AS DOUBLE), 0.0) END;

CREATE OR REPLACE TEMP MACRO sqlite_real_int(x) AS
  CASE
    WHEN x >= 9223372036854775807.0 THEN 9223372036854775807
    WHEN x <= -9223372036854775808.0 THEN -9223372036854775807 - 1
    ELSE CAST(trunc(x) AS BIGINT)
  END;

-- The numeric prefix of a text: an integer, if written as one and within 64 bits
CREATE OR REPLACE TEMP MACRO sqlite_prefix_any(d) AS
  CASE
    WHEN d = '' THEN sqlite_any_of_int(0)
    WHEN TRY_CAST(d AS BIGINT) IS NOT NULL AND regexp_full_match(d, '[+-]?[0-9]+')
      THEN sqlite_any_of_int(TRY_CAST(d AS BIGINT))
    ELSE sqlite_any_of_real(TRY_CAST(d AS DOUBLE))
  END;

CREATE OR REPLACE TEMP MACRO sqlite_text_number(x) AS
  CASE WHEN x IS NOT NULL THEN sqlite_prefix_any(sqlite_number_prefix(x)) END;

CREATE OR REPLACE TEMP MACRO sqlite_any_number(x) AS
  CASE WHEN x.t IS NULL THEN x ELSE sqlite_text_number(x.t) END;

CREATE OR REPLACE TEMP MACRO sqlite_any_int(x) AS
  CASE
    WHEN x.t IS NOT NULL THEN sqlite_text_int(x.t)
    WHEN x.i IS NOT NULL THEN x.i
    ELSE sqlite_real_int(x.n)
  END;

CREATE OR REPLACE TEMP MACRO sqlite_any_real(x) AS
  CASE WHEN x.t IS NOT NULL THEN sqlite_text_real(x.t) ELSE x.n END;

-- Numeric affinity: converts a text that is entirely a number, and a real that is an integer
CREATE OR REPLACE TEMP MACRO sqlite_text_affine(x) AS
  CASE
    WHEN regexp_full_match(
        x, '[ \t\n\v\f\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\v\f\r]*')
      THEN sqlite_text_number(x)
    ELSE sqlite_any_of_text(x)
  END;

CREATE OR REPLACE TEMP MACRO sqlite_any_affine(x) AS
  CASE WHEN x.t IS NULL THEN x ELSE sqlite_text_affine(x.t) END;

-- Integer division truncates; division by zero returns NULL
CREATE OR REPLACE TEMP MACRO sqlite_int_div(a, b) AS a // nullif(b, 0);
CREATE OR REPLACE TEMP MACRO sqlite_real_div(a, b) AS a / nullif(b, 0.0);
CREATE OR REPLACE TEMP MACRO sqlite_int_mod(a, b) AS a % nullif(b, 0);
CREATE OR REPLACE TEMP MACRO sqlite_any_add(a, b) AS
  CASE WHEN a.i IS NOT NULL AND b.i IS NOT NULL THEN sqlite_any_of_int(a.i + b.i)
    ELSE sqlite_any_of_real(a.n + b.n) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_sub(a, b) AS
  CASE WHEN a.i IS NOT NULL AND b.i IS NOT NULL THEN sqlite_any_of_int(a.i - b.i)
    ELSE sqlite_any_of_real(a.n - b.n) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_mul(a, b) AS
  CASE WHEN a.i IS NOT NULL AND b.i IS NOT NULL THEN sqlite_any_of_int(a.i * b.i)
    ELSE sqlite_any_of_real(a.n * b.n) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_div(a, b) AS
  CASE WHEN a.i IS NOT NULL AND b.i IS NOT NULL
    THEN sqlite_any_of_int(sqlite_int_div(a.i, b.i))
    ELSE sqlite_any_of_real(sqlite_real_div(a.n, b.n)) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_mod(a, b) AS
  CASE WHEN a.i IS NOT NULL AND b.i IS NOT NULL
    THEN sqlite_any_of_int(sqlite_int_mod(a.i, b.i))
    ELSE sqlite_any_of_real(CAST(
      sqlite_int_mod(sqlite_any_int(a), sqlite_any_int(b)) AS DOUBLE)) END;

-- ASCII letters only; DuckDB's function is much faster for pure ASCII texts.
CREATE OR REPLACE TEMP MACRO sqlite_lower(x) AS
  CASE WHEN strlen(x) = length(x) THEN lower(x)
    ELSE translate(x, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END;
CREATE OR REPLACE TEMP MACRO sqlite_upper(x) AS
  CASE WHEN strlen(x) = length(x) THEN upper(x)
    ELSE translate(x, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') END;

-- Characters from `first` to before `upto`, counted from 1; positions before 1 are ignored
CREATE OR REPLACE TEMP MACRO sqlite_between(x, first, upto) AS
  CASE WHEN upto > greatest(first, 1)
    THEN substring(x, greatest(first, 1), upto - greatest(first, 1)) ELSE '' END;
-- Converts a position counted from the end to one counted from 1
CREATE OR REPLACE TEMP MACRO sqlite_position(x, p) AS
  CASE WHEN p < 0 THEN length(x) + 1 + p ELSE p END;
CREATE OR REPLACE TEMP MACRO sqlite_substr2(x, p) AS
  CASE WHEN x IS NOT NULL AND p IS NOT NULL
    THEN sqlite_between(x, sqlite_position(x, p), length(x) + 1) END;
CREATE OR REPLACE TEMP MACRO sqlite_substr3(x, p, n) AS
  CASE
    WHEN x IS NULL OR p IS NULL OR n IS NULL THEN NULL
    WHEN n < 0 THEN sqlite_between(x, sqlite_position(x, p) + n, sqlite_position(x, p))
    ELSE sqlite_between(x, sqlite_position(x, p), sqlite_position(x, p) + n)
  END;

CREATE OR REPLACE TEMP MACRO sqlite_round(x, digits) AS
  CASE WHEN x IS NOT NULL AND digits IS NOT NULL
    THEN round(x, CAST(least(greatest(digits, 0), 30) AS INTEGER)) END;
CREATE OR REPLACE TEMP MACRO sqlite_group_concat(x, separator) AS string_agg(x, separator);

-- The value of a JSON text that is not a list or object
CREATE OR REPLACE TEMP MACRO perfetto_value(j) AS
  CASE json_type(j)
    WHEN 'BIGINT' THEN sqlite_any_of_int(TRY_CAST(j ->> '$' AS BIGINT))
    WHEN 'UBIGINT' THEN coalesce(
      sqlite_any_of_int(TRY_CAST(j ->> '$' AS BIGINT)),
      sqlite_any_of_real(TRY_CAST(j ->> '$' AS DOUBLE)))
    WHEN 'DOUBLE' THEN sqlite_any_of_real(TRY_CAST(j ->> '$' AS DOUBLE))
    WHEN 'BOOLEAN' THEN sqlite_any_of_int(CASE WHEN (j ->> '$') = 'true' THEN 1 ELSE 0 END)
    WHEN 'VARCHAR' THEN sqlite_any_of_text(j ->> '$')
  END;

CREATE OR REPLACE TEMP MACRO sqlite_any_abs(x) AS
  CASE WHEN x.i IS NOT NULL THEN sqlite_any_of_int(abs(x.i))
    ELSE sqlite_any_of_real(abs(x.n)) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_typeof(x) AS
  CASE
    WHEN x IS NULL THEN 'null'
    WHEN x.t IS NOT NULL THEN 'text'
    WHEN x.i IS NOT NULL THEN 'integer'
    ELSE 'real'
  END;
CREATE OR REPLACE TEMP MACRO sqlite_any_quote(x) AS
  CASE
    WHEN x IS NULL THEN 'NULL'
    WHEN x.t IS NOT NULL THEN '''' || replace(x.t, '''', '''''') || ''''
    ELSE sqlite_any_text(x)
  END;

CREATE OR REPLACE TEMP MACRO sqlite_text_addend(x) AS
  CASE WHEN regexp_full_match(x, '[ \t\n\v\f\r]*[+-]?[0-9]+[ \t\n\v\f\r]*') THEN sqlite_text_number(x)
    ELSE sqlite_any_of_real(sqlite_text_real(x)) END;
CREATE OR REPLACE TEMP MACRO sqlite_any_addend(x) AS
  CASE WHEN x.t IS NULL THEN x ELSE sqlite_text_addend(x.t) END;
