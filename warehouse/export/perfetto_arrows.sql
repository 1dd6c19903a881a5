-- Every arrow of the default set, and whether its end can be drawn where its slice begins.
-- An arrow is drawn from the packet seen first to the one seen later, so the end of an arrow whose
-- target begins first has to sit where the target ends; failing that it comes out reversed.
CREATE OR REPLACE TEMP TABLE export_arrow AS
SELECT
  id,
  slice_out,
  slice_in,
  out_ts < in_ts OR in_end <= out_ts AS is_at_begin,
  out_ts > in_ts AND in_end <= out_ts AS is_reversed
FROM (
  SELECT
    f.id,
    f.slice_out,
    f.slice_in,
    o.ts + ot.shift_ns AS out_ts,
    i.ts + it.shift_ns AS in_ts,
    i.ts + it.shift_ns + CASE WHEN i.phase IN ('i', 'I', 'R', 'n', 'T', 'p') THEN 0 ELSE i.dur END
      AS in_end
  FROM flow AS f
  JOIN slice AS o ON o.id = f.slice_out
  JOIN slice AS i ON i.id = f.slice_in
  JOIN export_trace AS ot ON ot.trace_id = o.trace_id
  JOIN export_trace AS it ON it.trace_id = i.trace_id
)
