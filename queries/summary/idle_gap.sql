/* ---
name = "idle_gap"
version = 1
title = "Every gap of each stream or device, with its cause and the launch that ended it"
help = """
A gap is the time from when all earlier operations have ended until the next one starts, so the gaps
of a stream add up to its idle time between its first and its last operation. What ended it is the
next operation, and the call that launched that tells the cause:
host_sync: it began after the stream had run dry, and its thread was in a call that waits for the
device when the gap began, or for more than half of the time until the call; host: it began after the
stream had run dry, for any other reason; launch: it was under way when the gap began; stream_wait:
it had returned, its thread had told the stream to wait (for an event) since its launch before, and
work of another stream ended during the gap; kernel: it had returned, and the gap is not longer than
short_ns, which the device needs from one operation to the next; other: it had returned, and no
reason is known; unknown: no call is known. Operations of one call follow each other without a new
launch. Where the source says which stream a wait is for, only waits of the stream itself count.
Rows come by length, longest first.
"""
grain = ["trace_id", "device_id", "stream", "start_ns"]
portable = false
requires = { schema = ">=1", queries = ["device_gap@1"] }

[param.per_device]
type = "BOOLEAN"
default = false
help = "Gaps of whole devices instead of streams; stream is NULL then"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "A gap that is not longer, and was not caused by the host, is the device's own pace"

[param.top]
type = "BIGINT"
unit = "count"
default = 1000
nullable = true
min = 1
help = "Only so many gaps of each device; null: all"

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
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue, as the source counts"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "When the last of the earlier operations ended, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "When the next one started"

[[column]]
name = "gap_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Length"

[[column]]
name = "cause"
type = "VARCHAR"
unit = "text"
check = "IN ('host_sync', 'host', 'launch', 'stream_wait', 'kernel', 'other', 'unknown')"
help = "Why nothing ran"

[[column]]
name = "before_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap before the launching call began; NULL without a call"

[[column]]
name = "blocked_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of before_launch_ns in which the launching thread waited for a device"

[[column]]
name = "in_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap during the launching call"

[[column]]
name = "after_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap after the launching call had returned"

[[column]]
name = "next_op_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The operation that ended the gap"

[[column]]
name = "launch_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The call that launched it"

[[column]]
name = "next_op"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the operation that ended the gap"

[[column]]
name = "launch"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the call"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  a.start_ns,
  a.end_ns,
  a.gap_ns,
  a.cause,
  a.before_launch_ns,
  a.blocked_ns,
  a.in_launch_ns,
  a.after_launch_ns,
  a.next_op_id,
  a.launch_id,
  g.name AS next_op,
  l.name AS launch
FROM device_gap($per_device::BOOLEAN, $short_ns::BIGINT, $top::BIGINT) AS a
JOIN trace AS t ON t.id = a.trace_id
JOIN gpu_op AS g ON g.slice_id = a.next_op_id
LEFT JOIN launch AS l ON l.slice_id = a.launch_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.gap_ns DESC, a.start_ns, a.stream
