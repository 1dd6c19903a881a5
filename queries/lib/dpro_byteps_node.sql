/* ---
name = "dpro_byteps_node"
version = 1
title = "Mean durations, gaps and latencies of BytePS messages and server operations"
help = """
The gap is what a link leaves free on average until the next message that does not begin before the end of
the one before; gaps of 1 ms and more do not
count, nor do others than pushes of the typical step (of the rank that begins first), as in dPRO. The latency of a link is the mean time from the end of a message to the beginning of the
answer to it, where the link of the answer was idle in the half millisecond before, but for its last 5 us, as in dPRO; the
least latency is that of all answers.
"""
grain = ["run_id", "name"]
requires = { schema = ">=17", rows = ["rpc"], queries = ["dpro_iteration@1", "dpro_message@1"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "name", "dur_ns", "gap_ns", "n_gaps", "latency_ns", "least_latency_ns",
  "n_events",
]

[column]
name = { type = "VARCHAR", unit = "text", help = "Node of the global graph" }
dur_ns = { type = "DOUBLE", unit = "ns", help = "Mean duration" }
gap_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Mean gap to the next message" }
n_gaps = { type = "BIGINT", unit = "count", nullable = true, help = "Number of gaps" }
latency_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Mean latency of the link; NULL: operation of a server, or no answer tells it" }
least_latency_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Least latency of the link" }
n_events.help = "Number of messages or operations"

[changes]
1 = "first version"
--- */
WITH RECURSIVE message AS MATERIALIZED (FROM dpro_message()),
-- the typical step of the rank that begins first
typical AS (
  SELECT run_id, start_ns, coalesce(next_ns, 'inf'::DOUBLE) AS next_ns
  FROM (
    SELECT
      *,
      lead(start_ns) OVER (PARTITION BY trace_id ORDER BY step) AS next_ns,
      min(start_ns) OVER (PARTITION BY trace_id) AS first_ns
    FROM dpro_iteration()
  )
  WHERE is_typical
  QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY first_ns, process) = 1
),
-- messages of a link in dPRO's order; is_apart: all before have ended
sent AS MATERIALIZED (
  SELECT *, count(CASE WHEN is_apart THEN 1 END) OVER (PARTITION BY run_id, process ORDER BY n) AS cluster
  FROM (
    SELECT
      m.run_id, m.process, m.name, m.start_ns, m.start_ns + m.dur_ns AS end_ns,
      row_number() OVER in_order AS n,
      m.start_ns >= coalesce(max(m.start_ns + m.dur_ns) OVER (
        in_order ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), m.start_ns) AS is_apart
    FROM message AS m
    LEFT JOIN typical AS t ON t.run_id = m.run_id
    WHERE m.peer IS NOT NULL AND (
      m.stage = 'PUSH_REQ' OR m.start_ns < t.start_ns OR m.start_ns >= t.next_ns OR t.run_id IS NULL
    )
    WINDOW in_order AS (PARTITION BY m.run_id, m.process ORDER BY m.start_ns, m.name, m.slice_id)
  )
),
overlapping AS MATERIALIZED (
  SELECT * FROM sent QUALIFY count(*) OVER (PARTITION BY run_id, process, cluster) > 1
),
-- of messages that overlap, one after the other that does not begin before the end of the one before
apart AS (
  SELECT run_id, process, cluster, n, end_ns FROM overlapping WHERE is_apart
  UNION ALL
  SELECT a.run_id, a.process, a.cluster, min(b.n), arg_min(b.end_ns, b.n)
  FROM apart AS a
  JOIN overlapping AS b
    ON b.run_id = a.run_id AND b.process = a.process AND b.cluster = a.cluster AND b.n > a.n
    AND b.start_ns >= a.end_ns
  GROUP BY a.run_id, a.process, a.cluster, a.n
),
gap AS (
  SELECT run_id, process, name, avg(gap_ns) AS gap_ns, count(*) AS n_gaps
  FROM (
    SELECT
      run_id, process, name,
      lead(start_ns) OVER (PARTITION BY run_id, process ORDER BY n) - end_ns AS gap_ns
    FROM sent
    WHERE (run_id, process, n) NOT IN (SELECT (run_id, process, n) FROM overlapping)
      OR (run_id, process, n) IN (SELECT (run_id, process, n) FROM apart)
  )
  WHERE gap_ns < 1000000
  GROUP BY run_id, process, name
),
answer AS (
  SELECT
    a.run_id, a.process, b.start_ns - a.start_ns - a.dur_ns AS latency_ns,
    NOT EXISTS (
      FROM message AS o
      WHERE o.run_id = b.run_id AND o.process = b.process AND o.dur_ns > 0
        AND o.start_ns < b.start_ns - 5000 AND o.start_ns + o.dur_ns > b.start_ns - 500000
    ) AS was_idle
  FROM message AS a
  JOIN message AS b
    ON b.run_id = a.run_id AND b.node = a.peer AND b.peer = a.node AND b.tensors = a.tensors
    AND b.part = a.part AND b.step = a.step
    AND (a.stage, b.stage) IN (('PUSH_REQ', 'PUSH_RES'), ('PUSH_RES', 'PULL_REQ'))
),
latency AS (
  SELECT
    run_id, process,
    avg(latency_ns) FILTER (was_idle) AS latency_ns,
    min(latency_ns) AS least_latency_ns
  FROM answer
  GROUP BY run_id, process
)
SELECT
  m.run_id,
  any_value(m.trace_id) AS trace_id,
  m.process || '->' || m.name AS name,
  sum(m.dur_ns) / count(*) AS dur_ns,
  any_value(g.gap_ns) AS gap_ns,
  any_value(g.n_gaps) AS n_gaps,
  any_value(l.latency_ns) AS latency_ns,
  any_value(l.least_latency_ns) AS least_latency_ns,
  count(*) AS n_events
FROM message AS m
LEFT JOIN latency AS l ON l.run_id = m.run_id AND l.process = m.process
LEFT JOIN gap AS g ON g.run_id = m.run_id AND g.process = m.process AND g.name = m.name
GROUP BY m.run_id, m.process, m.name
ORDER BY m.run_id, name
