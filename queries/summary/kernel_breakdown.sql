/* ---
name = "kernel_breakdown"
version = 1
title = "Device time by combination of concurrent work classes"
help = """
Every instant in which a device works belongs to exactly one row: the set of classes running then.
The rows of a device add up to its busy time, and with idle time to its span. In a time window the
rows are those of the part of that span inside the window, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "device_id", "classes"]
requires = { schema = ">=1", queries = ["device_extent@1", "device_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "classes", "n_classes", "total_ns",
  "busy_share", "span_share",
]

[column]
total_ns.help = "Time in which exactly these classes run"

[column.classes]
type = "VARCHAR"
unit = "text"
help = "Classes running concurrently: compute, communication, memory, two of them or all, joined by +; or idle"

[column.n_classes]
type = "BIGINT"
unit = "count"
check = "BETWEEN 0 AND 3"
help = "Number of concurrent classes; 0: idle"

[column.busy_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Share of the busy time of the device; NULL for idle, and if all operations have duration 0"

[column.span_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "total_ns / span of the device; NULL for an empty span"

[changes]
1 = "first version"
--- */
-- Operations in order of start: each adds to a union of classes the part beyond all operations
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
worked AS (
  SELECT
    trace_id,
    device_id,
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
-- In a time window nothing may run on a device between its first and its last operation.
united AS (
  SELECT
    e.trace_id,
    e.device_id,
    e.end_ns - e.start_ns AS span,
    coalesce(a.c, 0) AS c,
    coalesce(a.n, 0) AS n,
    coalesce(a.m, 0) AS m,
    coalesce(a.c_or_n, 0) AS c_or_n,
    coalesce(a.c_or_m, 0) AS c_or_m,
    coalesce(a.n_or_m, 0) AS n_or_m,
    coalesce(a.busy, 0) AS busy
  FROM device_extent() AS e
  LEFT JOIN worked AS a
    ON a.trace_id = e.trace_id AND a.device_id IS NOT DISTINCT FROM e.device_id
),
-- What runs alone is what the total loses without it; the time all three share follows by inclusion
-- and exclusion.
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
