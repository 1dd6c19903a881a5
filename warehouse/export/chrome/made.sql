-- A timeline of another format as Trace Events: slices X (unfinished ones B, instants i), counters C,
-- links s and f, names M. `thread_of_track` has the process and thread of each track (tracks.sql);
-- `chrome_counter` names the counters that the presentation of the format draws beside tracks.
-- Rows come in the order they are stored in, and only numbers are sorted: texts would be held all at
-- once. So slices and counters find their track in a list, by the lower half of its id.
WITH
-- what events of a slice and of a counter begin and end with, by track, from number 0
tracks AS MATERIALIZED (
  SELECT
    list(p.of_slice ORDER BY n.n) AS of_slice,
    list(p.of_counter ORDER BY n.n) AS of_counter,
    list(p.key_of_value ORDER BY n.n) AS key_of_value
  FROM range({n_tracks}) AS n(n)
  LEFT JOIN (
    SELECT
      id & 4294967295 AS n,
      member('pid', pid) || member('tid', tid) AS of_slice,
      '{"ph":"C"' || member('name', to_json(name)::VARCHAR) || member('pid', pid) AS of_counter,
      ',"args":{' || to_json(coalesce(unit, 'value')) || ':' AS key_of_value
    FROM thread_of_track
  ) AS p ON p.n = n.n
),
-- times and ids of the two ends of a flow
flow_end AS (
  SELECT
    f.id,
    f.name,
    o.ts AS out_ts,
    o.track_id AS out_track_id,
    -- an end that lay before its start would be dropped: it lies at the start, inside its slice
    CASE WHEN s.ts < o.ts THEN least(o.ts, s.ts + greatest(s.dur - 1, 0)) ELSE s.ts END AS in_ts,
    s.track_id AS in_track_id
  FROM flow AS f
  JOIN slice AS o ON o.id = f.slice_out
  JOIN slice AS s ON s.id = f.slice_in
  WHERE f.trace_id = {trace_id}
)
SELECT event_text
FROM (
  SELECT
    '{"ph":"M","name":"process_name"' || member('pid', pid) || ',"args":{"name":'
    || to_json(any_value(process_name)) || '}}' AS event_text
  FROM thread_of_track
  WHERE process_name IS NOT NULL
  GROUP BY process_id, pid
  ORDER BY min(id)
)
UNION ALL
SELECT event_text
FROM (
  SELECT
    '{"ph":"M","name":"thread_name"' || member('pid', pid) || member('tid', tid)
    || ',"args":{"name":' || to_json(name) || '}}' AS event_text
  FROM thread_of_track
  WHERE name IS NOT NULL AND kind <> 'counter'
  ORDER BY id
)
UNION ALL
SELECT
  '{"ph":"'
  || CASE
    WHEN s.dur = -1 THEN 'B'
    WHEN s.dur = 0 AND coalesce(s.phase IN ('i', 'I', 'R', 'n', 'T', 'p'), false) THEN 'i'
    ELSE 'X'
  END || '"'
  || text_member('cat', s.category)
  || member('name', to_json(coalesce(s.name, ''))::VARCHAR)
  || (SELECT of_slice FROM tracks)[(s.track_id & 4294967295) + 1]
  || member('ts', printed_microseconds(s.ts + {file_ns}, 'fixed3'))
  || CASE
    WHEN s.dur = -1 THEN ''
    WHEN s.dur = 0 AND coalesce(s.phase IN ('i', 'I', 'R', 'n', 'T', 'p'), false) THEN ',"s":"t"'
    ELSE member('dur', printed_microseconds(s.dur, 'fixed3'))
  END
  || member('args', s.args_json)
  || '}'
FROM slice AS s
WHERE s.trace_id = {trace_id}
UNION ALL
SELECT
  (SELECT of_counter FROM tracks)[(c.track_id & 4294967295) + 1]
  || member('ts', printed_microseconds(c.ts + {file_ns}, 'fixed3'))
  || (SELECT key_of_value FROM tracks)[(c.track_id & 4294967295) + 1] || c.value || '}}'
FROM counter AS c
WHERE c.trace_id = {trace_id} AND isfinite(c.value)
UNION ALL
SELECT
  '{"ph":"C"' || member('name', to_json(name)::VARCHAR) || member('pid', pid)
  || member('ts', printed_microseconds(ts + {file_ns}, 'fixed3'))
  || ',"args":{' || to_json(unit) || ':' || value || '}}'
FROM (
  SELECT n.name, n.unit, k.pid, v.ts, v.value
  FROM ({drawn_values}) AS v
  JOIN chrome_counter AS n ON n.track_id = -v.track_id
  JOIN thread_of_track AS k ON k.id = n.track_id
  WHERE isfinite(v.value)
  ORDER BY v.track_id, v.ts
)
UNION ALL
SELECT unnest([ -- readers need the start first
  '{"ph":"s","cat":"link"' || text_member('name', name) || member('id', id::VARCHAR)
  || (SELECT of_slice FROM tracks)[(out_track_id & 4294967295) + 1]
  || member('ts', printed_microseconds(out_ts + {file_ns}, 'fixed3'))
  || '}',
  '{"ph":"f","bp":"e","cat":"link"' || text_member('name', name) || member('id', id::VARCHAR)
  || (SELECT of_slice FROM tracks)[(in_track_id & 4294967295) + 1]
  || member('ts', printed_microseconds(in_ts + {file_ns}, 'fixed3'))
  || '}'
])
FROM (SELECT * FROM flow_end ORDER BY id)
