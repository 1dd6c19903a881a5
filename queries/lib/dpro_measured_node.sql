/* ---
name = "dpro_measured_node"
version = 1
title = "Nodes of dPRO's global graph, with mean durations and gaps, without their names"
help = """
Each node lasts as long as its events on average; the stages of a group as long as those of its
tensors, Sync no time. A receive that begins before its send counts from the send on, without the
last step. The gap is what a rank's operators leave free on average until the next one that does not begin
before their end; a gap longer
than the operator counts as 10 µs, in a model whose name contains bert only behind updates of weights. The negotiation is the time from the end of the backward operators
to the first communication of the typical step, less what is recorded in between. Nodes of BytePS
belong to the trace of its servers (dpro_byteps_node). dpro_node names the nodes: names are long texts,
which most queries do not need.
"""
grain = ["run_id", "place"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro' | rpc"], queries = ["dpro_byteps_node@1", "dpro_code@1", "dpro_recorded_event@1", "dpro_event_node@1", "dpro_gradient@1", "dpro_graph_edge@1", "dpro_graph_place@1", "dpro_group@1", "dpro_iteration@1", "dpro_local_edge@1", "dpro_message@1"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "place", "trace_id", "rank", "process", "name", "group_stage", "phase", "stage", "tensors",
  "loop", "channel", "ring_step", "part", "dur_ns", "own_dur_ns", "gap_ns", "n_gaps", "negotiation_ns", "least_latency_ns",
  "n_events",
]

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the nodes of the graph" }
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
name = { type = "VARCHAR", unit = "text", help = "Name of dpro_code: BW.name, or Comm.3+4 of all stages of a group" }
group_stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of a group; NULL: operator, or message of BytePS" }
loop = { type = "BIGINT", unit = "count", nullable = true, help = "Loop of a send or receive" }
ring_step = { type = "BIGINT", unit = "count", nullable = true, help = "Step of the ring" }
part = { type = "BIGINT", unit = "count", nullable = true, help = "Slice of a chunk" }
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
WITH RECURSIVE code AS MATERIALIZED (
  SELECT
    *,
    nullif(regexp_extract(name, '^Comm\.[0-9+]+\.([A-Z_a-z]+)', 1), '') AS message_stage,
    nullif(regexp_extract(name, '^Comm\.([0-9+]+)\.', 1), '') AS message_tensors,
    regexp_extract(name, '^(?:[A-Z]+_|[A-Za-z/]+)') AS operator_phase
  FROM dpro_code()
),
member AS MATERIALIZED (FROM dpro_group()),
typical AS (
  SELECT run_id, min(step) AS step
  FROM dpro_iteration()
  WHERE is_typical
  GROUP BY run_id
),
event AS NOT MATERIALIZED (SELECT * FROM dpro_event_node() WHERE is_own),
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
tensor_mean AS (
  SELECT trace_id, tensors, stage, sum(dur_ns)::DOUBLE / count(*) AS dur_ns
  FROM dpro_recorded_event()
  WHERE stage IN ('QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER')
  GROUP BY trace_id, tensors, stage
),
-- what Horovod records of each tensor of a group, tensors without events counting as 0
of_group AS MATERIALIZED (
  SELECT c.run_id, c.first_code + s.k AS code, s.stage, avg(coalesce(e.dur_ns, 0)) AS dur_ns
  FROM code AS c
  JOIN member AS m ON m.run_id = c.run_id AND m.tensors = c.tensors
  CROSS JOIN (
    SELECT
      unnest([1, 2, 3]) AS k,
      unnest(['QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'MEMCPY_OUT_FUSION_BUFFER']) AS stage
  ) AS s
  LEFT JOIN tensor_mean AS e
    ON e.trace_id = c.trace_id AND e.tensors = m.tensor_id::VARCHAR AND e.stage = s.stage
  GROUP BY c.run_id, c.first_code + s.k, s.stage
),
shortest_queue AS (
  SELECT g.run_id, min(g.dur_ns) AS dur_ns
  FROM of_group AS g
  JOIN dpro_graph_place() AS p ON p.code = g.code
  WHERE g.stage = 'QUEUE'
  GROUP BY g.run_id
),
-- receives count from the beginning of their send, which the edge from it names
receive AS (
  SELECT
    r.code,
    CASE WHEN r.step < l.last_step THEN greatest(r.dur_ns - greatest(s.start_ns - r.start_ns, 0), 0) END AS dur_ns,
    greatest(r.start_ns + r.dur_ns - s.start_ns - s.dur_ns, 0) AS behind_send_ns
  FROM dpro_graph_edge() AS e
  JOIN event AS r ON r.stage = 'RECV' AND r.code = e.to_code
  JOIN event AS s ON s.stage = 'SEND' AND s.step = r.step AND s.code = e.from_code
  JOIN (SELECT run_id, max(step) AS last_step FROM dpro_recorded_event() GROUP BY run_id) AS l
    ON l.run_id = r.run_id
),
-- of events, and of receives behind their sends, at once: there is a row for each node
mean AS (
  SELECT
    code, sum(dur_ns)::DOUBLE / count(dur_ns) AS mean_ns, count(dur_ns) AS n_events,
    avg(receive_ns) AS receive_ns, avg(behind_send_ns) AS behind_send_ns
  FROM (
    SELECT code, dur_ns, NULL::DOUBLE AS receive_ns, NULL::DOUBLE AS behind_send_ns FROM event
    UNION ALL
    SELECT code, NULL, dur_ns, behind_send_ns FROM receive
  )
  GROUP BY code
),
-- operators of a rank in their order; is_apart: all before have ended
started AS MATERIALIZED (
  SELECT
    *,
    count(CASE WHEN is_apart THEN 1 END) OVER (PARTITION BY trace_id ORDER BY n) AS cluster
  FROM (
    SELECT
      run_id, trace_id, operator AS name, phase, start_ns, start_ns + dur_ns AS end_ns, dur_ns,
      row_number() OVER in_order AS n,
      start_ns >= coalesce(max(start_ns + dur_ns) OVER (
        in_order ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), start_ns) AS is_apart
    FROM dpro_recorded_event()
    WHERE phase <> 'Comm'
    WINDOW in_order AS (PARTITION BY trace_id ORDER BY start_ns, operator, slice_id)
  )
),
overlapping AS MATERIALIZED (
  SELECT * FROM started QUALIFY count(*) OVER (PARTITION BY trace_id, cluster) > 1
),
-- of operators that overlap, one after the other that does not begin before the end of the one before;
-- between backward operators and updates of weights no gap is measured, so their times do not matter
apart AS (
  SELECT trace_id, cluster, n FROM overlapping WHERE is_apart
  UNION ALL
  SELECT a.trace_id, a.cluster, min(b.n)
  FROM apart AS a
  JOIN overlapping AS o ON o.trace_id = a.trace_id AND o.n = a.n
  JOIN overlapping AS b
    ON b.trace_id = a.trace_id AND b.cluster = a.cluster AND b.n > a.n AND (
      b.start_ns >= o.end_ns
      OR o.phase = 'BW' AND b.phase = 'UPDATE_'
      OR contains(o.name, 'local_num_masks') OR o.name = 'UPDATE_CAL' OR b.name = 'UPDATE_CAL'
    )
  GROUP BY a.trace_id, a.cluster, a.n
),
operator AS (
  SELECT
    run_id, trace_id, name, phase, dur_ns,
    lead(phase) OVER following AS next_phase,
    lead(name) OVER following AS next_name,
    lead(start_ns) OVER following - end_ns AS gap_ns
  FROM started
  WHERE (trace_id, n) NOT IN (SELECT (trace_id, n) FROM overlapping)
    OR (trace_id, n) IN (SELECT (trace_id, n) FROM apart)
  WINDOW following AS (PARTITION BY trace_id ORDER BY n)
),
bert AS (
  SELECT
    t.run_id,
    contains(arg_min(json_extract_string(g.attributes_json, '$.model_name'), g.name), 'bert') AS is_bert
  FROM graph AS g
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.kind = 'dpro'
  GROUP BY t.run_id
),
gap AS (
  SELECT
    c.first_code AS code, count(*) AS n_gaps,
    sum(
      CASE
        WHEN o.gap_ns > o.dur_ns AND NOT o.is_byteps AND (o.phase = 'UPDATE_' OR NOT coalesce(b.is_bert, false))
          THEN 10000
        ELSE o.gap_ns
      END
    ) / count(*) AS gap_ns
  FROM (SELECT *, run_id IN (SELECT run_id FROM push) AS is_byteps FROM operator) AS o
  LEFT JOIN bert AS b ON b.run_id = o.run_id
  JOIN code AS c ON c.trace_id = o.trace_id AND c.name = o.name AND c.tensors IS NULL
  WHERE o.gap_ns >= 0 AND (NOT o.is_byteps OR o.gap_ns < 1000000)
    AND NOT (o.phase = 'BW' AND o.next_phase = 'UPDATE_')
    AND NOT contains(o.name, 'local_num_masks')
    AND o.name <> 'UPDATE_CAL' AND o.next_name <> 'UPDATE_CAL'
  GROUP BY c.first_code
),
first_communication AS (
  SELECT e.run_id, e.process, t.step, min(e.start_ns) AS start_ns, arg_min(e.tensors, (e.start_ns, e.slice_id)) AS tensors
  FROM dpro_recorded_event() AS e
  JOIN typical AS t ON t.run_id = e.run_id AND t.step = e.step
  WHERE e.phase = 'Comm' AND e.stage <> 'Sync'
  GROUP BY e.run_id, e.process, t.step
  UNION ALL
  SELECT run_id, process, step, start_ns, tensors
  FROM push
),
computed AS MATERIALIZED (
  SELECT trace_id, name
  FROM started
  WHERE contains(name, 'BW')
  GROUP BY trace_id, name
  HAVING sum(dur_ns) > 0
),
-- the backward operators that it waits for, or those before, where an operator took no time
awaited AS (
  SELECT
    f.run_id, f.process, f.step, g.trace_id, g.name,
    (g.trace_id, g.name) IN (SELECT (trace_id, name) FROM computed) AS is_computed
  FROM first_communication AS f
  JOIN dpro_gradient() AS g
    ON g.run_id = f.run_id AND g.process = f.process
    AND list_contains(string_split(f.tensors, '+'), g.tensor_id::VARCHAR)
  UNION
  SELECT
    a.run_id, a.process, a.step, a.trace_id, e.from_name,
    (a.trace_id, e.from_name) IN (SELECT (trace_id, name) FROM computed)
  FROM awaited AS a
  JOIN dpro_local_edge() AS e ON e.trace_id = a.trace_id AND e.to_name = a.name
  WHERE NOT a.is_computed AND NOT (e.from_phase = 'UPDATE_' AND e.to_phase = 'FW')
),
negotiation AS (
  SELECT
    f.run_id, f.process,
    greatest(0, any_value(f.start_ns) - max(b.start_ns + b.dur_ns)) AS negotiation_ns
  FROM first_communication AS f
  JOIN awaited AS a ON a.run_id = f.run_id AND a.process = f.process AND a.is_computed
  JOIN dpro_recorded_event() AS b
    ON b.trace_id = a.trace_id AND b.step = f.step AND b.operator = a.name
  GROUP BY f.run_id, f.process
),
message AS (
  SELECT c.first_code AS code, b.*
  FROM dpro_byteps_node() AS b
  JOIN code AS c
    ON c.run_id = b.run_id AND c.tensors IS NULL AND c.process = split_part(b.name, '->', 1)
    AND c.name = substr(b.name, strpos(b.name, '->') + 2)
),
-- joined by numbers before there are names, which cost more than all else
measured AS (
  SELECT
    n.place, k.first_code, n.code - k.first_code AS k,
    g.dur_ns AS group_ns, m.mean_ns, m.n_events, m.receive_ns, m.behind_send_ns, p.gap_ns, p.n_gaps
  FROM dpro_graph_place() AS n
  JOIN (SELECT first_code, first_code + unnest(range(n_codes)) AS code FROM code) AS k ON k.code = n.code
  LEFT JOIN of_group AS g ON g.code = n.code
  LEFT JOIN mean AS m ON m.code = n.code
  LEFT JOIN gap AS p ON p.code = n.code
),
node AS (
  SELECT
    c.run_id, m.place, c.trace_id, c.rank, c.process, c.first_code,
    CASE
      WHEN c.tensors IS NULL THEN c.message_stage
      WHEN m.k = 0 THEN 'Sync'
      WHEN m.k = 1 THEN 'QUEUE'
      WHEN m.k = 2 THEN 'MEMCPY_IN_FUSION_BUFFER'
      WHEN m.k = 3 THEN 'MEMCPY_OUT_FUSION_BUFFER'
      WHEN m.k % 2 = 0 THEN 'SEND'
      ELSE 'RECV'
    END AS stage,
    coalesce(c.tensors, c.message_tensors) AS tensors,
    c.name, c.operator_phase,
    -- the number of a send or receive: of its loop, ring step, part and channel
    CASE WHEN m.k >= 4 THEN (m.k - 4) // 2 END AS n,
    c.tensors IS NOT NULL AS is_stage,
    c.n_ring_steps, c.n_parts, c.n_channels,
    m.* EXCLUDE (place, k, first_code)
  FROM measured AS m
  JOIN code AS c ON c.first_code = m.first_code
)
SELECT
  n.run_id,
  n.place,
  coalesce(n.trace_id, b.trace_id) AS trace_id,
  n.rank,
  n.process,
  n.name,
  CASE WHEN n.is_stage THEN n.stage END AS group_stage,
  CASE WHEN n.stage IS NULL THEN n.operator_phase ELSE 'Comm' END AS phase,
  n.stage,
  n.tensors,
  n.n // (n.n_channels * n.n_parts * n.n_ring_steps) AS loop,
  n.n % n.n_channels AS channel,
  n.n // (n.n_channels * n.n_parts) % n.n_ring_steps AS ring_step,
  n.n // n.n_channels % n.n_parts AS part,
  CASE
    WHEN n.stage = 'Sync' THEN 0
    WHEN n.group_ns IS NOT NULL THEN n.group_ns
    ELSE coalesce(b.dur_ns, n.receive_ns, n.mean_ns, 0)
  END AS dur_ns,
  CASE
    WHEN n.stage = 'Sync' THEN 0
    WHEN n.stage = 'RECV' THEN coalesce(n.behind_send_ns, n.mean_ns, 0)
    WHEN n.stage = 'QUEUE' THEN q.dur_ns
    ELSE coalesce(b.dur_ns, n.group_ns, n.mean_ns, 0)
  END AS own_dur_ns,
  coalesce(n.gap_ns, b.gap_ns) AS gap_ns,
  coalesce(n.n_gaps, b.n_gaps) AS n_gaps,
  CASE
    WHEN n.stage = 'Sync' THEN k.negotiation_ns
    WHEN k.is_byteps AND starts_with(n.name, 'BW.') THEN least(k.negotiation_ns, 10000)
    ELSE b.latency_ns
  END AS negotiation_ns,
  b.least_latency_ns,
  coalesce(b.n_events, n.n_events, 0) AS n_events
FROM node AS n
LEFT JOIN message AS b ON b.code = n.first_code
LEFT JOIN shortest_queue AS q ON q.run_id = n.run_id
LEFT JOIN (SELECT *, run_id IN (SELECT run_id FROM push) AS is_byteps FROM negotiation) AS k
  ON k.run_id = n.run_id AND k.process = n.process
