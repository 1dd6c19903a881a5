-- Processes, threads and tracks, from what was described and what events are on.
-- In: `used_track`, `described`, `named` (tracks.py). Out: `process_number`, `thread_number`,
-- `track_number` (the tracks, numbered) and `track_of` (the track of each number that events name).

-- The process, and the thread, that a described track is of: its own, or that of the nearest track
-- around it.
CREATE TABLE owner AS
WITH RECURSIVE around AS (
  SELECT uuid, uuid AS at FROM described
  UNION
  SELECT a.uuid, d.parent
  FROM around AS a
  JOIN described AS d ON d.uuid = a.at
  WHERE d.pid IS NULL AND d.parent IS NOT NULL
)
SELECT a.uuid, any_value(d.pid) AS pid, any_value(d.tid) AS tid
FROM around AS a
JOIN described AS d ON d.uuid = a.at
WHERE d.pid IS NOT NULL
GROUP BY a.uuid;

-- Tracks of one thread are one track. All others are known by their uuid, or by what events say.
CREATE OR REPLACE TEMP MACRO track_key(uuid, kind, pid, tid, scope, id) AS (
  CASE
    WHEN id IS NOT NULL THEN concat_ws(' ', 'async', pid, scope, id)
    WHEN uuid IS NULL OR kind = 'thread' THEN concat_ws(' ', 'thread', pid, tid)
    ELSE 'uuid ' || uuid
  END
);

-- Tracks with events, and the tracks around them. (Processes are no tracks.)
CREATE TABLE needed AS
WITH RECURSIVE around AS (
  SELECT uuid FROM used_track WHERE uuid IS NOT NULL
  UNION
  SELECT d.parent
  FROM around AS a
  JOIN described AS d USING (uuid)
  JOIN described AS p ON p.uuid = d.parent
  WHERE d.kind <> 'thread' AND p.kind <> 'process'
)
FROM around;

CREATE TABLE known_track AS
SELECT
  track_key(n.uuid, d.kind, o.pid, o.tid, NULL, NULL) AS key,
  n.uuid,
  CASE WHEN d.kind <> 'thread' THEN d.parent END AS parent,
  coalesce(d.kind, 'other') AS kind,
  coalesce(d.name, CASE WHEN n.uuid = 0 THEN 'default track' END) AS name,
  o.pid,
  o.tid,
  d.unit,
  d.rank,
  d.description
FROM needed AS n
LEFT JOIN described AS d USING (uuid)
LEFT JOIN owner AS o USING (uuid)
UNION ALL
SELECT
  track_key(NULL, NULL, pid, tid, scope, id),
  NULL,
  NULL,
  CASE WHEN id IS NULL THEN 'thread' ELSE 'other' END,
  CASE WHEN id IS NOT NULL THEN concat_ws(' ', scope, id) END,
  pid,
  tid,
  NULL,
  NULL,
  NULL
FROM used_track
WHERE uuid IS NULL;

-- A described process or thread, also without events.
CREATE TABLE thread_number AS
SELECT row_number() OVER (ORDER BY pid, tid) - 1 AS thread_n, pid, tid
FROM (
  SELECT pid, tid FROM named WHERE tid IS NOT NULL
  UNION
  SELECT pid, tid FROM known_track WHERE tid IS NOT NULL
);

CREATE TABLE process_number AS
SELECT row_number() OVER (ORDER BY pid) - 1 AS process_n, pid
FROM (
  SELECT pid FROM named
  UNION
  SELECT pid FROM known_track WHERE pid IS NOT NULL
  UNION
  SELECT pid FROM thread_number
);

-- Threads first, as everywhere, then other tracks, then counters.
CREATE TABLE track_number AS
SELECT
  row_number() OVER (
    ORDER BY CASE any_value(kind) WHEN 'thread' THEN 0 WHEN 'counter' THEN 2 ELSE 1 END,
      any_value(pid) NULLS LAST, any_value(tid) NULLS LAST, min(uuid) NULLS LAST, key
  ) - 1 AS track_n,
  key,
  any_value(parent) AS parent,
  any_value(kind) AS kind,
  any_value(name) AS name,
  any_value(pid) AS pid,
  any_value(tid) AS tid,
  any_value(unit) AS unit,
  any_value(rank) AS rank,
  any_value(description) AS description
FROM known_track
GROUP BY key;

CREATE TABLE track_of AS
SELECT u.source_track_n, p.track_n
FROM used_track AS u
LEFT JOIN described AS d USING (uuid)
LEFT JOIN owner AS o USING (uuid)
JOIN track_number AS p ON p.key = track_key(
  u.uuid, d.kind, coalesce(o.pid, u.pid), coalesce(o.tid, u.tid), u.scope, u.id
);
