/* ---
name = "idle_summary"
version = 5
title = "Idle time by cause and place, per device or stream"
help = """
Gaps between the first and the last operation of a device, or of a stream without per_device. idle_gap
defines the causes and returns the single gaps. cpu_op, module and python tell where the launching threads were
for the longest part of that time before their calls returned, by the outermost operator; place_share is this
part of idle_ns. Without an operator they were outside of operators, in that Python function; without place_share
all calls had returned, or are not recorded. idle_place returns all places before calls. In a time window, sums are of the parts of the
gaps inside it, so disjoint windows add up to the whole; causes and other statistics are of whole gaps.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "cause"]
requires = { schema = ">=13", queries = ["stream_gap@1", "idle_host@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "cause", "n_gaps",
  "idle_ns", "idle_share", "median_ns", "p90_ns", "max_ns", "before_launch_ns", "blocked_ns",
  "in_launch_ns", "after_launch_ns", "cpu_op", "module", "python", "place_share",
]

[param.per_device]
type = "BOOLEAN"
default = true
help = "Return gaps of whole devices, with stream NULL, instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[column]
track_id = { nullable = true, help = "Track of the stream; NULL with per_device" }
n_gaps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of gaps" }
idle_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Sum of the gaps" }
idle_share = { nullable = false, help = "Share of the idle time of the stream or device" }
median_ns = { type = "DOUBLE", unit = "ns", check = "> 0", help = "Median gap" }
p90_ns = { type = "DOUBLE", unit = "ns", check = "> 0", help = "90th percentile of the gaps, interpolated" }
max_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Longest gap" }
before_launch_ns.help = "Part of idle_ns before the launching calls began; NULL without calls"
blocked_ns.help = "Part of before_launch_ns in which the launching threads waited for a device"
in_launch_ns.help = "Part of idle_ns during the launching calls"
after_launch_ns.help = "Part of idle_ns after the launching calls returned"
cpu_op.help = "Outermost operator that threads were longest in; NULL: none"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Module that called the operator; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the operator, or that threads were in outside of operators; NULL: not recorded" }
place_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Part of idle_ns in which threads were there; NULL: no time before calls returned" }

[changes]
5 = "cause other is unknown"
4 = "devices unless streams are asked for; operator, module and Python function that threads were longest in"
3 = "new cause communication, which was other"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
WITH summed AS (
  SELECT
    trace_id,
    device_id,
    track_id,
    stream,
    cause,
    count(*) AS n_gaps,
    sum(inside_ns)::BIGINT AS idle_ns,
    quantile_cont(gap_ns, [0.5, 0.9]) AS quantiles_ns,
    max(gap_ns) AS max_ns,
    sum(inside_before_launch_ns)::BIGINT AS before_launch_ns,
    sum(inside_blocked_ns)::BIGINT AS blocked_ns,
    sum(inside_in_launch_ns)::BIGINT AS in_launch_ns,
    sum(inside_after_launch_ns)::BIGINT AS after_launch_ns
  FROM stream_gap($per_device::BOOLEAN, $short_ns::BIGINT)
  GROUP BY trace_id, device_id, track_id, stream, cause
),
place AS (
  SELECT
    trace_id, device_id, stream_track_id, cause, name AS cpu_op, module, python,
    sum(inside_ns)::BIGINT AS place_ns
  FROM idle_host($per_device::BOOLEAN, $short_ns::BIGINT, true)
  WHERE inside_ns > 0
  GROUP BY trace_id, device_id, stream_track_id, cause, name, module, python
  QUALIFY row_number() OVER (
    PARTITION BY trace_id, device_id, stream_track_id, cause
    ORDER BY sum(inside_ns) DESC, name NULLS LAST, module NULLS LAST, python NULLS LAST
  ) = 1
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.track_id,
  a.stream,
  a.cause,
  a.n_gaps,
  a.idle_ns,
  a.idle_ns / sum(a.idle_ns) OVER (
    PARTITION BY a.trace_id, a.device_id, a.track_id, a.stream
  ) AS idle_share,
  a.quantiles_ns[1] AS median_ns,
  a.quantiles_ns[2] AS p90_ns,
  a.max_ns,
  a.before_launch_ns,
  a.blocked_ns,
  a.in_launch_ns,
  a.after_launch_ns,
  p.cpu_op,
  p.module,
  p.python,
  p.place_ns / a.idle_ns AS place_share
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
LEFT JOIN place AS p
  ON p.trace_id = a.trace_id
  AND p.device_id IS NOT DISTINCT FROM a.device_id
  AND p.stream_track_id IS NOT DISTINCT FROM a.track_id
  AND p.cause = a.cause
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id, a.idle_ns DESC, a.cause
