/* ---
name = "dpro_node"
version = 1
title = "Nodes of dPRO's global graph, with mean durations and gaps"
help = """
Each node lasts as long as its events on average; the stages of a group as long as those of its
tensors, Sync no time. A receive that begins before its send counts from the send on, without the
last step. The gap is what a rank's operators leave free on average until the next one; a gap longer
than the operator counts as 10 µs. The negotiation is the time from the end of the backward operators
to the first communication of the typical step, less what is recorded in between. Nodes of BytePS
belong to the trace of its servers (dpro_byteps_node).
"""
grain = ["run_id", "place"]
requires = { schema = ">=17", queries = ["dpro_byteps_node@1", "dpro_edge@1", "dpro_event@1", "dpro_gradient@1", "dpro_group@1", "dpro_iteration@1", "dpro_message@1"] }
portable = false
computed_once = true
columns = [
  "run_id", "place", "trace_id", "rank", "process", "name", "phase", "stage", "tensors", "channel",
  "dur_ns", "own_dur_ns", "gap_ns", "n_gaps", "negotiation_ns", "least_latency_ns",
  "n_events",
]

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
name = { type = "VARCHAR", unit = "text", help = "Name, as host0.rank0->BW.name" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_, or Comm for communication" }
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
tensors = { type = "VARCHAR", unit = "text", nullable = true, help = "Group of tensors of communication" }
channel = { type = "BIGINT", unit = "count", nullable = true, help = "Channel of a send or receive" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration; 0 without events" }
gap_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Mean gap to the next operator" }
n_gaps = { type = "BIGINT", unit = "count", nullable = true, help = "Number of gaps" }
n_events = { type = "BIGINT", unit = "count", help = "Number of events; 0 for stages of a group" }

[column.own_dur_ns]
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Duration without waiting: of QUEUE the shortest of all groups, of RECV the time behind its send"

[column.negotiation_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time between the node and communication that follows: of Sync the negotiation, of messages the latency"

[column.least_latency_ns]
type = "DOUBLE"
unit = "ns"
nullable = true
help = "Least latency of the link of a message"

[changes]
1 = "first version"
--- */
WITH event AS MATERIALIZED (FROM dpro_event()),
edge AS MATERIALIZED (FROM dpro_edge()),
member AS MATERIALIZED (FROM dpro_group()),
typical AS (
  SELECT run_id, min(step) AS step
  FROM dpro_iteration()
  WHERE is_typical
  GROUP BY run_id
),
node AS MATERIALIZED (
  SELECT
    run_id,
    place,
    long_name,
    split_part(long_name, '->', 1) AS process,
    substr(long_name, strpos(long_name, '->') + 2) AS name,
    nullif(regexp_extract(long_name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors,
    nullif(regexp_extract(long_name, '->Comm\.[0-9+]+\.([A-Z_a-z]+)', 1), '') AS stage
  FROM (
    SELECT run_id, place, any_value(long_name) AS long_name
    FROM (
      SELECT run_id, from_place AS place, from_name AS long_name FROM edge
      UNION ALL
      SELECT run_id, to_place, to_name FROM edge
    )
    GROUP BY run_id, place
  )
),
-- joined by name once: texts of this length cost more than anything else here
placed AS MATERIALIZED (
  SELECT n.run_id, n.place, n.stage, e.step, e.start_ns, e.dur_ns
  FROM event AS e
  JOIN node AS n ON n.run_id = e.run_id AND n.process = e.process AND n.name = e.name
),
-- the first push of the worker of each rank in the typical step
push AS MATERIALIZED (
  SELECT i.run_id, i.process, i.step, min(m.start_ns) AS start_ns, arg_min(m.tensors, (m.start_ns, m.slice_id)) AS tensors
  FROM dpro_iteration() AS i
  JOIN typical AS t ON t.run_id = i.run_id AND t.step = i.step
  JOIN dpro_message() AS m
    ON m.run_id = i.run_id AND m.stage = 'PUSH_REQ' AND m.start_ns >= i.start_ns
    AND m.node = 'worker_' || regexp_extract(i.process, '([0-9]+)\.rank', 1)
  GROUP BY i.run_id, i.process, i.step
),
mean AS (
  SELECT run_id, place, sum(dur_ns)::DOUBLE / count(*) AS dur_ns, count(*) AS n_events
  FROM placed
  GROUP BY run_id, place
),
tensor_mean AS (
  SELECT run_id, process, name, sum(dur_ns)::DOUBLE / count(*) AS dur_ns
  FROM event
  WHERE stage IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER')
  GROUP BY run_id, process, name
),
-- what Horovod records of each tensor of a group, tensors without events counting as 0
of_group AS (
  SELECT
    r.run_id, r.process, m.tensors, s.stage, avg(coalesce(e.dur_ns, 0)) AS dur_ns
  FROM member AS m
  JOIN (SELECT DISTINCT run_id, process FROM node) AS r ON r.run_id = m.run_id
  CROSS JOIN (
    SELECT unnest(['QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER']) AS stage
  ) AS s
  LEFT JOIN tensor_mean AS e
    ON e.run_id = r.run_id AND e.process = r.process
    AND e.name = 'Comm.' || m.tensor_id || '.' || s.stage
  GROUP BY r.run_id, r.process, m.tensors, s.stage
),
-- receives count from the beginning of their send, which the edge from it names
receive AS (
  SELECT
    r.run_id, r.place,
    avg(greatest(r.dur_ns - greatest(s.start_ns - r.start_ns, 0), 0))
      FILTER (r.step < l.last_step) AS dur_ns,
    avg(greatest(r.start_ns + r.dur_ns - s.start_ns - s.dur_ns, 0)) AS behind_send_ns
  FROM edge AS e
  JOIN placed AS r ON r.run_id = e.run_id AND r.stage = 'RECV' AND r.place = e.to_place
  JOIN placed AS s
    ON s.run_id = e.run_id AND s.stage = 'SEND' AND s.step = r.step AND s.place = e.from_place
  JOIN (SELECT run_id, max(step) AS last_step FROM event GROUP BY run_id) AS l
    ON l.run_id = r.run_id
  GROUP BY r.run_id, r.place
),
operator AS (
  SELECT
    run_id, process, name, phase, dur_ns,
    lead(phase) OVER following AS next_phase,
    lead(start_ns) OVER following - start_ns - dur_ns AS gap_ns
  FROM event
  WHERE phase <> 'Comm'
  WINDOW following AS (PARTITION BY run_id, process ORDER BY start_ns, slice_id)
),
gap AS (
  SELECT
    run_id, process, name, count(*) AS n_gaps,
    sum(CASE WHEN gap_ns > dur_ns AND NOT is_byteps THEN 10000 ELSE gap_ns END) / count(*) AS gap_ns
  FROM (SELECT *, run_id IN (SELECT run_id FROM push) AS is_byteps FROM operator)
  WHERE gap_ns >= 0 AND (NOT is_byteps OR gap_ns < 1000000)
    AND NOT (phase = 'BW' AND next_phase = 'UPDATE_')
    AND NOT contains(name, 'local_num_masks')
  GROUP BY run_id, process, name
),
first_communication AS (
  SELECT e.run_id, e.process, t.step, min(e.start_ns) AS start_ns, arg_min(e.tensors, (e.start_ns, e.slice_id)) AS tensors
  FROM event AS e
  JOIN typical AS t ON t.run_id = e.run_id AND t.step = e.step
  WHERE e.phase = 'Comm' AND e.stage <> 'Sync'
  GROUP BY e.run_id, e.process, t.step
  UNION ALL
  SELECT run_id, process, step, start_ns, tensors
  FROM push
),
negotiation AS (
  SELECT
    f.run_id, f.process,
    greatest(0, any_value(f.start_ns) - max(b.start_ns + b.dur_ns)) AS negotiation_ns
  FROM first_communication AS f
  JOIN dpro_gradient() AS g
    ON g.run_id = f.run_id AND g.process = f.process
    AND list_contains(string_split(f.tensors, '+'), g.tensor_id::VARCHAR)
  JOIN event AS b
    ON b.run_id = f.run_id AND b.process = f.process AND b.step = f.step AND b.name = g.name
  GROUP BY f.run_id, f.process
)
SELECT
  n.run_id,
  n.place,
  coalesce(t.trace_id, b.trace_id) AS trace_id,
  t.rank,
  n.process,
  n.long_name AS name,
  CASE WHEN n.stage IS NULL THEN regexp_extract(n.name, '^(?:[A-Z]+_|[A-Za-z/]+)') ELSE 'Comm' END AS phase,
  n.stage,
  n.tensors,
  CASE WHEN n.stage IN ('SEND', 'RECV')
    THEN TRY_CAST(split_part(split_part(n.name, '~>', 2), '_', 2) AS BIGINT)
  END AS channel,
  CASE
    WHEN n.stage = 'Sync' THEN 0
    WHEN g.dur_ns IS NOT NULL THEN g.dur_ns
    ELSE coalesce(b.dur_ns, r.dur_ns, m.dur_ns, 0)
  END AS dur_ns,
  CASE
    WHEN n.stage = 'Sync' THEN 0
    WHEN n.stage = 'RECV' THEN coalesce(r.behind_send_ns, m.dur_ns, 0)
    WHEN n.stage = 'QUEUE' THEN min(g.dur_ns) OVER (PARTITION BY n.run_id, n.stage)
    ELSE coalesce(b.dur_ns, g.dur_ns, m.dur_ns, 0)
  END AS own_dur_ns,
  coalesce(p.gap_ns, b.gap_ns) AS gap_ns,
  coalesce(p.n_gaps, b.n_gaps) AS n_gaps,
  CASE
    WHEN n.stage = 'Sync' THEN k.negotiation_ns
    WHEN k.is_byteps AND starts_with(n.name, 'BW.') THEN least(k.negotiation_ns, 10000)
    ELSE b.latency_ns
  END AS negotiation_ns,
  b.least_latency_ns,
  coalesce(b.n_events, m.n_events, 0) AS n_events
FROM node AS n
LEFT JOIN (
  SELECT t.run_id, t.id AS trace_id, t.rank, g.name AS process
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
) AS t ON t.run_id = n.run_id AND t.process = n.process
LEFT JOIN dpro_byteps_node() AS b ON b.run_id = n.run_id AND b.name = n.long_name
LEFT JOIN of_group AS g
  ON g.run_id = n.run_id AND g.process = n.process AND g.tensors = n.tensors AND g.stage = n.stage
LEFT JOIN mean AS m ON m.run_id = n.run_id AND m.place = n.place
LEFT JOIN receive AS r ON r.run_id = n.run_id AND r.place = n.place
LEFT JOIN gap AS p ON p.run_id = n.run_id AND p.process = n.process AND p.name = n.name
LEFT JOIN (SELECT *, run_id IN (SELECT run_id FROM push) AS is_byteps FROM negotiation) AS k
  ON k.run_id = n.run_id AND k.process = n.process
ORDER BY n.run_id, n.place
