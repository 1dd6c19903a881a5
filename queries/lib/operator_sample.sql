/* ---
name = "operator_sample"
version = 1
title = "Recorded operators with their size, for a cost model"
help = """
The operators of op_work_device whose operations and bytes are known, by operator, data type and device, with
the time of their device work, or of the call if they launched none. Those during which communication went
on in their trace are a group of their own. Of groups with ten sizes or more, about a fifth of the sizes is
held out, to test a model.
"""
grain = ["slice_id", "device_id"]
requires = { schema = ">=13", queries = ["collective_op@1", "op_work@4", "op_work_device@1"] }
columns = [
  "slice_id", "trace_id", "run_id", "rank", "device_id", "model_group", "name", "data_type", "device_name",
  "is_beside_communication", "is_held_out", "dur_ns", "flops", "bytes",
]

[column]
slice_id.help = "Operator"
device_id.help = "Device; NULL: on the host"
model_group = { type = "VARCHAR", unit = "text", help = "What has a line of its own: operator, data type, device, and whether beside communication" }
name = { nullable = false, help = "Operator name" }
data_type.help = "Type of the first tensor; NULL: not recorded"
device_name.help = "Model of the device; NULL: on the host, or not recorded"
is_beside_communication = { type = "BOOLEAN", unit = "bool", help = "Whether communication went on at the same time" }
is_held_out = { type = "BOOLEAN", unit = "bool", help = "Whether a model is tested with it, not fitted to it" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of its device work, or of the call" }
flops = { type = "DOUBLE", unit = "count", nullable = false, check = ">= 0", help = "Floating-point operations" }
bytes = { type = "DOUBLE", unit = "byte", nullable = false, check = ">= 0", help = "Minimum traffic" }

[changes]
1 = "first version"
--- */
WITH device_work AS (
  SELECT w.slice_id, c.device_id, min(c.start_ts) AS start_ts, max(c.end_ts) AS end_ts
  FROM (
    SELECT l.track_id, l.ts, g.device_id, g.ts AS start_ts, g.ts + greatest(g.dur, 0) AS end_ts
    FROM whole_gpu_op AS g
    JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
    JOIN whole_launch AS l ON l.slice_id = k.from_id
    WHERE g.kind <> 'sync'
  ) AS c
  ASOF JOIN op_work() AS w ON w.track_id = c.track_id AND w.ts <= c.ts
  WHERE c.ts < w.ts + w.dur
  GROUP BY w.slice_id, c.device_id
),
-- When the last communication ends that began up to a time.
communication AS (
  SELECT DISTINCT
    trace_id, start_ns, max(end_ns) OVER (PARTITION BY trace_id ORDER BY start_ns) AS last_end_ns
  FROM collective_op()
  WHERE is_transfer
),
sized AS (
  SELECT
    o.slice_id, o.trace_id, o.device_id, o.name, o.data_type,
    o.busy_ns::DOUBLE AS dur_ns, o.flops::DOUBLE AS flops, o.bytes::DOUBLE AS bytes,
    coalesce(d.start_ts, w.ts) AS start_ts, coalesce(d.end_ts, w.ts + w.dur) AS end_ts
  FROM op_work_device() AS o
  JOIN op_work() AS w ON w.slice_id = o.slice_id
  LEFT JOIN device_work AS d ON d.slice_id = o.slice_id AND d.device_id = o.device_id
  WHERE o.flops IS NOT NULL AND o.bytes IS NOT NULL AND NOT o.is_repeated
),
beside AS (
  SELECT s.*, coalesce(c.last_end_ns > s.start_ts, false) AS is_beside_communication
  FROM sized AS s
  ASOF LEFT JOIN communication AS c ON c.trace_id = s.trace_id AND c.start_ns < s.end_ts
),
grouped AS (
  SELECT
    b.*, t.run_id, t.rank, nullif(v.name, '') AS device_name,
    concat_ws(' ', b.name, b.data_type, 'on', CASE WHEN b.device_id IS NULL THEN 'host' ELSE coalesce(nullif(v.name, ''), 'a device') END)
      || CASE WHEN b.is_beside_communication THEN ', beside communication' ELSE '' END AS model_group
  FROM beside AS b
  JOIN trace AS t ON t.id = b.trace_id
  LEFT JOIN device AS v ON v.id = b.device_id
)
SELECT
  slice_id,
  trace_id,
  run_id,
  rank,
  device_id,
  model_group,
  name,
  data_type,
  device_name,
  is_beside_communication,
  md5_number_lower(concat_ws(' ', flops, bytes)) % 5 = 0
    AND count(DISTINCT (flops, bytes)) OVER (PARTITION BY model_group) >= 10 AS is_held_out,
  dur_ns,
  flops,
  bytes
FROM grouped
ORDER BY slice_id, device_id
