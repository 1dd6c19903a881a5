/* ---
name = "timeline_cutoff"
version = 1
title = "Cutoff duration per track for a timeline of bounded size"
help = """
All tracks together show at most max_slices slices, but each track at least one. A track with few
slices shows all of them; the others show equally many each, so a busy track takes nothing from a
quiet one. Of equally long slices the one stored first is shown first. A slice is shown if it is
longer than last_dur_ns, or equally long with an id of at most last_slice_id. Negative durations
count as 0.
"""
grain = ["track_id"]
scale = "once"
computed_once = "reports"
columns = ["trace_id", "track_id", "n_slices", "n_shown", "last_dur_ns", "last_slice_id"]

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "Maximum number of slices to return over all tracks"

[column]
track_id.help = "Track"
n_slices = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of slices of the track" }
n_shown = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of slices of the track that are shown" }
last_dur_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Duration of the shortest slice shown" }
last_slice_id = { type = "BIGINT", unit = "ref slice.id", help = "Last slice of that duration that is shown" }

[changes]
1 = "first version"
--- */
WITH counted AS (
  SELECT trace_id, track_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id, track_id
),
-- From the track with the fewest slices up: what is left for it and all after it.
offered AS (
  SELECT
    n_slices,
    row_number() OVER (ORDER BY n_slices, track_id) AS place,
    floor(
      (
        $max_slices::BIGINT - coalesce(
          sum(n_slices) OVER (
            ORDER BY n_slices, track_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ),
          0
        )
      ) / (count(*) OVER () - row_number() OVER (ORDER BY n_slices, track_id) + 1)
    )::BIGINT AS n_each
  FROM counted
),
-- The first track with more than that determines the number for all following tracks.
level AS (
  SELECT min_by(n_each, place) AS n_each
  FROM offered
  WHERE n_slices > n_each
),
allowed AS (
  SELECT
    c.trace_id,
    c.track_id,
    c.n_slices,
    greatest(1, least(c.n_slices, coalesce(l.n_each, c.n_slices))) AS n_shown
  FROM counted AS c
  CROSS JOIN level AS l
),
-- Sorting all slices is slow. Counting them by class of duration finds the class of the last one
-- shown; only that class is sorted.
sized AS (
  SELECT track_id, floor(log2(greatest(dur, 0) + 1) * 16)::INTEGER AS size_class, count(*) AS n
  FROM slice
  GROUP BY track_id, floor(log2(greatest(dur, 0) + 1) * 16)::INTEGER
),
summed AS (
  SELECT
    track_id,
    size_class,
    n,
    sum(n) OVER (PARTITION BY track_id ORDER BY size_class DESC) AS n_from_here_up
  FROM sized
),
edge AS (
  SELECT
    a.track_id,
    s.size_class,
    a.n_shown - (s.n_from_here_up - s.n) AS n_of_class
  FROM allowed AS a
  JOIN summed AS s ON s.track_id = a.track_id
  WHERE s.n_from_here_up >= a.n_shown AND s.n_from_here_up - s.n < a.n_shown
),
sorted AS (
  SELECT
    s.track_id,
    s.id,
    greatest(s.dur, 0) AS dur_ns,
    e.n_of_class,
    row_number() OVER (PARTITION BY s.track_id ORDER BY greatest(s.dur, 0) DESC, s.id) AS place
  FROM slice AS s
  JOIN edge AS e
    ON e.track_id = s.track_id
    AND e.size_class = floor(log2(greatest(s.dur, 0) + 1) * 16)::INTEGER
)
SELECT
  a.trace_id,
  a.track_id,
  a.n_slices,
  a.n_shown,
  s.dur_ns AS last_dur_ns,
  s.id AS last_slice_id
FROM allowed AS a
JOIN sorted AS s ON s.track_id = a.track_id AND s.place = s.n_of_class
