-- Detail rows of collectives, inside the transaction of the import; runs after the scripts of
-- trace_event. Variables: trace_id, first_id (= trace_id << 32).

INSERT INTO collective (
  slice_id, trace_id, track_id, ts, dur, name, side, kind, group_name, n_input_elements, data_type,
  input_bytes, stage
)
SELECT
  s.id, s.trace_id, s.track_id, s.ts, s.dur, s.name, 'host', c.kind, c.tensors, c.n_elements,
  c.data_type, TRY(c.n_elements * bytes_of(c.data_type)), c.stage
FROM scratch.communication AS c
JOIN scratch.slice_order AS o ON o.seq = c.seq
JOIN slice AS s ON s.id = getvariable('first_id') + o.slice_n
ORDER BY s.id;

-- dPRO's recorder names tensors by number, several of them joined by +.
INSERT INTO collective_tensor BY NAME
SELECT
  slice_id,
  getvariable('trace_id') AS trace_id,
  row_number() OVER (PARTITION BY slice_id ORDER BY position) - 1 AS ordinal,
  TRY_CAST(regexp_extract(tensor, '^(\d{1,18})(?:_\d+)?$', 1) AS BIGINT) AS tensor_id,
  tensor AS name,
  CASE WHEN n = 1 THEN bytes END AS bytes
FROM (
  SELECT
    slice_id,
    input_bytes AS bytes,
    unnest(parts) AS tensor,
    generate_subscripts(parts, 1) AS position,
    len(parts) AS n
  FROM (
    SELECT
      slice_id, input_bytes,
      CASE
        WHEN regexp_full_match(group_name, '[0-9]+(\+[0-9]+)*') THEN string_split(group_name, '+')
        ELSE [group_name]
      END AS parts
    FROM collective
    WHERE trace_id = getvariable('trace_id') AND group_name IS NOT NULL
  )
)
ORDER BY slice_id, ordinal;
