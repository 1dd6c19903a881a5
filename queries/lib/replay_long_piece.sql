/* ---
name = "replay_long_piece"
version = 1
title = "Pieces of host threads that make a step longer than the others, and by how much"
help = """
Of steps that take more than 1.5 times the median of their trace, of at least three: the longest pieces of
replay_piece that end in the step, as far as they exceed one length, so that what they exceed it by adds up
to what the step exceeds the median by, or to all they last.
"""
grain = ["track_id", "place"]
requires = { schema = ">=17", queries = ["replay_piece@1"] }
scale = "run"
columns = ["trace_id", "track_id", "place", "more_ns"]

[column]
track_id.help = "Thread"
place = { type = "BIGINT", unit = "count", check = ">= 1", help = "Place of the piece among those of the thread" }
more_ns = { type = "DOUBLE", unit = "ns", check = "> 0", help = "Time beyond that length" }

[changes]
1 = "first version"
--- */
WITH piece AS (
  SELECT
    trace_id, track_id, end_ns, dur_ns,
    row_number() OVER (PARTITION BY track_id ORDER BY end_ns) AS place
  FROM replay_piece()
),
timed AS (
  SELECT
    slice_id,
    trace_id,
    ts,
    ts + dur AS end_ns,
    dur,
    median(dur) OVER (PARTITION BY trace_id) AS median_ns,
    count(*) OVER (PARTITION BY trace_id) AS n_steps
  FROM step
  WHERE dur > 0
),
ranked AS (
  SELECT
    s.slice_id,
    s.dur - s.median_ns AS excess_ns,
    p.trace_id,
    p.track_id,
    p.place,
    p.dur_ns,
    row_number() OVER longest AS n,
    sum(p.dur_ns) OVER longest AS sum_ns,
    coalesce(lead(p.dur_ns) OVER longest, 0) AS next_ns
  FROM timed AS s
  JOIN piece AS p ON p.trace_id = s.trace_id AND p.end_ns > s.ts AND p.end_ns <= s.end_ns
  WHERE s.n_steps >= 3 AND s.dur > 1.5 * s.median_ns
  WINDOW longest AS (PARTITION BY s.slice_id ORDER BY p.dur_ns DESC, p.track_id, p.place)
),
-- The first n pieces cut to the length of the next would save enough.
level AS (
  SELECT slice_id, coalesce(
      min_by((sum_ns - excess_ns) / n, n) FILTER (sum_ns - n * next_ns >= excess_ns), 0
    ) AS level_ns
  FROM ranked
  GROUP BY slice_id
)
SELECT r.trace_id, r.track_id, r.place, max(r.dur_ns - greatest(v.level_ns, 0)) AS more_ns
FROM ranked AS r
JOIN level AS v ON v.slice_id = r.slice_id
WHERE r.dur_ns > greatest(v.level_ns, 0)
GROUP BY r.trace_id, r.track_id, r.place
ORDER BY r.track_id, r.place
