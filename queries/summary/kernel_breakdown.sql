/* ---
name = "kernel_breakdown"
version = 1
title = "Time of each device by what runs at once"
help = """
Every instant in which a device works belongs to exactly one row: the set of classes that run then.
So the rows of a device add up to its busy time; with idle they fill its span.
"""
grain = ["trace_id", "device_id", "classes"]
requires = { schema = ">=1", queries = ["device_op@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "classes"
type = "VARCHAR"
unit = "text"
help = "What runs at once: compute, communication, memory, two of them or all, joined by +; or idle"

[[column]]
name = "n_classes"
type = "BIGINT"
unit = "count"
check = "BETWEEN 0 AND 3"
help = "How many classes run at once; 0: idle"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time in which just these run"

[[column]]
name = "busy_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of the time in which anything runs; NULL for idle, and where nothing takes time"

[[column]]
name = "span_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns of the span of the device; NULL for an empty span"

[changes]
1 = "first version"
--- */
-- Operations in the order of their starts: each adds to a union of classes what reaches beyond all
-- before it in that union.
WITH reach AS (
  SELECT
    trace_id,
    device_id,
    class,
    start_ns,
    end_ns,
    max(CASE WHEN class = 'compute' THEN end_ns END) OVER past AS compute_reach,
    max(CASE WHEN class = 'communication' THEN end_ns END) OVER past AS communication_reach,
    max(CASE WHEN class = 'memory' THEN end_ns END) OVER past AS memory_reach
  FROM device_op()
  WINDOW past AS (
    PARTITION BY trace_id, device_id
    ORDER BY start_ns, end_ns, class
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
gain AS (
  SELECT
    trace_id,
    device_id,
    class,
    start_ns,
    end_ns,
    greatest(end_ns - greatest(start_ns, compute_reach), 0) AS compute,
    greatest(end_ns - greatest(start_ns, communication_reach), 0) AS communication,
    greatest(end_ns - greatest(start_ns, memory_reach), 0) AS memory,
    greatest(end_ns - greatest(start_ns, compute_reach, communication_reach), 0)
      AS compute_communication,
    greatest(end_ns - greatest(start_ns, compute_reach, memory_reach), 0) AS compute_memory,
    greatest(end_ns - greatest(start_ns, communication_reach, memory_reach), 0)
      AS communication_memory,
    greatest(
      end_ns - greatest(start_ns, compute_reach, communication_reach, memory_reach), 0
    ) AS every
  FROM reach
),
united AS (
  SELECT
    trace_id,
    device_id,
    max(end_ns) - min(start_ns) AS span,
    sum(CASE WHEN class = 'compute' THEN compute ELSE 0 END)::BIGINT AS c,
    sum(CASE WHEN class = 'communication' THEN communication ELSE 0 END)::BIGINT AS n,
    sum(CASE WHEN class = 'memory' THEN memory ELSE 0 END)::BIGINT AS m,
    sum(CASE WHEN class <> 'memory' THEN compute_communication ELSE 0 END)::BIGINT AS c_or_n,
    sum(CASE WHEN class <> 'communication' THEN compute_memory ELSE 0 END)::BIGINT AS c_or_m,
    sum(CASE WHEN class <> 'compute' THEN communication_memory ELSE 0 END)::BIGINT AS n_or_m,
    sum(every)::BIGINT AS busy
  FROM gain
  GROUP BY trace_id, device_id
),
-- What runs alone is what is missing without it; what all three share follows from inclusion and
-- exclusion.
part AS (
  SELECT trace_id, device_id, span, busy, 1 AS n_classes, 'compute' AS classes, busy - n_or_m AS ns
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 1, 'communication', busy - c_or_m
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 1, 'memory', busy - c_or_n
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 2, 'compute+communication', c_or_m + n_or_m - m - busy
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 2, 'compute+memory', c_or_n + n_or_m - n - busy
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 2, 'communication+memory', c_or_n + c_or_m - c - busy
  FROM united
  UNION ALL
  SELECT
    trace_id,
    device_id,
    span,
    busy,
    3,
    'compute+communication+memory',
    c + n + m - c_or_n - c_or_m - n_or_m + busy
  FROM united
  UNION ALL
  SELECT trace_id, device_id, span, busy, 0, 'idle', span - busy
  FROM united
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.classes,
  a.n_classes::BIGINT AS n_classes,
  a.ns AS total_ns,
  CASE WHEN a.n_classes > 0 THEN a.ns / nullif(a.busy, 0) END AS busy_share,
  a.ns / nullif(a.span, 0) AS span_share
FROM part AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.ns DESC, a.classes
