-- Runs of the log, part by part: a long log has many. Variables: also first_row and last_row, of `run`.

INSERT INTO disc_cluster_call (
  id, trace_id, disc_cluster_id, called_at_ns, thread_id, shapes_json, types_json, match
)
SELECT
  getvariable('first_id') + r.run_n,
  getvariable('trace_id'),
  getvariable('first_id') + m.cluster_n,
  r.at_us * 1000,
  r.thread,
  m.shapes_json,
  m.types_json,
  m.match
FROM (
  FROM scratch.run
  WHERE rowid BETWEEN getvariable('first_row') AND getvariable('last_row')
) AS r
JOIN (
  SELECT inputs_n, cluster_n, match, to_json(shapes)::VARCHAR AS shapes_json, to_json(types)::VARCHAR AS types_json
  FROM scratch.matched
) AS m ON m.inputs_n = r.inputs_n
ORDER BY r.run_n;
