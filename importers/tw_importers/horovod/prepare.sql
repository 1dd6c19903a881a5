-- Stages of collectives and their tensors, without any lock.
-- In: tables of trace_event/prepare.sql. Out: `communication`.

-- A process is a tensor; the end of an operation states its type and shape. On the process Sync of
-- dPRO's recorder the name of the event is the tensor.
CREATE TABLE tensor_process AS
SELECT
  p.pid,
  p.display_name AS label,
  any_value(o.kind) AS kind,
  any_value(o.data_type) AS data_type,
  any_value(o.shape) AS shape
FROM process_metadata AS p
LEFT JOIN (
  SELECT
    b.pid,
    operation_of(b.name) AS kind,
    json_extract_string(e.args, '$.dtype') AS data_type,
    TRY(from_json(json_extract_string(e.args, '$.shape'), '["BIGINT"]')) AS shape
  FROM bracket AS b
  LEFT JOIN other AS e ON e.seq = b.end_seq
  WHERE b.step = 1 AND b.is_on_thread
) AS o ON o.pid IS NOT DISTINCT FROM p.pid
WHERE p.name = 'process_name'
GROUP BY p.pid, p.display_name;

CREATE TABLE communication AS
SELECT
  b.seq,
  b.name AS event,
  coalesce(operation_of(b.name), t.kind, operation_of(t.label)) AS kind,
  CASE WHEN t.label = 'Sync' THEN 'Sync' ELSE b.name END AS stage,
  CASE
    WHEN t.label = 'Sync' THEN b.name
    ELSE coalesce(nullif(regexp_replace(t.label, '(?i)^horovod_?[a-z_]*\.', ''), ''), 'unnamed')
  END AS tensors,
  t.data_type,
  CASE
    WHEN len(list_filter(t.shape, lambda s: s IS NULL OR s < 0)) = 0
      THEN TRY_CAST(coalesce(list_product(t.shape), 1) AS BIGINT)
  END AS n_elements
FROM bracket AS b
LEFT JOIN tensor_process AS t ON t.pid IS NOT DISTINCT FROM b.pid
WHERE b.step = 1 AND b.is_on_thread;
