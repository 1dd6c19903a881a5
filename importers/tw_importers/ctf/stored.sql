-- Slices and recorded events with their texts, part by part of the recording; runs after normalize.sql.
-- Variables: first_row, last_row (= `seq` of the first and last event of the part).

INSERT INTO slice (
  id, trace_id, track_id, ts, dur, category, name, depth, parent_id, args_json, extra_json,
  is_leaf
)
WITH part AS MATERIALIZED (
  SELECT *, rowid AS slice_n FROM scratch.span
  WHERE seq BETWEEN getvariable('first_row') AND getvariable('last_row')
),
-- Ends may lie in other parts.
other_end AS (
  SELECT p.seq, e.payload
  FROM scratch.event AS e
  JOIN part AS p ON p.end_seq = e.seq
  WHERE p.has_other_end
)
SELECT
  getvariable('first_id') + s.slice_n, getvariable('trace_id'), getvariable('first_id') + s.track_n,
  s.ts, s.dur, s.category::VARCHAR, s.name, n.depth, getvariable('first_id') + n.parent_n,
  CASE WHEN s.is_work THEN left(e.payload, -1) || if(e.payload = '{}', '', ',')
      || '"emitter_tid":' || coalesce(e.tid::VARCHAR, 'null')
      || ',"cpu":' || coalesce(e.cpu::VARCHAR, 'null') || '}'
    ELSE e.payload
  END,
  '{"end":' || x.payload || '}',
  n.is_leaf
FROM scratch.event AS e
JOIN part AS s ON s.seq = e.seq
JOIN scratch.nest AS n ON n.entry_n = s.slice_n
LEFT JOIN other_end AS x ON x.seq = s.seq
WHERE e.seq BETWEEN getvariable('first_row') AND getvariable('last_row')
ORDER BY s.slice_n;

INSERT INTO recorded_event (
  id, trace_id, slice_id, event_class_id, is_merged, ts, placed_ts, pid, tid, cpu, stream_number,
  context_json, payload_json
)
SELECT
  getvariable('first_id') + e.seq,
  getvariable('trace_id'),
  getvariable('first_id') + x.slice_n,
  getvariable('first_id') + e.class_n,
  x.is_merged,
  e.ts - o.first_ns,
  -- Times of queueing are columns of the work; their events stay where they were recorded.
  if(c.timing = 'cuda_us_queued', e.ts, coalesce(p.at_ns, e.ts)) - o.first_ns,
  e.pid,
  e.tid,
  e.cpu,
  e.stream_n,
  e.context,
  CASE WHEN x.has_payload THEN e.payload END
FROM scratch.event AS e
JOIN scratch.stored_event AS x ON x.seq = e.seq
JOIN scratch.class_rule AS c ON c.class_n = e.class_n
LEFT JOIN scratch.placed AS p ON p.seq = e.seq
CROSS JOIN scratch.origin AS o
WHERE e.seq BETWEEN getvariable('first_row') AND getvariable('last_row')
  AND x.seq BETWEEN getvariable('first_row') AND getvariable('last_row')
ORDER BY e.seq;
