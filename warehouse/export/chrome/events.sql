-- The events of one trace imported from Trace Event JSON, as in its file: verbatim if the warehouse
-- stores the text, otherwise reassembled from columns.
-- The inverse of stage.sql of the trace_event importers.
-- Joins do not keep the order of rows, and sorting would hold all texts in memory. So tracks are looked
-- up in a list, and rows whose text is stored in bits, both by the lower half of the id.
-- One `concat` per event: each `||` would copy the text before it.
WITH track_members AS MATERIALIZED (
  SELECT list(m.members ORDER BY n.n) AS members
  FROM range({n_tracks}) AS n(n)
  LEFT JOIN (
    SELECT
      k.id & 4294967295 AS n,
      member('pid', p.source_pid) || member('tid', h.source_tid) AS members
    FROM track AS k
    LEFT JOIN process AS p ON p.id = k.process_id
    LEFT JOIN thread AS h ON h.id = k.thread_id
    WHERE k.trace_id = {trace_id}
  ) AS m ON m.n = n.n
),
stored AS MATERIALIZED (
  SELECT
    bitstring_agg(slice_id & 4294967295, 0, {n_slices}) AS slices,
    bitstring_agg(flow_point_id & 4294967295, 0, {n_flow_points}) AS flow_points
  FROM source_event
  WHERE trace_id = {trace_id}
)
SELECT '{separator}' || event_text AS text
FROM source_event
WHERE trace_id = {trace_id}
UNION ALL
SELECT
  concat(
    '{separator}{"ph":"', s.phase, '"',
    CASE
      WHEN s.extra_json IS NULL THEN text_member('cat', s.category)
      ELSE member(
        'cat',
        coalesce(json_extract(s.extra_json, '$.cat')::VARCHAR, to_json(s.category)::VARCHAR)
      )
    END,
    CASE WHEN s.name IS NOT NULL THEN ',"name":' END, to_json(s.name),
    (SELECT members FROM track_members)[(s.track_id & 4294967295) + 1],
    ',"ts":', printed_microseconds(s.ts + {file_ns}, '{ts_style}'),
    CASE WHEN s.phase = 'X' THEN ',"dur":' END,
    CASE WHEN s.phase = 'X' THEN printed_microseconds(s.dur, '{dur_style}') END,
    CASE
      WHEN s.extra_json IS NOT NULL
        THEN member('s', json_extract(s.extra_json, '$.s')::VARCHAR)
          || member('id', json_extract(s.extra_json, '$.id')::VARCHAR)
          || member('bp', json_extract(s.extra_json, '$.bp')::VARCHAR)
    END,
    CASE WHEN s.args_json IS NOT NULL THEN ',"args":' END, s.args_json,
    '}'
  )
FROM slice AS s
WHERE s.trace_id = {trace_id}
  AND s.phase IN ('X', 'i', 'I')
  AND coalesce(
    get_bit((SELECT slices FROM stored), (s.id & 4294967295)::INTEGER), 0
  ) = 0
UNION ALL
SELECT
  concat(
    '{separator}{"ph":"', f.phase, '"',
    text_member('cat', f.category),
    text_member('name', f.name),
    (SELECT members FROM track_members)[(f.track_id & 4294967295) + 1],
    member('id', f.flow_key),
    text_member('bp', f.binding),
    member('ts', printed_microseconds(f.ts + {file_ns}, '{ts_style}')),
    CASE
      WHEN f.extra_json IS NOT NULL
        THEN member('s', json_extract(f.extra_json, '$.s')::VARCHAR)
          || member('args', json_extract(f.extra_json, '$.args')::VARCHAR)
    END,
    '}'
  )
FROM flow_point AS f
WHERE f.trace_id = {trace_id}
  AND coalesce(
    get_bit((SELECT flow_points FROM stored), (f.id & 4294967295)::INTEGER), 0
  ) = 0
