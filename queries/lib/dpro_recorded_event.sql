/* ---
name = "dpro_recorded_event"
version = 1
title = "Operators and communication as dPRO collects them, in one time, without names of communication"
help = """
The events that dPRO's graph and statistics are made of: operators that the local graph contains,
and the communication of a rank that begins with or after its first operator: sends and receives that begin, and other
stages that end, before its last operator ends. Sync events of a rank that begin together are one, which
lasts as long as the shortest, and operators of MXNet or kernels of TensorFlow 1 that follow each other and belong to
one node of the graph are one, from the start of the first to the end of the last. Hosts are aligned as dPRO does by default: the last
Sync of all ranks of a host ends at the same mean time as that of the first host's ranks; after
`tw link --clock METHOD` by the offsets of that method.
Communication belongs to the step of the last operator that began before; operators without a step before
the first with one belong to step 0. dpro_event names it: names are
long texts, which most queries do not need.
"""
grain = ["slice_id"]
requires = { schema = ">=17", rows = ["graph where kind = 'dpro'"], queries = ["dpro_operation@2"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "rank", "process", "slice_id", "operator", "phase", "tensors", "stage", "loop",
  "channel", "ring_step", "part", "step", "start_ns", "dur_ns",
]

[column]
process = { type = "VARCHAR", unit = "text", help = "Name of the rank in dPRO, such as host0.rank1" }
slice_id.help = "Slice; of several Sync events the first"
operator = { type = "VARCHAR", unit = "text", nullable = true, help = "Name in dPRO, without the rank; NULL: communication" }
phase = { type = "VARCHAR", unit = "text", help = "FW, BW, UPDATE_, or Comm for communication" }
stage = { type = "VARCHAR", unit = "text", nullable = true, help = "Stage of communication" }
loop = { type = "BIGINT", unit = "count", nullable = true, help = "Loop over a large message" }
channel = { type = "BIGINT", unit = "count", nullable = true, help = "Channel" }
ring_step = { type = "BIGINT", unit = "count", nullable = true, help = "Step of the ring" }
part = { type = "BIGINT", unit = "count", nullable = true, help = "Slice of a chunk" }
start_ns = { type = "DOUBLE", unit = "ns", help = "Start on the clock of the first host" }
dur_ns = { type = "BIGINT", unit = "ns", help = "Duration" }

[column.tensors]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Numbers of the tensors of communication, ascending, as in 3+4"

[changes]
1 = "first version"
--- */
WITH rank AS (
  SELECT
    t.run_id, t.id AS trace_id, t.rank, t.base_ns, t.host_name, g.name AS process,
    json_extract_string(g.attributes_json, '$.platform') IN ('mxnet', 'tensorflow1') AS is_in_parts,
    c.id IS NOT NULL AS is_aligned, c.offset_ns
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  LEFT JOIN clock AS c
    ON c.id = t.clock_id AND starts_with(json_extract_string(c.extra_json, '$.query'), 'clock_by_')
  WHERE g.kind = 'dpro'
),
recorded AS MATERIALIZED (
  SELECT
    o.trace_id,
    o.slice_id,
    n.name,
    n.phase,
    o.step_number AS step,
    r.base_ns + o.ts AS start_ns,
    o.dur AS dur_ns,
    coalesce(r.is_in_parts, false) AS is_in_parts
  FROM cpu_op AS o
  JOIN rank AS r ON r.trace_id = o.trace_id
  JOIN dpro_operation() AS n ON n.trace_id = o.trace_id AND n.operator = o.name
  WHERE NOT contains(n.name, 'Comm')
),
part AS (
  SELECT *, count(CASE WHEN is_first THEN 1 END) OVER (PARTITION BY trace_id ORDER BY start_ns, slice_id) AS n
  FROM (
    SELECT
      *,
      (lag((name, step)) OVER (PARTITION BY trace_id ORDER BY start_ns, slice_id))
        IS DISTINCT FROM (name, step) AS is_first
    FROM recorded
    WHERE is_in_parts
  )
),
operation AS (
  SELECT * EXCLUDE (is_in_parts)
  FROM recorded
  WHERE NOT is_in_parts
  UNION ALL
  SELECT
    trace_id, min(slice_id), any_value(name), any_value(phase), any_value(step),
    min(start_ns), max(start_ns + dur_ns) - min(start_ns)
  FROM part
  GROUP BY trace_id, n
),
-- an operator without a step belongs to that of the operator before it. dPRO orders events by their
-- times and names
stepped AS MATERIALIZED (
  SELECT
    * EXCLUDE (step),
    coalesce(step, last_value(step IGNORE NULLS) OVER (
      PARTITION BY trace_id ORDER BY start_ns, name, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ), 0) AS step
  FROM operation
),
-- where the step of a rank changes, for communication: its name sorts behind some operators of the same time
step_start AS MATERIALIZED (
  SELECT trace_id, start_ns, step
  FROM (
    SELECT
      trace_id, start_ns, step,
      lag(step) OVER (PARTITION BY trace_id ORDER BY start_ns) AS step_before
    FROM (
      SELECT
        trace_id, start_ns + (name > 'Comm')::BIGINT AS start_ns,
        arg_max(step, (start_ns, name, slice_id)) AS step
      FROM stepped
      GROUP BY ALL
    )
  )
  WHERE step IS DISTINCT FROM step_before
),
extent AS (
  SELECT trace_id, min(start_ns) AS first_ns, max(start_ns + dur_ns) AS last_ns
  FROM operation
  GROUP BY trace_id
),
-- the steps of each rank, from each start to the next
step_range AS MATERIALIZED (
  SELECT
    *,
    lead(start_ns, 1, 9223372036854775807) OVER (PARTITION BY trace_id ORDER BY start_ns) AS end_ns,
    count(*) OVER (PARTITION BY trace_id) <= 16 AS is_few
  FROM (
    SELECT trace_id, -9223372036854775808 AS start_ns, 0 AS step FROM extent
    UNION ALL
    FROM step_start
  )
),
tensor AS MATERIALIZED (
  SELECT slice_id, ordinal, tensor_id
  FROM collective_tensor
  WHERE tensor_id IS NOT NULL
),
-- most stages have one tensor: their lists need no sorting
tensors AS (
  SELECT slice_id, tensor_id::VARCHAR AS tensors
  FROM tensor
  WHERE slice_id NOT IN (SELECT slice_id FROM tensor WHERE ordinal > 0)
  UNION ALL
  SELECT slice_id, string_agg(tensor_id::VARCHAR, '+' ORDER BY tensor_id) AS tensors
  FROM tensor
  WHERE slice_id IN (SELECT slice_id FROM tensor WHERE ordinal > 0)
  GROUP BY slice_id
),
stage AS (
  SELECT c.*, r.base_ns + c.ts AS start_ns, t.tensors
  FROM collective AS c
  JOIN rank AS r ON r.trace_id = c.trace_id
  JOIN tensors AS t ON t.slice_id = c.slice_id
  JOIN extent AS x ON x.trace_id = c.trace_id
  WHERE c.dur >= 0 AND r.base_ns + c.ts >= x.first_ns
    AND r.base_ns + c.ts + CASE WHEN c.stage IN ('SEND', 'RECV') THEN 0 ELSE c.dur END < x.last_ns
),
sync AS (
  SELECT
    s.trace_id,
    min(s.slice_id) AS slice_id,
    array_to_string(list_sort(list(DISTINCT t.tensor_id)), '+') AS tensors,
    s.start_ns,
    min(s.dur) AS dur_ns
  FROM stage AS s
  JOIN collective_tensor AS t ON t.slice_id = s.slice_id
  WHERE s.stage = 'Sync'
  GROUP BY s.trace_id, s.start_ns
),
communication AS NOT MATERIALIZED (
  SELECT
    trace_id, slice_id, tensors, stage, loop, channel, ring_step, part, start_ns, dur AS dur_ns
  FROM stage
  WHERE stage IN (
    'QUEUE', 'MEMCPY_IN_FUSION_BUFFER', 'NCCL_ALLREDUCE', 'MEMCPY_OUT_FUSION_BUFFER', 'SEND', 'RECV'
  )
  UNION ALL
  SELECT trace_id, slice_id, tensors, 'Sync', NULL, NULL, NULL, NULL, start_ns, dur_ns
  FROM sync
),
during AS NOT MATERIALIZED (
  SELECT c.*, x.is_few
  FROM communication AS c
  JOIN (
    SELECT DISTINCT trace_id, is_few FROM step_range
  ) AS x ON x.trace_id = c.trace_id
),
-- a few steps are compared with each event in less time than ASOF takes to sort the events
in_step AS (
  SELECT c.*, s.step
  FROM during AS c
  JOIN step_range AS s ON s.trace_id = c.trace_id AND s.start_ns <= c.start_ns AND c.start_ns < s.end_ns
  WHERE c.is_few
  UNION ALL
  SELECT c.*, s.step
  FROM during AS c
  ASOF JOIN step_range AS s ON s.trace_id = c.trace_id AND s.start_ns <= c.start_ns
  WHERE NOT c.is_few
),
event AS (
  SELECT
    trace_id, slice_id, name AS operator, phase, NULL AS tensors, NULL AS stage, NULL::BIGINT AS loop,
    NULL::BIGINT AS channel, NULL::BIGINT AS ring_step, NULL::BIGINT AS part, step, start_ns, dur_ns
  FROM stepped
  UNION ALL
  SELECT
    trace_id, slice_id, NULL, 'Comm', tensors, stage, loop, channel, ring_step, part, step, start_ns, dur_ns
  FROM in_step
),
reference AS (
  SELECT r.run_id, r.host_name, avg(s.end_ns) AS end_ns
  FROM (
    SELECT trace_id, max(start_ns + dur) AS end_ns
    FROM stage
    WHERE stage = 'Sync'
    GROUP BY trace_id
  ) AS s
  JOIN rank AS r ON r.trace_id = s.trace_id
  GROUP BY r.run_id, r.host_name
),
shift AS (
  SELECT
    run_id,
    host_name,
    first_value(end_ns) OVER (PARTITION BY run_id ORDER BY host_name) - end_ns AS shift_ns
  FROM reference
)
SELECT
  r.run_id,
  r.trace_id,
  r.rank,
  r.process,
  e.slice_id,
  e.operator,
  e.phase,
  e.tensors,
  e.stage,
  e.loop,
  e.channel,
  e.ring_step,
  e.part,
  e.step,
  e.start_ns + coalesce(CASE WHEN r.is_aligned THEN r.offset_ns ELSE s.shift_ns END, 0)::DOUBLE AS start_ns,
  e.dur_ns
FROM event AS e
JOIN rank AS r ON r.trace_id = e.trace_id
LEFT JOIN shift AS s ON s.run_id = r.run_id AND s.host_name IS NOT DISTINCT FROM r.host_name
