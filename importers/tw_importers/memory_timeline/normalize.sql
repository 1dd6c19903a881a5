-- From changes to core tables, inside the transaction of the import.
-- Variables: trace_id, first_id (= trace_id << 32). The file names neither device nor process.

INSERT INTO process (id, trace_id, name)
SELECT getvariable('first_id'), getvariable('trace_id'), 'memory timeline';

INSERT INTO track (id, trace_id, kind, name, process_id)
SELECT getvariable('first_id'), getvariable('trace_id'), 'engine', 'allocator',
  getvariable('first_id');

INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth, phase, args_json, is_leaf)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id'),
  ts,
  0,
  'memory',
  name,
  0,
  'i',
  json_object('Bytes', bytes, 'Category', category)::VARCHAR,
  true
FROM scratch.change
ORDER BY rowid;

-- Allocated afterwards: a sum that overflows is NULL.
INSERT INTO memory_event (
  slice_id, trace_id, track_id, ts, name, bytes, total_allocated_bytes, category
)
SELECT
  getvariable('first_id') + rowid,
  getvariable('trace_id'),
  getvariable('first_id'),
  ts,
  name,
  bytes,
  TRY_CAST(sum(bytes) OVER (ORDER BY rowid ROWS UNBOUNDED PRECEDING) AS BIGINT),
  category
FROM scratch.change
ORDER BY rowid;

-- The form by category has the bytes held: one counter for each category ever used.
INSERT INTO track (id, trace_id, kind, name, process_id, unit)
SELECT
  getvariable('first_id') + 1 + l.category,
  getvariable('trace_id'),
  'counter',
  coalesce(any_value(c.name), 'unknown'),
  getvariable('first_id'),
  'byte'
FROM scratch.level AS l
LEFT JOIN scratch.category_name AS c ON c.category = l.category
GROUP BY l.category
HAVING bool_or(l.bytes <> 0)
ORDER BY l.category;

INSERT INTO counter
SELECT
  getvariable('first_id') + row_number() OVER (ORDER BY l.category, l.seq) - 1,
  getvariable('trace_id'),
  k.id,
  l.time_ns - o.first_ns,
  l.bytes
FROM scratch.level AS l
JOIN track AS k ON k.id = getvariable('first_id') + 1 + l.category AND k.kind = 'counter'
CROSS JOIN scratch.origin AS o
WHERE l.time_ns IS NOT NULL
ORDER BY l.category, l.seq;
