/* ---
name = "timeline_slice"
version = 1
title = "Longest slices of each track, for a timeline of bounded size"
help = """
Each track gets an equal share of max_slices, and what tracks with fewer slices leave over; see
timeline_cutoff. All other slices are in timeline_shade, with the same max_slices.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["timeline_cutoff@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "track_id", "slice_id", "start_ns", "dur_ns", "is_unfinished",
  "depth", "category", "name",
]

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "Maximum number of slices to show over all tracks"

[column]
track_id.help = "Track of the slice"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration; negative and unfinished ones are 0"
is_unfinished = { type = "BOOLEAN", unit = "bool", help = "Whether the slice never ended" }
depth = { type = "INTEGER", unit = "count", check = ">= 0", help = "Number of enclosing slices of its track" }
category.help = "Category of the slice"

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
