/* ---
name = "communication_by_class"
version = 1
title = "Time, exposed time, volume and imbalance of communication by kind of parallelism"
help = """
By the class of its process group (process_group_class). On devices, times are those of kernels, and
exposed is the part in which no compute kernel runs on the device: of a pipeline it contains the bubbles
spent in receives. Classes that communicate at once count the time each, so exposed times may add up to
more than the device's. Libraries without kernels have times on the host, from the start to the end of
each operation, and no exposed time. Volumes are those recorded: messages as collective_bandwidth
counts them, and what the rank receives; of experts, the latter is their load. Ratios compare ranks with
a recording by the mean of those that have the class. In a time window, times are of the parts inside it,
and operations those that start in it.
"""
grain = ["trace_id", "device_id", "side", "class"]
requires = { schema = ">=11", queries = ["collective_op@1", "device_op@1", "group_class@1"], rows = ["collective"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "side", "class", "confidence", "n_groups",
  "n_collectives", "message_bytes", "received_bytes", "communication_ns", "exposed_ns", "n_ranks",
  "message_ratio", "received_ratio", "communication_ratio",
]

[column]
device_id.help = "Device; NULL: on the host, or not recorded"
device.help = "Device number, as recorded; NULL: on the host"
class = { nullable = true, check = "IN ('data', 'fsdp', 'tensor', 'pipeline', 'context', 'expert')", help = "Kind of parallelism; NULL: unknown" }
confidence = { nullable = true, help = "Lowest confidence of its groups; NULL: unknown class" }
n_groups = { type = "BIGINT", unit = "count", check = ">= 0", help = "Process groups that are named" }
n_collectives = { check = ">= 0", help = "Number of operations" }
message_bytes.help = "Sum of the message sizes that are known; NULL: none"
received_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Sum of the output sizes that are known; NULL: none" }
communication_ns.help = "Time in which an operation of the class runs"
exposed_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of it in which no compute kernel runs on the device; NULL: on the host" }
n_ranks = { type = "BIGINT", unit = "count", check = "> 0", help = "Recorded ranks that have the class on this side" }
message_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "message_bytes / mean of the ranks; NULL: unknown or 0" }
received_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "received_bytes / mean of the ranks; NULL: nothing received" }
communication_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "communication_ns / mean of the ranks; NULL if that is 0" }

[changes]
1 = "first version"
--- */
WITH member AS (
  SELECT
    trace_id, group_name, class, confidence,
    count(*) OVER (PARTITION BY trace_id) = 1 AS is_sole
  FROM group_class()
),
-- Transfers of the window, with the class of their group; one that names none is of the only one.
op AS MATERIALIZED (
  SELECT
    o.slice_id,
    o.trace_id,
    o.side,
    d.device_id,
    coalesce(d.start_ns, greatest(o.start_ns, w.from_ns)) AS start_ns,
    coalesce(d.end_ns, least(greatest(o.end_ns, w.from_ns), w.to_ns)) AS end_ns,
    o.start_ns >= w.from_ns AS is_start_inside,
    m.group_name,
    m.class,
    m.confidence,
    o.message_bytes,
    c.output_bytes
  FROM collective_op() AS o
  JOIN collective AS c ON c.slice_id = o.slice_id
  CROSS JOIN time_window AS w
  LEFT JOIN device_op() AS d ON d.slice_id = o.slice_id
  LEFT JOIN member AS m
    ON m.trace_id = o.trace_id AND (m.group_name = o.group_name OR (m.is_sole AND o.group_name IS NULL))
  WHERE o.is_transfer
),
-- A number stands for the class of a side of a device: sorting by it is faster.
part AS MATERIALIZED (
  SELECT row_number() OVER () AS part_n, *
  FROM (SELECT DISTINCT trace_id, side, device_id, class FROM op)
),
communication AS MATERIALIZED (
  SELECT p.part_n, p.side, o.start_ns, o.end_ns
  FROM op AS o
  JOIN part AS p
    ON p.trace_id = o.trace_id AND p.side = o.side
    AND p.device_id IS NOT DISTINCT FROM o.device_id AND p.class IS NOT DISTINCT FROM o.class
),
-- When the last communication of those that began so far ends.
reached AS (
  SELECT part_n, start_ns, max(max(end_ns)) OVER (PARTITION BY part_n ORDER BY start_ns) AS end_ns
  FROM communication
  WHERE side = 'device'
  GROUP BY part_n, start_ns
),
-- Compute that overlaps with communication: most does not.
compute AS (
  SELECT c.part_n, c.start_ns, c.end_ns
  FROM (
    SELECT p.part_n, c.start_ns, c.end_ns
    FROM device_op() AS c
    JOIN part AS p
      ON p.side = 'device' AND p.trace_id = c.trace_id AND p.device_id IS NOT DISTINCT FROM c.device_id
    WHERE c.class = 'compute'
  ) AS c
  ASOF JOIN reached AS r ON r.part_n = c.part_n AND r.start_ns < c.end_ns
  WHERE r.end_ns > c.start_ns
),
-- Both ends of communication and, beside each class of a device, of its compute.
border AS (
  SELECT part_n, unnest([start_ns, end_ns]) AS ts, unnest([1, -1]) AS communicating, 0 AS computing
  FROM communication
  UNION ALL
  SELECT part_n, unnest([start_ns, end_ns]), 0, unnest([1, -1])
  FROM compute
),
span AS (
  SELECT
    part_n,
    lead(ts) OVER ordered - ts AS dur,
    sum(communicating) OVER ordered > 0 AS communicates,
    sum(computing) OVER ordered > 0 AS computes
  FROM border
  WINDOW ordered AS (PARTITION BY part_n ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
length AS (
  SELECT
    p.trace_id, p.side, p.device_id, p.class,
    coalesce(s.communication_ns, 0)::BIGINT AS communication_ns,
    CASE WHEN p.side = 'device' THEN coalesce(s.exposed_ns, 0)::BIGINT END AS exposed_ns
  FROM part AS p
  JOIN (
    SELECT
      part_n,
      sum(dur) FILTER (communicates) AS communication_ns,
      sum(dur) FILTER (communicates AND NOT computes) AS exposed_ns
    FROM span
    GROUP BY part_n
  ) AS s ON s.part_n = p.part_n
),
amount AS (
  SELECT
    trace_id, side, device_id, class,
    min(confidence) AS confidence,
    count(DISTINCT group_name) AS n_groups,
    count(*) FILTER (is_start_inside) AS n_collectives,
    (sum(message_bytes) FILTER (is_start_inside))::BIGINT AS message_bytes,
    (sum(output_bytes) FILTER (is_start_inside))::BIGINT AS received_bytes
  FROM op
  GROUP BY trace_id, side, device_id, class
),
of_rank AS (
  SELECT t.run_id, t.rank, a.*, l.communication_ns, l.exposed_ns
  FROM amount AS a
  JOIN length AS l
    ON l.trace_id = a.trace_id AND l.side = a.side
    AND l.device_id IS NOT DISTINCT FROM a.device_id AND l.class IS NOT DISTINCT FROM a.class
  JOIN trace AS t ON t.id = a.trace_id
)
SELECT
  r.run_id,
  r.trace_id,
  r.rank,
  r.device_id,
  d.ordinal AS device,
  r.side,
  r.class,
  r.confidence,
  r.n_groups,
  r.n_collectives,
  r.message_bytes,
  r.received_bytes,
  r.communication_ns,
  r.exposed_ns,
  count(DISTINCT r.trace_id) OVER of_class AS n_ranks,
  r.message_bytes / nullif(avg(r.message_bytes) OVER of_class, 0) AS message_ratio,
  r.received_bytes / nullif(avg(r.received_bytes) OVER of_class, 0) AS received_ratio,
  r.communication_ns / nullif(avg(r.communication_ns) OVER of_class, 0) AS communication_ratio
FROM of_rank AS r
LEFT JOIN device AS d ON d.id = r.device_id
WINDOW of_class AS (PARTITION BY r.run_id, r.side, r.class)
ORDER BY r.run_id, r.rank, r.trace_id, r.side, d.ordinal, r.device_id, r.class
