/* ---
name = "timeline_slice"
version = 1
title = "The longest slices of each track, for a timeline of bounded size"
help = """
Each track gets an equal share of max_slices, and what tracks with fewer slices leave over; see
timeline_cutoff. What is not here is in timeline_shade, with the same max_slices.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "How many slices are shown one by one, over all tracks"

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The rank, if known"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "Where it is"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start, on the scale of slice.ts"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length; lengths below 0, also of what never ended, are 0"

[[column]]
name = "is_unfinished"
type = "BOOLEAN"
unit = "bool"
help = "Whether it never ended"

[[column]]
name = "depth"
type = "INTEGER"
unit = "count"
check = ">= 0"
help = "Slices of its track that contain it"

[[column]]
name = "category"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its category"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  s.trace_id,
  coalesce(p.rank, t.rank) AS rank,
  s.track_id,
  s.id AS slice_id,
  s.ts AS start_ns,
  greatest(s.dur, 0) AS dur_ns,
  s.dur = -1 AS is_unfinished,
  s.depth,
  s.category,
  s.name
FROM slice AS s
JOIN timeline_cutoff(p_max_slices := $max_slices::BIGINT) AS c
  ON c.track_id = s.track_id
  AND (
    greatest(s.dur, 0) > c.last_dur_ns
    OR (greatest(s.dur, 0) = c.last_dur_ns AND s.id <= c.last_slice_id)
  )
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN track AS k ON k.id = s.track_id
LEFT JOIN process AS p ON p.id = k.process_id
ORDER BY t.run_id, s.trace_id, s.track_id, s.ts, s.depth, s.id
