-- The flows of the default link set and of critical paths, each with the packet of the target at which it ends.
-- Viewers draw a flow from the earlier packet to the later one. If the target does not begin after the
-- source, the flow ends at the target's end (is_late). If that is not after the source either, both
-- packets carry the flow as a start (is_open), which draws it in packet order: a target with duration 0
-- at the time of the source is written after all others (is_tie); the flow of an earlier target is
-- reversed.
CREATE OR REPLACE TEMP TABLE export_arrow AS
SELECT
  id,
  slice_out,
  out_track_id,
  out_slice_ts,
  slice_in,
  in_track_id,
  in_slice_ts,
  in_ts <= out_ts AND in_end > out_ts AS is_late,
  in_ts <= out_ts AND in_end <= out_ts AS is_open,
  in_ts = out_ts AND in_end = out_ts AND NOT is_unfinished AS is_tie
FROM (
  SELECT
    -- as link.id, but with numbers of traces and runs that do not depend on the warehouse
    CASE
      WHEN f.trace_id IS NULL THEN -((ot.run_n << 32) | ((-f.id - 1) & 4294967295)) - 1
      ELSE (ot.trace_n << 32) | (f.id & 4294967295)
    END AS id,
    f.slice_out,
    o.track_id AS out_track_id,
    o.ts AS out_slice_ts,
    f.slice_in,
    i.track_id AS in_track_id,
    i.ts AS in_slice_ts,
    o.ts + ot.shift_ns AS out_ts,
    i.ts + it.shift_ns AS in_ts,
    i.ts + it.shift_ns + greatest(i.dur, 0) AS in_end,
    i.dur = -1 AS is_unfinished
  FROM flow AS f
  JOIN slice AS o ON o.id = f.slice_out
  JOIN slice AS i ON i.id = f.slice_in
  JOIN export_trace AS ot ON ot.trace_id = o.trace_id
  JOIN export_trace AS it ON it.trace_id = i.trace_id
  UNION ALL
  -- from each slice of a critical path to the next; ids that links do not have
  SELECT
    -4611686018427387904 + row_number() OVER (ORDER BY o.run_id, o.place),
    o.id,
    o.track_id,
    o.ts,
    i.id,
    i.track_id,
    i.ts,
    o.ts + ot.shift_ns,
    i.ts + it.shift_ns,
    i.ts + it.shift_ns + greatest(i.dur, 0),
    false
  FROM (
    SELECT *, lead(id) OVER (PARTITION BY run_id ORDER BY place) AS next_id FROM export_path
  ) AS o
  JOIN export_path AS i ON i.id = o.next_id
  JOIN export_trace AS ot ON ot.trace_id = o.trace_id
  JOIN export_trace AS it ON it.trace_id = i.trace_id
);

-- Their ends, each with the place of its slice, in the order in which parts read them.
CREATE OR REPLACE TEMP TABLE export_arrow_start AS
SELECT out_track_id AS track_id, out_slice_ts AS ts, slice_out AS slice_id, id
FROM export_arrow
ORDER BY track_id, ts;

CREATE OR REPLACE TEMP TABLE export_arrow_end AS
SELECT
  in_track_id AS track_id, in_slice_ts AS ts, slice_in AS slice_id, id, is_late, is_open, is_tie
FROM export_arrow
ORDER BY track_id, ts;

CREATE OR REPLACE TEMP TABLE export_deferred AS
SELECT DISTINCT slice_id, track_id, ts FROM export_arrow_end WHERE is_tie;
