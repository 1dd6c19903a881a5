/* ---
name = "idle_summary"
version = 1
title = "Idle time of each stream or device by cause"
help = """
Gaps between the first and the last operation of a stream, or of a device with per_device; idle_gap
says what the causes are and shows each gap.
"""
grain = ["trace_id", "device_id", "stream", "cause"]
requires = { schema = ">=1", queries = ["device_gap@1"] }
portable = false

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
name = "cause"
type = "VARCHAR"
unit = "text"
check = "IN ('host_sync', 'host', 'launch', 'stream_wait', 'kernel', 'other', 'unknown')"
help = "Why nothing ran"

[[column]]
name = "n_gaps"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Gaps"

[[column]]
name = "idle_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Their sum"

[[column]]
name = "idle_share"
type = "DOUBLE"
unit = "ratio"
check = "BETWEEN 0 AND 1"
help = "idle_ns of the idle time of the stream or device"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = "> 0"
help = "Median gap"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = "> 0"
help = "90th percentile of the gaps, interpolated"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Longest gap"

[[column]]
name = "before_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of idle_ns before the launching calls began; NULL without calls"

[[column]]
name = "blocked_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of before_launch_ns in which the launching threads waited for a device"

[[column]]
name = "in_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of idle_ns during the launching calls"

[[column]]
name = "after_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of idle_ns after the launching calls had returned"

[changes]
1 = "first version"
--- */
WITH summed AS (
  SELECT
    trace_id,
    device_id,
    stream,
    cause,
    count(*) AS n_gaps,
    sum(gap_ns)::BIGINT AS idle_ns,
    quantile_cont(gap_ns, [0.5, 0.9]) AS quantiles_ns,
    max(gap_ns) AS max_ns,
    sum(before_launch_ns)::BIGINT AS before_launch_ns,
    sum(blocked_ns)::BIGINT AS blocked_ns,
    sum(in_launch_ns)::BIGINT AS in_launch_ns,
    sum(after_launch_ns)::BIGINT AS after_launch_ns
  FROM device_gap($per_device::BOOLEAN, $short_ns::BIGINT, NULL)
  GROUP BY trace_id, device_id, stream, cause
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.stream,
  a.cause,
  a.n_gaps,
  a.idle_ns,
  a.idle_ns / sum(a.idle_ns) OVER (PARTITION BY a.trace_id, a.device_id, a.stream) AS idle_share,
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
  t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id, a.stream, a.idle_ns DESC, a.cause
