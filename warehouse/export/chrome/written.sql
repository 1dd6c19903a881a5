-- The tracks of the traces written so far, with what their events hold of them; see between.sql.
INSERT INTO chrome_track
SELECT
  (SELECT count(*) FROM chrome_track) + row_number() OVER (ORDER BY id),
  id,
  member('pid', pid) || member('tid', tid),
  {file_ns}
FROM thread_of_track
