/* ---
name = "device_sample"
version = 1
title = "Recorded operators with their size by the peak rates of their device, for a cost model"
help = """
Operators of operator_sample on devices whose peak rates are known (device_peak), without those beside communication:
the time that their operations and their traffic would take at the peaks. A line of a model is of an operator and data
type on all devices, so it predicts others by their peaks. Of groups with ten sizes or more, about a fifth of the
sizes is held out, to test a model.
"""
grain = ["slice_id", "device_id"]
requires = { schema = ">=13", queries = ["device_peak@1", "operator_sample@1"] }
scale = "trace"
columns = [
  "slice_id", "trace_id", "run_id", "rank", "device_id", "model_group", "device_name", "is_held_out", "dur_ns", "flops_ns", "bytes_ns",
]

[column]
slice_id.help = "Operator"
device_id = { nullable = false, help = "Device" }
model_group = { type = "VARCHAR", unit = "text", help = "What has a line of its own: operator and data type" }
device_name.help = "Model of the device; NULL: not recorded"
is_held_out = { type = "BOOLEAN", unit = "bool", help = "Whether a model is tested with it, not fitted to it" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of its device work" }
flops_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of its operations at the peak rate of their type" }
bytes_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time of its minimum traffic at the bandwidth of the memory" }

[changes]
1 = "first version"
--- */
WITH sized AS (
  SELECT
    s.slice_id, s.trace_id, s.run_id, s.rank, s.device_id, concat_ws(' ', s.name, s.data_type) AS model_group, s.device_name,
    s.dur_ns, s.flops * 1e9 / p.flops_per_s AS flops_ns, s.bytes * 1e9 / p.bytes_per_s AS bytes_ns, s.flops, s.bytes
  FROM operator_sample() AS s
  JOIN device_peak() AS p ON p.device_id = s.device_id AND p.data_type = s.data_type
  WHERE NOT s.is_beside_communication AND p.flops_per_s > 0 AND p.bytes_per_s > 0
)
SELECT
  slice_id,
  trace_id,
  run_id,
  rank,
  device_id,
  model_group,
  device_name,
  md5_number_lower(concat_ws(' ', flops, bytes)) % 5 = 0
    AND count(DISTINCT (flops, bytes)) OVER (PARTITION BY model_group) >= 10 AS is_held_out,
  dur_ns,
  flops_ns,
  bytes_ns
FROM sized
ORDER BY slice_id, device_id
