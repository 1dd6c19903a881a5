/* ---
name = "idle_gap"
version = 4
title = "Idle gaps per stream or device, with the cause and the launch that ended each"
help = """
A gap lasts from the end of all earlier operations to the start of the next one, so the gaps of a
stream add up to its idle time between its first and last operation. The idle cause is derived from
the call that launched the next operation:

- host_sync: the call began after the stream ran dry, and its thread was in a call that waits for
  the device when the gap began, or for more than half of the time until the call.
- host: the call began after the stream ran dry, for any other reason.
- launch: the call was in progress when the gap began.
- stream_wait: the call had returned, its thread had made the stream wait (for an event) since its
  previous launch, and work of another stream ended during the gap.
- kernel: the call had returned, and the gap is at most short_ns, the time the device needs between
  operations.
- communication: the call had returned, and communication on another stream of the device ended
  during the gap.
- unknown: the call had returned, and no other cause applies; or the call is not recorded, so that
  before_launch_ns is NULL.

Operations of one call follow each other without a new launch. If the source records which stream a
wait applies to, only waits of the stream itself count. Longest gaps first.

Gaps and causes are those of the whole trace; a time window contains the gaps that reach into it,
whole.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["device_gap@7"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "start_ns", "end_ns",
  "gap_ns", "cause", "before_launch_ns", "blocked_ns", "in_launch_ns", "after_launch_ns",
  "next_op_id", "launch_id", "next_op", "launch",
]

[param.per_device]
type = "BOOLEAN"
default = false
help = "Return gaps of whole devices instead of streams, with stream NULL"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[param.top]
type = "BIGINT"
unit = "count"
default = 1000
nullable = true
min = 1
help = "Maximum number of gaps per device, longest first; null: all"

[column]
track_id = { nullable = true, help = "Track of the stream; NULL with per_device" }
start_ns.help = "End of the last of the earlier operations, on the time axis of slice.ts"
end_ns.help = "Start of the next operation"
launch_id.help = "Call that launched next_op_id"
next_op = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the operation that ended the gap" }
launch = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of the launching call" }

[changes]
4 = "cause other is unknown"
3 = "new cause communication, which was other"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
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
  --+ , a.n_without_top
FROM device_gap($per_device::BOOLEAN, $short_ns::BIGINT, $top::BIGINT) AS a
JOIN trace AS t ON t.id = a.trace_id
JOIN whole_gpu_op AS g ON g.slice_id = a.next_op_id
LEFT JOIN whole_launch AS l ON l.slice_id = a.launch_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.gap_ns DESC, a.start_ns, a.stream, a.track_id
