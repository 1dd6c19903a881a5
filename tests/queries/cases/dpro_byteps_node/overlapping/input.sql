-- Whole, with the answer checked by hand.
-- Pushes of tensors 1 to 5 on a link: 2 and 3 begin before 1 has ended, 4 begins 50 us behind it while 3
-- is on its way, 5 begins 140 us behind 4. The answer to 1 begins 5 us after that to 2, so that its link
-- was idle before.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'trial', 'measured', TIMESTAMP '2026-01-01');

INSERT INTO trace (
  id, run_id, name, format, importer, importer_version, base_ns, source_base_ns, metadata_json,
  tw_version, imported_at
)
VALUES (
  1, 1, 'server', 'dpro', 'dpro', 1, 0, 0, '{"van":"zmq","first_step":0,"n_steps":1}', '0',
  TIMESTAMP '2026-01-01'
);

INSERT INTO process (id, trace_id, name)
VALUES (1::BIGINT << 32, 1, 'worker_0'), ((1::BIGINT << 32) + 1, 1, 'server_0');

INSERT INTO track (id, trace_id, kind, name, process_id)
VALUES
  (1::BIGINT << 32, 1, 'thread', 'worker_0 -> server_0', 1::BIGINT << 32),
  ((1::BIGINT << 32) + 1, 1, 'thread', 'server_0 -> worker_0', (1::BIGINT << 32) + 1);

INSERT INTO rpc (
  slice_id, trace_id, track_id, ts, dur, name, kind, rpc_key, occurrence, peer, step_number, part
)
SELECT
  (1::BIGINT << 32) + n, 1, (1::BIGINT << 32) + is_answer, ts, dur,
  CASE is_answer WHEN 0 THEN 'PUSH_REQ' ELSE 'PUSH_RES' END,
  CASE is_answer WHEN 0 THEN 'push_request' ELSE 'push_response' END,
  'x/BytePSPushPull.' || tensor, 0, CASE is_answer WHEN 0 THEN 'server_0' ELSE 'worker_0' END, 0, 0
FROM (VALUES
  (1, 0, 1, 1000000, 100000), (2, 0, 2, 1050000, 10000), (3, 0, 3, 1090000, 110000),
  (4, 0, 4, 1150000, 10000), (5, 0, 5, 1300000, 10000), (6, 1, 2, 1600000, 1000),
  (7, 1, 1, 1605000, 1000)
) AS m(n, is_answer, tensor, ts, dur);
