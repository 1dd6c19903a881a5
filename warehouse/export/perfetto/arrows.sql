-- The flows of the default link set, each with the packet of the target at which it ends.
-- Viewers draw a flow from the earlier packet to the later one. If the target does not begin after the
-- source, the flow ends at the target's end (is_late). If that is not after the source either, both
-- packets carry the flow as a start (is_open), which draws it in packet order: a target with duration 0
-- at the time of the source is written after all others (is_tie); the flow of an earlier target is
-- reversed.
CREATE OR REPLACE TEMP TABLE export_arrow AS
SELECT
  id,
  slice_out,
  slice_in,
  in_ts <= out_ts AND in_end > out_ts AS is_late,
  in_ts <= out_ts AND in_end <= out_ts AS is_open,
  in_ts = out_ts AND in_end = out_ts AND NOT is_unfinished AS is_tie
FROM (
  SELECT
    f.id,
    f.slice_out,
    f.slice_in,
    o.ts + ot.shift_ns AS out_ts,
    i.ts + it.shift_ns AS in_ts,
    i.ts + it.shift_ns + greatest(i.dur, 0) AS in_end,
    i.dur = -1 AS is_unfinished
  FROM flow AS f
  JOIN slice AS o ON o.id = f.slice_out
  JOIN slice AS i ON i.id = f.slice_in
  JOIN export_trace AS ot ON ot.trace_id = o.trace_id
  JOIN export_trace AS it ON it.trace_id = i.trace_id
)
