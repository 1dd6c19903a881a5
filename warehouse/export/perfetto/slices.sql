-- The slices of one part in packet order: by track, lane and start, outer slices first.
-- arg_keys and arg_values: keys, and JSON texts of the values; NULL if args_text must be encoded instead.
-- (A cast to MAP takes six times as long as the two lists.)
SELECT
  id,
  track_id,
  lane,
  ts,
  dur,
  is_instant,
  name,
  category,
  is_deferred,
  starts,
  open_ends,
  ends,
  late_ends,
  CASE WHEN starts_with(args_text, '{') OR json_type(args_text) = 'OBJECT' THEN json_keys(args_text) END
    AS arg_keys,
  CASE
    WHEN starts_with(args_text, '{') OR json_type(args_text) = 'OBJECT'
      THEN json_extract(args_text, '$.*')::VARCHAR[]
  END AS arg_values,
  args_text{argument_names}
FROM (
  SELECT
    s.id,
    s.track_id,
    {lane} AS lane,
    s.ts + t.shift_ns + {lift_ns} AS ts,
    s.dur,
    s.dur = 0 AND coalesce(s.phase IN ('i', 'I', 'R', 'n', 'T', 'p'), false) AS is_instant,
    s.name,
    {category} AS category,
    {arrows},
    {args} AS args_text{argument_columns}
  FROM (SELECT * FROM export_slice AS e WHERE {in_part}) AS s
  JOIN export_trace AS t ON t.trace_id = s.trace_id
  {joins}
  WHERE {condition}
  ORDER BY s.track_id, 3, s.ts, s.dur = -1 DESC, greatest(s.dur, 0) DESC, s.id
)
