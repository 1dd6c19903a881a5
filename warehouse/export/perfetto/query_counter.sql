-- Values of one query, from its rows `query_row`; expressions in braces are those of query_tracks.py.
INSERT INTO query_track_value
SELECT {n}, {trace}, {device}, {track}, {label}, {unit}, {start}, {width_ns}, {value}
FROM query_row
WHERE {start} IS NOT NULL
  AND {trace} IN (SELECT trace_id FROM export_trace);
