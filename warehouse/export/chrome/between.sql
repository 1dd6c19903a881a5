-- The arrows of `chrome_arrow` (arrows.sql) as events s and f, as made.sql writes those of a trace. Their
-- ids are those of no trace: the upper half is more than the number of the last trace.
-- Only numbers are sorted: texts would be held all at once.
WITH members AS MATERIALIZED (
  SELECT list(members ORDER BY n) AS by_track, max(track_id >> 32) << 32 AS last_trace
  FROM chrome_track
)
SELECT unnest([ -- readers need the start first
  '{"ph":"s","cat":"link"' || text_member('name', name) || member('id', id::VARCHAR)
  || (SELECT by_track FROM members)[out_n]
  || member('ts', printed_microseconds(out_ts, 'fixed3'))
  || '}',
  '{"ph":"f","bp":"e","cat":"link"' || text_member('name', name) || member('id', id::VARCHAR)
  || (SELECT by_track FROM members)[in_n]
  || member('ts', printed_microseconds(in_ts, 'fixed3'))
  || '}'
])
FROM (
  SELECT * REPLACE (id + (SELECT last_trace FROM members) AS id)
  FROM chrome_arrow
  ORDER BY id
)
