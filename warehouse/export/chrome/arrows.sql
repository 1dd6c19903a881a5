-- The links between traces of a file, whose ends are in scope. They are stored before they are sorted, so
-- that memory holds what joins need or what the sort needs, not both.
-- `chrome_track` has the number of each track in the file, and what is added to its times.
CREATE OR REPLACE TEMP TABLE chrome_arrow AS
SELECT
  -f.id - 1 AS id,
  f.name,
  o.ts + p.file_ns AS out_ts,
  p.n AS out_n,
  -- an end that lay before its start would be dropped: it lies at the start, inside its slice
  greatest(
    s.ts + q.file_ns,
    least(o.ts + p.file_ns, s.ts + q.file_ns + greatest(s.dur - 1, 0))
  ) AS in_ts,
  q.n AS in_n
FROM flow AS f
JOIN slice AS o ON o.id = f.slice_out
JOIN slice AS s ON s.id = f.slice_in
JOIN chrome_track AS p ON p.track_id = o.track_id
JOIN chrome_track AS q ON q.track_id = s.track_id
WHERE f.trace_id IS NULL
