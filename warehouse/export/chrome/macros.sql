-- Numbers as trace writers print them: microseconds with three decimals (fixed3), with at least one
-- (shortest_float), or with as few as possible (shortest).
CREATE OR REPLACE TEMP MACRO trimmed_microseconds(whole, thousandths) AS (
  CASE
    WHEN thousandths % 100 = 0 THEN whole || '.' || thousandths // 100
    WHEN thousandths % 10 = 0 THEN whole || '.' || lpad((thousandths // 10)::VARCHAR, 2, '0')
    ELSE whole || '.' || lpad(thousandths::VARCHAR, 3, '0')
  END
);
CREATE OR REPLACE TEMP MACRO printed_microseconds(ns, style) AS (
  CASE WHEN ns < 0 THEN '-' ELSE '' END
  || CASE
    WHEN style = 'shortest' AND ns % 1000 = 0 THEN abs(ns // 1000)::VARCHAR
    WHEN style IN ('shortest', 'shortest_float')
      THEN trimmed_microseconds(abs(ns // 1000)::VARCHAR, abs(ns % 1000))
    ELSE concat(abs(ns // 1000), '.', right((1000 + abs(ns % 1000))::VARCHAR, 3))
  END
);
-- ',"key":value' if there is a value; `json_text` is JSON.
CREATE OR REPLACE TEMP MACRO member(key, json_text) AS (
  coalesce(',"' || key || '":' || json_text, '')
);
CREATE OR REPLACE TEMP MACRO text_member(key, plain_text) AS member(key, to_json(plain_text)::VARCHAR)
