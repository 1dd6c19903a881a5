-- The slices of one part of `sorted_span`, inside the transaction of the import.
-- Variables: trace_id, first_id, and first_row and last_row, the part's first and last slice_n.

-- The kinds that the part can have: others are not read.
SET VARIABLE keys = (
  SELECT {'first': min(track_key), 'last': max(track_key)}
  FROM scratch.slice_order
  WHERE slice_n BETWEEN getvariable('first_row') AND getvariable('last_row')
);

SET VARIABLE kinds = (
  SELECT {'first': min(kind), 'last': max(kind)}
  FROM scratch.kind_track
  WHERE CASE
    WHEN ph IN ('X', 'i', 'I', 'R')
      THEN track_key BETWEEN getvariable('keys').first AND getvariable('keys').last
    ELSE ph NOT IN ('s', 't', 'f', 'C', 'M')
  END
);

-- The rows of `nest` among which those of the part are.
SET VARIABLE nested = (
  SELECT {'first': min(first_row), 'last': max(last_row)}
  FROM scratch.nest_run
  WHERE first_n <= getvariable('last_row') AND last_n >= getvariable('first_row')
);

-- Joins as written: DuckDB knows of neither the part nor the range of kinds how many rows it has, and
-- may build the hash table of the events, with their arguments.
SET VARIABLE disabled_optimizers = current_setting('disabled_optimizers');
SET disabled_optimizers = getvariable('disabled_optimizers') || ',join_order,build_side_probe_side';

INSERT INTO slice
WITH part AS MATERIALIZED (
  SELECT s.slice_n, s.seq, s.track_n, s.ts, s.dur, n.depth, n.parent_n, n.is_leaf
  FROM scratch.slice_order AS s
  JOIN (
    FROM scratch.nest
    WHERE rowid BETWEEN getvariable('nested').first AND getvariable('nested').last
  ) AS n ON n.entry_n = s.slice_n
  WHERE s.slice_n BETWEEN getvariable('first_row') AND getvariable('last_row')
)
SELECT
  getvariable('first_id') + s.slice_n,
  getvariable('trace_id') + (s.slice_n >> 32),
  getvariable('first_id') + s.track_n,
  s.ts,
  s.dur,
  k.category,
  e.name,
  s.depth,
  getvariable('first_id') + s.parent_n,
  k.ph,
  -- arguments of both ends of a pair; those of the end win
  CASE
    WHEN z.args IS NULL THEN e.args
    WHEN e.args IS NULL THEN z.args
    ELSE json_merge_patch(e.args, z.args)::VARCHAR
  END,
  CASE
    WHEN z.tts IS NOT NULL THEN with_thread_time(unknown_keys(e.text), z.tts)
    WHEN e.text IS NOT NULL THEN unknown_keys(e.text)
    WHEN k.other_cat IS NOT NULL OR k.scope IS NOT NULL OR e.id IS NOT NULL OR k.bp IS NOT NULL
      THEN json_merge_patch('{}', json_object(
        'cat', k.other_cat, 's', k.scope, 'id', e.id::JSON, 'bp', k.bp
      ))
  END,
  s.is_leaf
FROM scratch.event_row AS e
JOIN (
  SELECT
    kind,
    ph,
    category_of(cat) AS category,
    CASE WHEN category_of(cat) IS DISTINCT FROM cat THEN cat END AS other_cat,
    scope,
    bp
  FROM scratch.event_kind
) AS k ON k.kind = e.kind
JOIN part AS s ON s.seq = e.seq
LEFT JOIN (
  SELECT b.seq, o.args, o.tts
  FROM scratch.other AS o
  JOIN scratch.bracket AS b ON b.end_seq = o.seq
  WHERE b.step = 1
    AND o.ph IN ('E', 'e', 'F')
    AND (o.args IS NOT NULL OR o.tts IS NOT NULL)
) AS z ON z.seq = e.seq
WHERE e.kind BETWEEN getvariable('kinds').first AND getvariable('kinds').last
ORDER BY s.slice_n;

SET disabled_optimizers = getvariable('disabled_optimizers');
