/* ---
name = "device_busy"
version = 1
title = "Intervals in which a device is busy"
help = """
The union of the operations of a device: adjacent and overlapping operations are joined and empty
ones dropped, so the intervals of a device are disjoint and not adjacent.
"""
grain = ["trace_id", "device_id", "start_ns"]
requires = { schema = ">=1", queries = ["device_op@1"] }
scale = "trace"
computed_once = "reports"
columns = ["trace_id", "device_id", "start_ns", "end_ns"]

[column]
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End; after the start"

[changes]
1 = "first version"
--- */
-- An operation that starts after all before it have ended begins a new interval, and these end the
-- interval before.
WITH op AS (
  SELECT trace_id, device_id, start_ns, end_ns
  FROM device_op()
  WHERE end_ns > start_ns
),
reach AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    max(end_ns) OVER (
      PARTITION BY trace_id, device_id
      ORDER BY start_ns, end_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM op
),
opening AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    lead(reach_ns) OVER (PARTITION BY trace_id, device_id ORDER BY start_ns) AS end_ns
  FROM reach
  WHERE reach_ns IS NULL OR start_ns > reach_ns
),
latest AS (
  SELECT trace_id, device_id, max(end_ns) AS end_ns
  FROM op
  GROUP BY trace_id, device_id
)
SELECT f.trace_id, f.device_id, f.start_ns, coalesce(f.end_ns, l.end_ns) AS end_ns
FROM opening AS f
JOIN latest AS l ON l.trace_id = f.trace_id AND l.device_id IS NOT DISTINCT FROM f.device_id
ORDER BY f.trace_id, f.device_id, f.start_ns
