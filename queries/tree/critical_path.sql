/* ---
name = "critical_path"
version = 1
title = "The critical path of one step: what each moment of it waited for"
help = """
A chain from the start of the step to its end, each part of which had to end for the next to go on;
shortening any part would have let the step end sooner, until another chain is as long. The parts
add up to the step's length: from its start on the host to its end there, or to the end of the last
device work launched in it, if that is later.

Kinds: host, a thread at work, part by part of its innermost slices; launch_delay, from the start of
a call to the start of its device work, on a stream that was idle; device, kernels, copies and
memsets; device_gap, between the ends of work and the start of the next on its stream; stream_wait,
from the end of work that an event wait made the stream wait for; sync, from the end of the work that
a call waited for to the end of the call; hand_over, between autograd's threads and that of the
forward pass. How the chain is found says critical_path_segment.
"""
grain = ["trace_id", "n"]
portable = false
requires = { queries = ["critical_path_segment@1"] }

[param.step]
type = "BIGINT"
nullable = true
help = "Number of the step; of several with this number, the first. NULL: the longest of each trace"

[param.range_name]
type = "VARCHAR"
nullable = true
help = "Instead of steps: the host annotations of this name, numbered from 0 in order of time"

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
help = "Rank of the trace"

[[column]]
name = "range_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step, or the annotation"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its number; NULL where the step has none"

[[column]]
name = "n"
type = "BIGINT"
unit = "count"
check = ">= 1"
help = "Place on the path, from 1"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the part, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "Its end; the next part starts there"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Its length"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "Its length / the step's"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "host, launch_delay, device, device_gap, stream_wait, sync or hand_over"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Whose time it is: of a delay or gap the work that then began, of a wait the call that waited; NULL on a host thread outside of all slices"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "That slice's name"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The thread or stream it is on"

[[column]]
name = "tid"
type = "BIGINT"
unit = "count"
nullable = true
help = "The thread's number; NULL on a stream"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The stream's device; NULL on a thread"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "The stream; NULL on a thread"

[changes]
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
LEFT JOIN slice AS s ON s.id = p.slice_id
ORDER BY t.run_id, p.trace_id, n
