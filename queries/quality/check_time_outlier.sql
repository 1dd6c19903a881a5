/* ---
name = "check_time_outlier"
version = 1
title = "Slice start far outside the trace"
help = """
The time between the first and the last start of a trace is split into 1000 equal parts. The body
runs from the part in which the first 5 % of the starts are exceeded to the part in which 95 % are
reached. A slice that starts farther from the body than 100 times the length of the body is an
outlier, as is a time of zero in the file. Traces whose body is longer than 1 % of this time have no
outliers.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of slices of the trace"
examples.help = "Up to three: slice, start on the time axis of slice.ts, name"

[changes]
1 = "first version"
--- */
WITH extent AS (
  SELECT trace_id, min(ts) AS start_ts, max(ts) AS end_ts, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id
  HAVING max(ts) > min(ts)
),
part AS (
  SELECT
    s.trace_id,
    floor((s.ts - e.start_ts) * 1000.0 / (e.end_ts - e.start_ts)) AS part,
    count(*) AS n_slices
  FROM slice AS s
  JOIN extent AS e ON e.trace_id = s.trace_id
  GROUP BY s.trace_id, part
),
counted AS (
  SELECT
    trace_id,
    part,
    sum(n_slices) OVER (
      PARTITION BY trace_id ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n_until,
    sum(n_slices) OVER (PARTITION BY trace_id) AS n_slices,
    n_slices AS n_here
  FROM part
),
body AS (
  SELECT trace_id, min(part) AS first_part, max(part) AS last_part
  FROM counted
  WHERE n_until > 0.05 * n_slices AND n_until - n_here < 0.95 * n_slices
  GROUP BY trace_id
),
bound AS (
  SELECT
    b.trace_id,
    e.n_slices,
    e.start_ts + (b.first_part - 100 * (b.last_part - b.first_part + 1))
      * (e.end_ts - e.start_ts) / 1000.0 AS low_ts,
    e.start_ts + (b.last_part + 1 + 100 * (b.last_part - b.first_part + 1))
      * (e.end_ts - e.start_ts) / 1000.0 AS high_ts
  FROM body AS b
  JOIN extent AS e ON e.trace_id = b.trace_id
  WHERE b.last_part - b.first_part < 10
),
far AS (
  SELECT
    s.id AS slice_id,
    s.trace_id,
    s.ts,
    s.name,
    b.n_slices,
    t.base_ns + s.ts = t.source_base_ns AS is_zero,
    row_number() OVER (PARTITION BY s.trace_id ORDER BY s.ts, s.id) AS place
  FROM slice AS s
  JOIN bound AS b ON b.trace_id = s.trace_id
  JOIN trace AS t ON t.id = s.trace_id
  WHERE s.ts < b.low_ts OR s.ts > b.high_ts
),
finding AS (
  SELECT
    f.trace_id,
    count(*) AS n_found,
    max(f.n_slices) AS n_looked_at,
    sum(CASE WHEN f.is_zero THEN 1 ELSE 0 END)::BIGINT AS n_zero,
    string_agg(
      CASE
        WHEN f.place <= 3
        THEN 'slice ' || f.slice_id || ' at ' || f.ts || ' ns: ' || left(coalesce(f.name, '(no name)'), 60)
      END,
      '; ' ORDER BY f.place
    ) AS examples
  FROM far AS f
  GROUP BY f.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'time_outlier' AS check_name,
  CASE WHEN f.n_zero > 0 THEN 'error' ELSE 'warning' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  CASE
    WHEN f.n_zero > 0
    THEN 'Slices have the time 0 in the file (' || f.n_zero || ' of these), which the profiler '
      || 'writes for an unknown time; spans and idle times are wrong.'
    ELSE 'Slices start far from all others; spans and idle times that include them are unreliable.'
  END AS meaning,
  'Exclude them with a time window, --from and --to; record again with a newer '
    || 'profiler.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
