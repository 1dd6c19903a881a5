-- Every arrow of the default set, and on which packet of its target it ends.
-- Viewers draw an arrow from the packet they see first to the one they see later. So where the
-- target begins no later than the source, the arrow ends where the target ends (is_late). Where
-- that is no later either, both packets carry the arrow as a start (is_open), which draws it in
-- the order of the packets: a target without length at the source's own time is written after all
-- others for that (is_tie); a target that is really earlier gets its arrow reversed.
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
