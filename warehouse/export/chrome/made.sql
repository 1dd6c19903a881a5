-- A timeline of another format as Trace Events: slices X (unfinished ones B, instants i), counters C,
-- links s and f, names M. `chrome_counter` names the counters that the presentation of the format draws
-- beside tracks.
-- A track that is not a thread becomes a thread of its process, with an unused tid.
WITH own AS (
  SELECT
    k.id,
    k.kind,
    k.name,
    k.unit,
    coalesce(k.process_id, 0) AS process_id,
    -- a device outside all processes is one of its own
    coalesce(
      p.source_pid,
      p.pid::VARCHAR,
      ((k.process_id & 4294967295) + 1073741824)::VARCHAR,
      ((k.device_id & 4294967295) + 1610612736)::VARCHAR,
      '0'
    ) AS pid,
    CASE
      WHEN k.kind = 'thread' AND coalesce(h.source_tid, h.tid::VARCHAR) IS NOT NULL
        THEN coalesce(h.source_tid, h.tid::VARCHAR)
      ELSE ((k.id & 4294967295) + 1073741824)::VARCHAR
    END AS tid,
    coalesce(p.name, d.name) AS process_name,
    k.sort_index
  FROM track AS k
  LEFT JOIN process AS p ON p.id = k.process_id
  LEFT JOIN thread AS h ON h.id = k.thread_id
  LEFT JOIN device AS d ON d.id = k.device_id
  WHERE k.trace_id = {trace_id}
),
-- of several traces in one file, the processes of each are named after it
place AS (
  SELECT * REPLACE (
    CASE WHEN {label} IS NULL THEN pid ELSE to_json({label} || ' ' || trim(pid, '"'))::VARCHAR END AS pid,
    CASE WHEN {label} IS NULL THEN process_name ELSE concat_ws(' ', {label}, process_name) END
      AS process_name
  )
  FROM own
)
SELECT event_text
FROM (
  SELECT
    0 AS part,
    min(id) AS ordinal,
    '{"ph":"M","name":"process_name"' || member('pid', pid) || ',"args":{"name":'
    || to_json(any_value(process_name)) || '}}' AS event_text
  FROM place
  WHERE process_name IS NOT NULL
  GROUP BY process_id, pid
  UNION ALL
  SELECT
    1,
    id,
    '{"ph":"M","name":"thread_name"' || member('pid', pid) || member('tid', tid)
    || ',"args":{"name":' || to_json(name) || '}}'
  FROM place
  WHERE name IS NOT NULL AND kind <> 'counter'
  UNION ALL
  SELECT
    2,
    s.id,
    '{"ph":"'
    || CASE
      WHEN s.dur = -1 THEN 'B'
      WHEN s.dur = 0 AND coalesce(s.phase IN ('i', 'I', 'R', 'n', 'T', 'p'), false) THEN 'i'
      ELSE 'X'
    END || '"'
    || text_member('cat', s.category)
    || member('name', to_json(coalesce(s.name, ''))::VARCHAR)
    || member('pid', k.pid)
    || member('tid', k.tid)
    || member('ts', printed_microseconds(s.ts + {file_ns}, 'fixed3'))
    || CASE
      WHEN s.dur = -1 THEN ''
      WHEN s.dur = 0 AND coalesce(s.phase IN ('i', 'I', 'R', 'n', 'T', 'p'), false)
        THEN ',"s":"t"'
      ELSE member('dur', printed_microseconds(s.dur, 'fixed3'))
    END
    || member('args', s.args_json)
    || '}'
  FROM slice AS s
  JOIN place AS k ON k.id = s.track_id
  UNION ALL
  SELECT
    3,
    c.id,
    '{"ph":"C"' || member('name', to_json(k.name)::VARCHAR) || member('pid', k.pid)
    || member('ts', printed_microseconds(c.ts + {file_ns}, 'fixed3'))
    || ',"args":{' || to_json(coalesce(k.unit, 'value')) || ':' || c.value || '}}'
  FROM counter AS c
  JOIN place AS k ON k.id = c.track_id
  WHERE isfinite(c.value)
  UNION ALL
  SELECT
    3,
    row_number() OVER (ORDER BY v.track_id, v.ts),
    '{"ph":"C"' || member('name', to_json(n.name)::VARCHAR) || member('pid', k.pid)
    || member('ts', printed_microseconds(v.ts + {file_ns}, 'fixed3'))
    || ',"args":{' || to_json(n.unit) || ':' || v.value || '}}'
  FROM ({drawn_values}) AS v
  JOIN chrome_counter AS n ON n.track_id = -v.track_id
  JOIN place AS k ON k.id = n.track_id
  WHERE isfinite(v.value)
  UNION ALL
  SELECT
    4,
    2 * f.id + e.is_end::INTEGER, -- readers need the start first
    '{"ph":"' || CASE WHEN e.is_end THEN 'f","bp":"e' ELSE 's' END || '","cat":"link"'
    || text_member('name', f.name)
    || member('id', f.id::VARCHAR)
    || member('pid', k.pid)
    || member('tid', k.tid)
    -- an end that lay before its start would be dropped: it lies at the start, inside its slice
    || member('ts', printed_microseconds(
      CASE
        WHEN e.is_end AND s.ts < o.ts THEN least(o.ts, s.ts + greatest(s.dur - 1, 0))
        ELSE s.ts
      END + {file_ns},
      'fixed3'
    ))
    || '}'
  FROM flow AS f
  CROSS JOIN (VALUES (false), (true)) AS e(is_end)
  JOIN slice AS o ON o.id = f.slice_out
  JOIN slice AS s ON s.id = CASE WHEN e.is_end THEN f.slice_in ELSE f.slice_out END
  JOIN place AS k ON k.id = s.track_id
  WHERE f.trace_id = {trace_id}
)
ORDER BY part, ordinal
