/* ---
name = "communication_by_size"
version = 1
title = "Duration of communication by its bytes, for models of a link"
help = """
Operations of equal kind and size. Of libraries that record stages, the size of a send or receive is that of
its tensors divided by the pieces they are sent in (loops, channels, slices, and half the ring steps and
one), as in dPRO's tensor_size2avg; of other stages it is the whole. Messages of BytePS count with the
bytes of their tensor, if recorded.
"""
grain = ["run_id", "rank", "kind", "bytes"]
requires = { schema = ">=17" }
scale = "run"
columns = ["run_id", "rank", "kind", "bytes", "n_operations", "mean_ns", "min_ns", "max_ns", "bytes_per_s"]

[column]
kind.help = "Kind of collective, or stage of communication"
bytes = { help = "Bytes of an operation; NULL: not recorded" }
n_operations = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of operations" }
bytes_per_s.help = "bytes / mean_ns"

[changes]
1 = "first version"
--- */
WITH tensor_bytes AS (
  SELECT
    slice_id,
    sum(bytes)::BIGINT AS bytes,
    string_agg(tensor_id::VARCHAR, '+' ORDER BY tensor_id) AS tensors
  FROM collective_tensor
  GROUP BY slice_id
),
communication AS (
  SELECT
    c.trace_id,
    coalesce(c.stage, c.kind) AS kind,
    coalesce(b.bytes, c.input_bytes) AS bytes,
    b.tensors,
    c.stage IN ('SEND', 'RECV') AND c.ring_step IS NOT NULL AS is_piece,
    c.loop, c.channel, c.part, c.ring_step,
    c.dur
  FROM collective AS c
  LEFT JOIN tensor_bytes AS b ON b.slice_id = c.slice_id
  WHERE c.dur >= 0
),
piece AS (
  SELECT
    trace_id,
    tensors,
    floor(
      (max(loop) + 1) * (max(channel) + 1) * (max(part) + 1) * ((max(ring_step) + 1) / 2 + 1)
    )::BIGINT AS n_pieces
  FROM communication
  WHERE is_piece
  GROUP BY trace_id, tensors
),
sized AS (
  SELECT
    t.run_id,
    t.rank,
    c.kind,
    CASE WHEN c.is_piece THEN round(c.bytes / p.n_pieces)::BIGINT ELSE c.bytes END AS bytes,
    c.dur
  FROM communication AS c
  JOIN trace AS t ON t.id = c.trace_id
  LEFT JOIN piece AS p
    ON p.trace_id = c.trace_id AND p.tensors IS NOT DISTINCT FROM c.tensors AND c.is_piece
)
SELECT
  run_id,
  rank,
  coalesce(kind, 'unknown') AS kind,
  bytes,
  count(*) AS n_operations,
  avg(dur) AS mean_ns,
  min(dur) AS min_ns,
  max(dur) AS max_ns,
  bytes / nullif(avg(dur), 0) * 1e9 AS bytes_per_s
FROM sized
GROUP BY run_id, rank, coalesce(kind, 'unknown'), bytes
ORDER BY run_id, rank, kind, bytes
