-- Detail rows of BytePS's messages and of operations of its servers, inside the transaction of the
-- import; runs after normalize.sql. Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO rpc (
  slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, occurrence, peer, bytes, step_number, part
)
SELECT
  s.id, s.trace_id, s.track_id, s.ts, s.dur, s.name,
  CASE c.operation
    WHEN 'PUSH_REQ' THEN 'push_request'
    WHEN 'PUSH_RES' THEN 'push_response'
    WHEN 'PULL_REQ' THEN 'pull_request'
    WHEN 'PULL_RES' THEN 'pull_response'
    ELSE 'server'
  END,
  c.tensor, c.occurrence, c.peer, NULL, c.step, c.part
FROM scratch.byteps_call AS c
JOIN scratch.slice_order AS o ON o.seq = c.seq
JOIN slice AS s ON s.id = getvariable('first_id') + o.slice_n
ORDER BY s.id;

UPDATE process SET name = json_extract_string(source_pid, '$')
WHERE trace_id = getvariable('trace_id') AND EXISTS (FROM scratch.byteps_call);
