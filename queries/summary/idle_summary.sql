/* ---
name = "idle_summary"
version = 3
title = "Idle time per stream or device by cause"
help = """
Gaps between the first and the last operation of a stream, or of a device with per_device. idle_gap
defines the causes and returns the single gaps. In a time window, sums are of the parts of the gaps
inside it, so disjoint windows add up to the whole; causes and other statistics are of whole gaps.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "cause"]
requires = { schema = ">=1", queries = ["device_gap@4"] }
portable = false
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "track_id", "stream", "cause", "n_gaps",
  "idle_ns", "idle_share", "median_ns", "p90_ns", "max_ns", "before_launch_ns", "blocked_ns",
  "in_launch_ns", "after_launch_ns",
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

[changes]
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
  FROM device_gap($per_device::BOOLEAN, $short_ns::BIGINT, NULL)
  GROUP BY trace_id, device_id, track_id, stream, cause
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
  a.after_launch_ns
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.track_id, a.idle_ns DESC, a.cause
