-- Which traces were read from damaged files.

ALTER TABLE trace ADD COLUMN damage VARCHAR;
COMMENT ON COLUMN trace.damage IS '[text] what of the file could not be read; NULL: nothing';

-- Problems that reading reports, of earlier imports; later ones are kept by the import itself.
UPDATE trace
SET damage = p.meaning
FROM (
  SELECT trace_id, string_agg(meaning, '; ' ORDER BY id) AS meaning
  FROM import_problem
  WHERE severity = 'error' AND kind IN (
    'corrupt_gzip', 'damaged_page', 'damaged_row', 'metadata', 'trailing_text', 'truncated',
    'truncated_gzip', 'unreadable_event'
  )
  GROUP BY trace_id
) AS p
WHERE p.trace_id = trace.id;
