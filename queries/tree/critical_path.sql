/* ---
name = "critical_path"
version = 3
title = "Critical path of one step, or of a trace without steps"
help = """
A chain from the start of the step to its end, each part of which had to end for the next to
continue; shortening any part lets the step end sooner, until another chain is as long. The parts
add up to the length of the step: from its start on the host to its end there, or to the end of the
last device work launched in it if that is later.

Kinds: host, a working thread, split by its innermost slices; launch_delay, from the start of a call
to the start of its device work on a stream that was idle, or of its operation on an idle thread of a
communication library; device, kernels, copies and memsets; device_gap, from the end of work to the
start of the next on its stream; stream_wait, from the end of work that an event wait made the stream
wait for; sync, from the end of the work a call waited for to the end of the call, or from the end of
communication on the host to what went on after it; hand_over, between the threads of autograd and of
the forward pass.
critical_path_segment describes the algorithm. A time window chooses among the steps that run in it;
the path of a step is whole.
"""
grain = ["trace_id", "n"]
requires = { queries = ["critical_path_segment@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "range_id", "step", "n", "start_ns", "end_ns", "dur_ns", "share",
  "kind", "slice_id", "name", "track_id", "tid", "device", "stream",
]

[param.step]
type = "BIGINT"
nullable = true
help = "Step number; the first step that has it. NULL: the longest step of each trace, or the whole of a trace without steps"

[param.range_name]
type = "VARCHAR"
nullable = true
help = "Analyze the host annotations with this name, numbered from 0 in order of time, instead of steps"

[column]
range_id = { nullable = true, help = "Step or annotation; NULL: the whole trace" }
step.help = "Step number; NULL if the step has none"
n.help = "Position on the path, from 1"
start_ns.help = "Start of the part, on the time axis of slice.ts"
end_ns.help = "End of the part and start of the next one"
dur_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Duration of the part" }
share = { type = "DOUBLE", unit = "ratio", check = "between 0 and 1", help = "Duration / length of the step" }
kind.help = "host, launch_delay, device, device_gap, stream_wait, sync or hand_over"
name.help = "Name of the slice"
track_id.help = "Track of the thread or stream"
tid.help = "Thread number; NULL on a stream"
device.help = "Device of the stream; NULL on a thread"
stream.help = "Stream; NULL on a thread"

[column.slice_id]
nullable = true
help = "Slice that the time belongs to: for a delay or gap the work that began then, for a wait the call that waited; NULL on a host thread outside slices"

[changes]
3 = "also leads through communication on threads of the host"
2 = "traces without steps have a path over the whole trace"
1 = "first version"
--- */
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  p.range_id,
  p.step,
  row_number() OVER (PARTITION BY p.trace_id ORDER BY p.start_ns) AS n,
  p.start_ns,
  p.end_ns,
  p.end_ns - p.start_ns AS dur_ns,
  (p.end_ns - p.start_ns) / sum(p.end_ns - p.start_ns) OVER (PARTITION BY p.trace_id) AS share,
  p.kind,
  p.slice_id,
  s.name,
  p.track_id,
  h.tid,
  d.ordinal AS device,
  k.stream
FROM critical_path_segment($step::BIGINT, $range_name::VARCHAR) AS p
JOIN trace AS t ON t.id = p.trace_id
JOIN track AS k ON k.id = p.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN device AS d ON d.id = k.device_id
LEFT JOIN whole_slice AS s ON s.id = p.slice_id
ORDER BY t.run_id, p.trace_id, n
