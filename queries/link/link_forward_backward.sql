/* ---
name = "link_forward_backward"
version = 1
title = "Operator of the forward pass → the operator that computes its gradient"
help = """Recorded arrows (fwdbwd) lead; where there is none to a backward operator, its sequence number
does: the forward operator is the last one before it that has the number, which is where the arrows
start too. The inner of two nested backward operators with the same number is linked. Each thread
numbers its own operators: of several forward threads, the one that explains most of what its number
(forward_thread_id) stands for."""
grain = ["from_id", "to_id"]
portable = false

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the forward operator"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the backward operator"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "forward_backward"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "recorded:fwdbwd, or sequence_number"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1 for recorded arrows; 0.9 by number; 0.5 where several forward threads have the number"

[changes]
1 = "first version"
--- */
WITH point AS (
  SELECT
    slice_id AS to_id,
    phase,
    lag(slice_id) OVER (
      PARTITION BY name, flow_key
      ORDER BY ts, CASE phase WHEN 's' THEN 0 WHEN 't' THEN 1 ELSE 2 END, id
    ) AS from_id
  FROM flow_point
  WHERE trace_id = $trace_id::BIGINT
    AND slice_id IS NOT NULL
    AND category = 'fwdbwd'
),
recorded AS (
  SELECT DISTINCT from_id, to_id
  FROM point
  WHERE phase <> 's'
    AND from_id IS NOT NULL
    AND from_id <> to_id
),
numbered AS (
  SELECT
    slice_id,
    track_id,
    ts,
    ts + greatest(dur, 0) AS end_ts,
    sequence_number,
    coalesce(forward_thread_id, 0) AS forward_thread_id
  FROM cpu_op
  WHERE trace_id = $trace_id::BIGINT
    AND sequence_number >= 0
),
backward AS (
  SELECT
    *,
    lead(ts) OVER (
      PARTITION BY track_id, sequence_number, forward_thread_id
      ORDER BY ts, end_ts DESC, slice_id
    ) AS next_ts
  FROM numbered
  WHERE forward_thread_id > 0
),
-- The engine's frame has its function's numbers: the inner one is the operator. What an arrow
-- already leads to needs no other link.
wanted AS (
  SELECT b.slice_id, b.ts, b.sequence_number, b.forward_thread_id
  FROM backward AS b
  ANTI JOIN (
    SELECT o.track_id, o.sequence_number, o.forward_thread_id
    FROM numbered AS o
    SEMI JOIN recorded AS r ON r.to_id = o.slice_id
  ) AS known
    ON known.track_id = b.track_id
    AND known.sequence_number = b.sequence_number
    AND known.forward_thread_id = b.forward_thread_id
  WHERE b.next_ts IS NULL OR b.next_ts >= b.end_ts
),
forward AS (
  SELECT slice_id, track_id, ts, sequence_number
  FROM numbered
  WHERE forward_thread_id = 0
),
-- Each thread counts for itself, and its profiler's number is in no other event.
candidate AS (
  SELECT
    f.slice_id AS from_id,
    w.slice_id AS to_id,
    f.track_id,
    w.forward_thread_id
  FROM (
    SELECT w.*, t.track_id
    FROM wanted AS w
    CROSS JOIN (SELECT DISTINCT track_id FROM forward) AS t
  ) AS w
  ASOF JOIN forward AS f
    ON f.track_id = w.track_id
    AND f.sequence_number = w.sequence_number
    AND w.ts >= f.ts
),
vote AS (
  SELECT
    forward_thread_id,
    track_id,
    count(*) AS n_votes,
    count(*) OVER (PARTITION BY forward_thread_id) AS n_tracks
  FROM candidate
  GROUP BY forward_thread_id, track_id
),
elected AS (
  SELECT
    c.to_id,
    arg_max(c.from_id, (v.n_votes, -c.track_id)) AS from_id,
    any_value(v.n_tracks) AS n_tracks
  FROM candidate AS c
  JOIN vote AS v
    ON v.forward_thread_id = c.forward_thread_id
    AND v.track_id = c.track_id
  GROUP BY c.to_id
)
SELECT
  from_id,
  to_id,
  'forward_backward' AS kind,
  'recorded:fwdbwd' AS rule,
  1::DOUBLE AS confidence
FROM recorded
UNION ALL
SELECT
  from_id,
  to_id,
  'forward_backward' AS kind,
  'sequence_number' AS rule,
  CASE WHEN n_tracks = 1 THEN 0.9::DOUBLE ELSE 0.5::DOUBLE END AS confidence
FROM elected
ORDER BY from_id, to_id
