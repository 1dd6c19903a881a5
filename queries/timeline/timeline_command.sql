/* ---
name = "timeline_command"
version = 1
title = "The TPU commands a timeline of bounded size shows one by one, and where lists have them"
help = """
The commands among the slices of timeline_slice with the same max_slices. list_index is the place of a
command in tpu_tiu_command or tpu_dma_command of its engine, from 0.
"""
grain = ["slice_id"]
requires = { schema = ">=9", queries = ["timeline_cutoff@1"] }

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
help = "The trace's rank, if known"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The track"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The command"

[[column]]
name = "list_name"
type = "VARCHAR"
unit = "text"
help = "What the list of its engine is called: TIU_0, CDMA_3, ..."

[[column]]
name = "list_index"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Its place there"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.track_id,
  c.slice_id,
  c.engine || '_' || coalesce(c.core, c.port) AS list_name,
  c.stream_n AS list_index
FROM tpu_command AS c
JOIN timeline_cutoff(p_max_slices := $max_slices::BIGINT) AS k
  ON k.track_id = c.track_id
  AND (
    greatest(c.dur, 0) > k.last_dur_ns
    OR (greatest(c.dur, 0) = k.last_dur_ns AND c.slice_id <= k.last_slice_id)
  )
JOIN trace AS t ON t.id = c.trace_id
WHERE c.stream_n IS NOT NULL AND coalesce(c.core, c.port) IS NOT NULL
ORDER BY t.run_id, c.trace_id, c.track_id, c.slice_id
