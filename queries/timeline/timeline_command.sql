/* ---
name = "timeline_command"
version = 1
title = "TPU commands shown on a timeline of bounded size, with their list positions"
help = """
The commands among the slices of timeline_slice with the same max_slices. list_index is the position
of a command in tpu_tiu_command or tpu_dma_command of its engine, from 0.
"""
grain = ["slice_id"]
requires = { schema = ">=9", queries = ["timeline_cutoff@1"], rows = ["tpu_command"] }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "track_id", "slice_id", "list_name", "list_index"]

[param.max_slices]
type = "BIGINT"
unit = "count"
default = 30000
min = 1
help = "Maximum number of slices to show over all tracks"

[column]
track_id.help = "Track"
slice_id.help = "Command"
list_name = { type = "VARCHAR", unit = "text", help = "Name of the engine's command list: TIU_0, CDMA_3, ..." }
list_index = { type = "BIGINT", unit = "count", check = ">= 0", help = "Position in the list" }

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
