-- The events of one trace imported from Trace Event JSON, as in its file: verbatim if the warehouse
-- stores the text, otherwise reassembled from columns.
-- The inverse of stage.sql of the trace_event importers.
SELECT event_text
FROM source_event
WHERE trace_id = {trace_id}
UNION ALL
SELECT
  '{"ph":"' || s.phase || '"'
  || CASE
    WHEN s.extra_json IS NULL THEN text_member('cat', s.category)
    ELSE member(
      'cat',
      coalesce(json_extract(s.extra_json, '$.cat')::VARCHAR, to_json(s.category)::VARCHAR)
    )
  END
  || text_member('name', s.name)
  || member('pid', p.source_pid)
  || member('tid', h.source_tid)
  || member('ts', printed_microseconds(s.ts + {file_ns}, '{ts_style}'))
  || CASE
    WHEN s.phase = 'X' THEN member('dur', printed_microseconds(s.dur, '{dur_style}')) ELSE ''
  END
  || CASE
    WHEN s.extra_json IS NULL THEN ''
    ELSE member('s', json_extract(s.extra_json, '$.s')::VARCHAR)
      || member('id', json_extract(s.extra_json, '$.id')::VARCHAR)
      || member('bp', json_extract(s.extra_json, '$.bp')::VARCHAR)
  END
  || member('args', s.args_json)
  || '}'
FROM slice AS s
JOIN track AS k ON k.id = s.track_id
LEFT JOIN process AS p ON p.id = k.process_id
LEFT JOIN thread AS h ON h.id = k.thread_id
WHERE s.trace_id = {trace_id}
  AND s.phase IN ('X', 'i', 'I')
  AND s.id NOT IN (
    SELECT slice_id FROM source_event WHERE trace_id = {trace_id} AND slice_id IS NOT NULL
  )
UNION ALL
SELECT
  '{"ph":"' || f.phase || '"'
  || text_member('cat', f.category)
  || text_member('name', f.name)
  || member('pid', p.source_pid)
  || member('tid', h.source_tid)
  || member('id', f.flow_key)
  || text_member('bp', f.binding)
  || member('ts', printed_microseconds(f.ts + {file_ns}, '{ts_style}'))
  || CASE
    WHEN f.extra_json IS NULL THEN '' ELSE member('s', json_extract(f.extra_json, '$.s')::VARCHAR)
      || member('args', json_extract(f.extra_json, '$.args')::VARCHAR)
  END
  || '}'
FROM flow_point AS f
JOIN track AS k ON k.id = f.track_id
LEFT JOIN process AS p ON p.id = k.process_id
LEFT JOIN thread AS h ON h.id = k.thread_id
WHERE f.trace_id = {trace_id}
  AND f.id NOT IN (
    SELECT flow_point_id
    FROM source_event
    WHERE trace_id = {trace_id} AND flow_point_id IS NOT NULL
  )
