-- Slices of one query, from its rows `query_row`; expressions in braces are those of query_tracks.py.
INSERT INTO query_track_slice
SELECT {n}, {trace}, {device}, {track}, {label}, {start}, {length}, {title}, {args}, {category},
  {phase}
FROM query_row
WHERE {start} IS NOT NULL
  AND {trace} IN (SELECT trace_id FROM export_trace);
