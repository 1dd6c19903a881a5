/* ---
name = "launched_op"
version = 1
title = "Device work with the call that launched it"
help = """
Kernels, copies and memsets, inside and outside of the time window. Work without a recorded launch is in,
with no call.
"""
grain = ["slice_id", "launch_id"]
requires = { schema = ">=1" }
scale = "trace"
computed_once = "reports"
columns = [
  "slice_id", "trace_id", "track_id", "device_id", "stream", "kind", "ts", "dur", "launch_id",
  "call_track_id", "call_ts", "call_dur",
]

[column]
slice_id.help = "Kernel, copy or memset"
track_id.help = "Track of the work"
kind.help = "kernel, memcpy or memset"
ts.help = "Start of the work, on the time axis of slice.ts"
dur = { type = "BIGINT", unit = "ns", help = "Duration of the work as in the source, also if invalid; -1: did not end" }
launch_id.help = "Call that launched it; NULL: none is known"
call_track_id = { type = "BIGINT", unit = "ref track.id", nullable = true, help = "Track of the call" }
call_ts = { type = "BIGINT", unit = "ns", nullable = true, help = "Start of the call; NULL: it is not recorded" }
call_dur = { type = "BIGINT", unit = "ns", nullable = true, help = "Duration of the call as in the source" }

[changes]
1 = "first version"
--- */
SELECT
  g.slice_id,
  g.trace_id,
  g.track_id,
  g.device_id,
  g.stream,
  g.kind,
  g.ts,
  g.dur,
  k.from_id AS launch_id,
  l.track_id AS call_track_id,
  l.ts AS call_ts,
  l.dur AS call_dur
FROM whole_gpu_op AS g
LEFT JOIN whole_link AS k
  ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
LEFT JOIN whole_launch AS l ON l.slice_id = k.from_id
WHERE g.kind <> 'sync'
