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
-- An operation that starts after all before it have ended begins a new interval; the running count
-- of such starts numbers the intervals.
WITH op AS (
  SELECT trace_id, device_id, start_ns, end_ns
  FROM device_op()
  WHERE end_ns > start_ns
),
marked AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    CASE
      WHEN start_ns <= max(end_ns) OVER (
        PARTITION BY trace_id, device_id
        ORDER BY start_ns, end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) THEN 0
      ELSE 1
    END AS is_first
  FROM op
),
numbered AS (
  SELECT
    trace_id,
    device_id,
    start_ns,
    end_ns,
    sum(is_first) OVER (
      PARTITION BY trace_id, device_id
      ORDER BY start_ns, end_ns, is_first DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS number
  FROM marked
)
SELECT
  trace_id,
  device_id,
  min(start_ns) AS start_ns,
  max(end_ns) AS end_ns
FROM numbered
GROUP BY trace_id, device_id, number
ORDER BY trace_id, device_id, start_ns
