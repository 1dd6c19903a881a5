-- The processes and threads that tracks of one trace become in the file.
-- A track that is not a thread becomes a thread of its process, with an unused tid.
CREATE OR REPLACE TEMP TABLE thread_of_track AS
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
)
-- of several traces in one file, the processes of each are named after it
SELECT * REPLACE (
  CASE WHEN {label} IS NULL THEN pid ELSE to_json({label} || ' ' || trim(pid, '"'))::VARCHAR END AS pid,
  CASE WHEN {label} IS NULL THEN process_name ELSE concat_ws(' ', {label}, process_name) END
    AS process_name
)
FROM own
