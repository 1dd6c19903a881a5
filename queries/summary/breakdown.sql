/* ---
name = "breakdown"
version = 1
title = "Compute, exposed communication, exposed memory and idle time of each device"
help = """
Every instant from the start of the first operation of a device to the end of its last belongs to
exactly one of the four parts, so they add up to the span. Compute comes first: communication is
exposed where no compute kernel hides it, a copy or memset where neither does.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=1", queries = ["device_activity@1"] }

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
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the device's first operation to the end of its last"

[[column]]
name = "compute_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A compute kernel runs"

[[column]]
name = "exposed_communication_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Communication runs and compute does not"

[[column]]
name = "exposed_memory_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "A copy or a memset runs, and neither compute nor communication does"

[[column]]
name = "idle_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Nothing runs"

[[column]]
name = "compute_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "compute_ns / span_ns"

[[column]]
name = "exposed_communication_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_communication_ns / span_ns"

[[column]]
name = "exposed_memory_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "exposed_memory_ns / span_ns"

[[column]]
name = "idle_share"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "idle_ns / span_ns"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.device_id,
  d.ordinal AS device,
  a.end_ns - a.start_ns AS span_ns,
  a.compute_ns,
  a.exposed_communication_ns,
  a.exposed_memory_ns,
  a.end_ns - a.start_ns - a.busy_ns AS idle_ns,
  a.compute_ns / nullif(a.end_ns - a.start_ns, 0) AS compute_share,
  a.exposed_communication_ns / nullif(a.end_ns - a.start_ns, 0) AS exposed_communication_share,
  a.exposed_memory_ns / nullif(a.end_ns - a.start_ns, 0) AS exposed_memory_share,
  (a.end_ns - a.start_ns - a.busy_ns) / nullif(a.end_ns - a.start_ns, 0) AS idle_share
FROM device_activity() AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN device AS d ON d.id = a.device_id
ORDER BY t.run_id, t.rank, a.trace_id, d.ordinal, a.device_id
