-- How a file prints its times, judged by its first events: the habit most of them show.
-- In: `event_text`, the times of the first batch of each trace. Out: a row (ts_style, dur_style) for
-- each, bits of number_styles.
WITH styled AS (
  SELECT
    trace_n,
    number_styles(ts, n_decimals(ts)) AS ts_styles,
    number_styles(dur, n_decimals(dur)) AS dur_styles
  FROM (SELECT trace_n, nullif(ts, '') AS ts, nullif(dur, '') AS dur FROM event_text)
),
counted AS (
  SELECT
    trace_n,
    count(*) FILTER (ts_styles & 1 <> 0) AS ts_fixed,
    count(*) FILTER (ts_styles & 2 <> 0) AS ts_float,
    count(*) FILTER (ts_styles & 4 <> 0) AS ts_short,
    count(*) FILTER (dur_styles & 1 <> 0) AS dur_fixed,
    count(*) FILTER (dur_styles & 2 <> 0) AS dur_float,
    count(*) FILTER (dur_styles & 4 <> 0) AS dur_short
  FROM styled
  GROUP BY trace_n
)
SELECT
  CASE greatest(ts_fixed, ts_float, ts_short) WHEN ts_fixed THEN 1 WHEN ts_float THEN 2 ELSE 4 END
    AS ts_style,
  CASE greatest(dur_fixed, dur_float, dur_short)
    WHEN dur_fixed THEN 1 WHEN dur_float THEN 2 ELSE 4
  END AS dur_style
FROM counted
ORDER BY trace_n
