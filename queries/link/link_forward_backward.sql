/* ---
name = "link_forward_backward"
version = 4
title = "Links from forward operators to the operators that compute their gradients"
help = """
Recorded arrows (fwdbwd) take precedence; of operators that begin where an arrow does, those with
one sequence number are linked. A backward operator without one is linked by its sequence number,
from the last forward operator before it with that number, which is also where the arrows start. Of
two nested backward operators with the same number, the inner one is linked. Each thread numbers its
own operators; of several forward threads, the one that best explains the number (forward_thread_id)
is used. Numbers and arrows are those of one process: in a merged file others have the same.
"""
grain = ["from_id", "to_id"]
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the forward operator"
to_id.help = "Slice of the backward operator"
kind.help = "forward_backward"
rule.help = "recorded:fwdbwd, or sequence_number"
confidence.help = "1 for recorded arrows; 0.9 by sequence number; 0.5 if several forward threads have the number"

[changes]
4 = "numbers and arrows are those of one process"
3 = "of forward operators with one number that begin at one time, the innermost"
2 = "arrows lead to the operator with the sequence number, not to a child that begins with it"
1 = "first version"
--- */
WITH point AS (
  SELECT
    p.id,
    p.slice_id AS to_id,
    p.track_id AS to_track_id,
    p.ts AS to_ts,
    p.phase,
    lag(p.slice_id) OVER arrow AS from_id,
    lag(p.track_id) OVER arrow AS from_track_id,
    lag(p.ts) OVER arrow AS from_ts
  FROM flow_point AS p
  LEFT JOIN track AS k ON k.id = p.track_id
  WHERE p.trace_id = $trace_id::BIGINT
    AND p.slice_id IS NOT NULL
    AND p.category = 'fwdbwd'
  WINDOW arrow AS (
    PARTITION BY p.trace_id, k.process_id, p.name, p.flow_key
    ORDER BY p.ts, CASE p.phase WHEN 's' THEN 0 WHEN 't' THEN 1 ELSE 2 END, p.id
  )
),
numbered AS (
  SELECT
    o.slice_id,
    o.trace_id,
    o.track_id,
    coalesce(k.process_id, -1) AS process_id,
    o.ts,
    o.ts + greatest(o.dur, 0) AS end_ts,
    o.sequence_number,
    coalesce(o.forward_thread_id, 0) AS forward_thread_id
  FROM cpu_op AS o
  LEFT JOIN track AS k ON k.id = o.track_id
  WHERE o.trace_id = $trace_id::BIGINT
    AND o.sequence_number >= 0
),
-- An arrow begins and ends with its operators, and binds to the innermost slice there, which may be
-- a child that begins at the same time: the operators are those with one sequence number.
paired AS (
  SELECT
    p.id,
    min_by(f.slice_id, (f.end_ts, -f.slice_id)) AS from_id,
    min_by(b.slice_id, (b.end_ts, -b.slice_id)) AS to_id
  FROM point AS p
  JOIN numbered AS f ON f.track_id = p.from_track_id AND f.ts = p.from_ts
  JOIN numbered AS b
    ON b.track_id = p.to_track_id
    AND b.ts = p.to_ts
    AND b.sequence_number = f.sequence_number
    AND b.slice_id <> f.slice_id
  WHERE p.phase <> 's'
  GROUP BY p.id
),
recorded AS (
  SELECT DISTINCT coalesce(m.from_id, p.from_id) AS from_id, coalesce(m.to_id, p.to_id) AS to_id
  FROM point AS p
  LEFT JOIN paired AS m ON m.id = p.id
  WHERE p.phase <> 's'
    AND p.from_id IS NOT NULL
    AND coalesce(m.from_id, p.from_id) <> coalesce(m.to_id, p.to_id)
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
-- The engine's frame has the numbers of its function: the inner one is the operator. Operators that
-- an arrow leads to need no other link.
unlinked AS (
  SELECT b.slice_id, b.trace_id, b.process_id, b.ts, b.sequence_number, b.forward_thread_id
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
  -- Of those that begin at one time, the innermost.
  SELECT
    min_by(slice_id, (end_ts, -slice_id)) AS slice_id,
    trace_id,
    process_id,
    track_id,
    ts,
    sequence_number
  FROM numbered
  WHERE forward_thread_id = 0
  GROUP BY trace_id, process_id, track_id, ts, sequence_number
),
-- Each thread counts separately, and the profiler records its number in no other event.
candidate AS (
  SELECT
    f.slice_id AS from_id,
    w.slice_id AS to_id,
    f.trace_id,
    f.process_id,
    f.track_id,
    w.forward_thread_id
  FROM (
    SELECT w.*, t.track_id
    FROM unlinked AS w
    JOIN (SELECT DISTINCT trace_id, process_id, track_id FROM forward) AS t
      ON t.trace_id = w.trace_id AND t.process_id = w.process_id
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
    count(*) OVER (PARTITION BY trace_id, process_id, forward_thread_id) AS n_tracks
  FROM candidate
  GROUP BY trace_id, process_id, forward_thread_id, track_id
),
chosen_track AS (
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
FROM chosen_track
ORDER BY from_id, to_id
