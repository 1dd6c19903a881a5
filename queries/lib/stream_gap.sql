/* ---
name = "stream_gap"
version = 1
title = "Idle gaps of each stream, with their causes"
help = """
The rows of device_gap, all of them, by default those of streams.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["device_gap@7"] }
scale = "trace"
columns = [
  "trace_id", "device_id", "track_id", "stream", "start_ns", "end_ns", "gap_ns", "cause",
  "before_launch_ns", "blocked_ns", "in_launch_ns", "after_launch_ns", "inside_ns",
  "inside_before_launch_ns", "inside_blocked_ns", "inside_in_launch_ns", "inside_after_launch_ns",
  "next_op_id", "launch_id",
]

[param.per_device]
type = "BOOLEAN"
default = false
help = "Compute gaps of whole devices instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[column]
track_id = { nullable = true, help = "Track of the stream; NULL with per_device" }
stream.help = "Stream or queue number; NULL with per_device, or if not recorded"
start_ns.help = "End of the last of the earlier operations, on the time axis of slice.ts"
end_ns.help = "Start of the next operation"
launch_id.help = "Call that launched next_op_id"

inside_ns = { check = "> 0", help = "Part of the gap inside the time window" }
inside_before_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of before_launch_ns inside the time window" }
inside_blocked_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of blocked_ns inside the time window" }
inside_in_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of in_launch_ns inside the time window" }
inside_after_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of after_launch_ns inside the time window" }

[changes]
1 = "first version"
--- */
SELECT
  trace_id,
  device_id,
  track_id,
  stream,
  start_ns,
  end_ns,
  gap_ns,
  cause,
  before_launch_ns,
  blocked_ns,
  in_launch_ns,
  after_launch_ns,
  inside_ns,
  inside_before_launch_ns,
  inside_blocked_ns,
  inside_in_launch_ns,
  inside_after_launch_ns,
  next_op_id,
  launch_id
FROM device_gap($per_device::BOOLEAN, $short_ns::BIGINT, NULL)
