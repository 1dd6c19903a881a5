/* ---
name = "link_tensorflow_profiler"
version = 1
title = "Links from operators to kernels by the rule of tensorflow-profiler"
help = """
The set tensorflow-profiler repeats that tool's assignment (retrieve_tf_op_name): the k-th kernel, in order
of its start, was launched by the k-th launch, and belongs to the operator that was opened last among
those open when the launch began, on whatever thread. An end closes the first open operator of its name.
Kernels with Memset in their name are not counted. If there are fewer launches than kernels, nothing is
linked. The links of the default set respect threads, and are right where this rule is wrong.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["cpu_op", "launch without correlation_id", "gpu_op without correlation_id"] }
scale = "trace"
within_trace = true
link_set = "tensorflow-profiler"
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the operator"
to_id.help = "Slice of the kernel"
kind.help = "op_device"
rule.help = "order"
confidence.help = "0.5"

[changes]
1 = "first version"
--- */
WITH call AS (
  SELECT slice_id, trace_id, ts, row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS n
  FROM launch
  WHERE trace_id = $trace_id::BIGINT AND correlation_id IS NULL AND (
    category = 'hip_runtime' AND contains(name, 'hipLaunchKernel')
    OR category = 'hsa_queue'
    OR name = 'clEnqueueNDRangeKernel'
  )
),
kernel AS (
  SELECT
    slice_id,
    trace_id,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS n,
    count(*) OVER (PARTITION BY trace_id) AS n_kernels
  FROM gpu_op
  WHERE trace_id = $trace_id::BIGINT AND correlation_id IS NULL AND kind = 'kernel'
    AND NOT contains(name, 'Memset')
),
counted AS (
  SELECT trace_id, count(*) AS n_calls FROM call GROUP BY trace_id
),
operator AS (
  SELECT s.id AS slice_id, s.trace_id, s.name, s.ts, s.dur
  FROM slice AS s
  JOIN track AS k ON k.id = s.track_id
  WHERE s.trace_id = $trace_id::BIGINT AND s.category = 'cpu_op' AND k.kind = 'thread'
),
begun AS (
  SELECT *, row_number() OVER (PARTITION BY trace_id, name ORDER BY ts, slice_id) AS n FROM operator
),
ended AS (
  SELECT
    trace_id, name, ts + dur AS end_ts,
    row_number() OVER (PARTITION BY trace_id, name ORDER BY ts + dur, slice_id) AS n
  FROM operator
  WHERE dur >= 0
),
opened AS (
  SELECT b.slice_id, b.trace_id, b.ts, least(e.end_ts, l.last_ts + 1) AS end_ts
  FROM begun AS b
  JOIN (SELECT trace_id, max(ts) AS last_ts FROM call GROUP BY trace_id) AS l
    ON l.trace_id = b.trace_id
  LEFT JOIN ended AS e ON e.trace_id = b.trace_id AND e.name = b.name AND e.n = b.n
  WHERE b.ts <= l.last_ts
),
-- Operators by slots of time, so narrow that few are in each, and so wide that each is in few.
width AS (
  SELECT trace_id, greatest(1, sum(end_ts - ts)::BIGINT // (4 * count(*))) AS slot_ns
  FROM opened
  GROUP BY trace_id
),
slot AS (
  SELECT
    o.slice_id, o.trace_id, o.ts, o.end_ts,
    unnest(range(o.ts // w.slot_ns, o.end_ts // w.slot_ns + 1)) AS slot
  FROM opened AS o
  JOIN width AS w ON w.trace_id = o.trace_id
),
slotted AS (
  SELECT c.trace_id, c.n, c.ts, c.ts // w.slot_ns AS slot
  FROM call AS c
  JOIN width AS w ON w.trace_id = c.trace_id
),
cause AS (
  SELECT c.trace_id, c.n, arg_max(o.slice_id, (o.ts, o.slice_id)) AS from_id
  FROM slotted AS c
  JOIN slot AS o
    ON o.trace_id = c.trace_id AND o.slot = c.slot AND o.ts <= c.ts AND o.end_ts > c.ts
  GROUP BY c.trace_id, c.n
)
SELECT
  a.from_id, k.slice_id AS to_id, 'op_device' AS kind, 'order' AS rule, 0.5::DOUBLE AS confidence
FROM kernel AS k
JOIN cause AS a ON a.trace_id = k.trace_id AND a.n = k.n
JOIN counted AS c ON c.trace_id = k.trace_id AND c.n_calls >= k.n_kernels
ORDER BY to_id
