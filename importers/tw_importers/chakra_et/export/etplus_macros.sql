-- Nanoseconds as microseconds, without trailing zeros.
CREATE OR REPLACE TEMP MACRO etplus_us(ns) AS CASE
  WHEN ns % 1000 = 0 THEN (ns // 1000)::VARCHAR
  WHEN ns < 0 THEN (ns::DOUBLE / 1000)::VARCHAR
  ELSE rtrim(concat(ns // 1000, '.', lpad((ns % 1000)::VARCHAR, 3, '0')), '0')
END;
CREATE OR REPLACE TEMP MACRO etplus_number(x) AS regexp_replace(x::VARCHAR, '\.0$', '');
-- The keys of an execution trace node that are copied unchanged. Flat nodes (schema 1.0.1) are stored
-- and written in the form of later schemas.
CREATE OR REPLACE TEMP MACRO etplus_texts(inputs, outputs, attributes, extra) AS concat(
  ', "inputs": ' || inputs,
  ', "outputs": ' || outputs,
  ', "attrs": ' || attributes,
  CASE WHEN length(extra) > 2 THEN ', ' || extra[2:-2] END
);
