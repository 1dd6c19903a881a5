/* ---
name = "timeline_cutoff"
version = 1
title = "Of each track, which slices a timeline of bounded size shows one by one: the longest"
help = """
All tracks together show at most max_slices, but each at least one. A track with few slices shows
all; the others show equally many each, so that a busy track takes nothing from a quiet one. Of equally long slices
the first stored is shown first. A slice is shown if it is longer than last_dur_ns, or as long and
its id is not above last_slice_id. Lengths below 0 count as 0.
"""
grain = ["track_id"]

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "How many slices to show, over all tracks"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The track"

[[column]]
name = "n_slices"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Slices of the track"

[[column]]
name = "n_shown"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Those shown one by one"

[[column]]
name = "last_dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the shortest slice shown"

[[column]]
name = "last_slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The last shown of this length"

[changes]
1 = "first version"
--- */
WITH counted AS (
  SELECT trace_id, track_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id, track_id
),
-- From the track with fewest slices up: what is left for it and for each after it.
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
-- The first track that has more than that settles it for all that follow.
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
-- Sorting all slices would take long. Counting them by classes of length finds the class in which
-- the last shown one lies; only that class is sorted.
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
