/* ---
name = "pace"
version = 1
title = "Progress of ranks through the iterations of a step, range, operator or kernel"
help = """
Each occurrence of the name, numbered in each trace and device: its duration, the time since the one before it
began, and since the first. Without a name they are the steps. behind_ns is how much longer than the fastest
rank of the run a rank took from its first occurrence to this one, so it needs no common clock; it grows on ranks that
fall behind, and stays where ranks wait for each other. A time window contains the occurrences that run in
it, with the numbers they have without it.
"""
scale = "run"
needs = "steps, or the name of what is recorded: -p name=NAME"
grain = ["trace_id", "kind", "device_id", "iteration"]
requires = { schema = ">=1", queries = ["named_occurrence@1"] }
columns = [
  "run_id", "trace_id", "rank", "kind", "device_id", "device", "iteration", "slice_id", "start_ns",
  "dur_ns", "interval_ns", "elapsed_ns", "behind_ns",
]

[param.name]
type = "VARCHAR"
nullable = true
help = "Name of a range, operator or kernel, as recorded; NULL: steps"

[column]
kind = { check = "IN ('step', 'range', 'operator', 'kernel')", help = "step, range, operator or kernel" }
device_id.help = "Device of a kernel; NULL: on the host, or not recorded"
device.help = "Device number, as recorded; NULL: on the host"
iteration = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of the occurrence on the rank" }
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration"
interval_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Time since the occurrence before it began; NULL: the first" }
elapsed_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time since the first occurrence began" }
behind_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "elapsed_ns beyond that of the fastest rank of the run" }

[changes]
1 = "first version"
--- */
WITH timed AS (
  SELECT
    *,
    start_ns - lag(start_ns) OVER in_order AS interval_ns,
    start_ns - min(start_ns) OVER (PARTITION BY trace_id, kind, device_id) AS elapsed_ns
  FROM named_occurrence($name::VARCHAR)
  WINDOW in_order AS (PARTITION BY trace_id, kind, device_id ORDER BY iteration)
),
compared AS (
  SELECT
    o.*,
    t.run_id,
    t.rank,
    o.elapsed_ns - min(o.elapsed_ns) OVER (PARTITION BY t.run_id, o.kind, o.iteration) AS behind_ns
  FROM timed AS o
  JOIN trace AS t ON t.id = o.trace_id
)
SELECT
  c.run_id,
  c.trace_id,
  c.rank,
  c.kind,
  c.device_id,
  d.ordinal AS device,
  c.iteration,
  c.slice_id,
  c.start_ns,
  c.dur_ns,
  c.interval_ns,
  c.elapsed_ns,
  c.behind_ns
FROM compared AS c
SEMI JOIN slice AS s ON s.id = c.slice_id
LEFT JOIN device AS d ON d.id = c.device_id
ORDER BY c.run_id, c.kind, c.iteration, c.rank, c.trace_id, d.ordinal, c.device_id
