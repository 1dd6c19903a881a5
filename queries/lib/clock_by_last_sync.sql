/* ---
name = "clock_by_last_sync"
version = 1
title = "Clock offsets of `tw link --clock last_sync`: the last Sync of each host ends at one time"
help = """
Of the ranks of a host, the mean time at which the last Sync of Horovod ended is that of the first host,
by name: dPRO's mode 0. Hosts without a Sync have no offset.
"""
grain = ["trace_id"]
requires = { schema = ">=17", queries = ["dpro_event@1"] }
scale = "run"
columns = ["trace_id", "offset_ns", "uncertainty_ns", "method", "drift"]

[param.run_id]
type = "BIGINT"
help = "Run whose clocks to compare"

[column]
drift.help = "Always NULL"

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset to add to the trace's clock; NULL: no Sync"

[column.method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "last sync; NULL: no Sync"

[changes]
1 = "first version"
--- */
WITH last_sync AS (
  SELECT e.trace_id, arg_max(t.base_ns + s.ts + e.dur_ns, (s.ts, e.slice_id)) AS end_ns
  FROM dpro_event() AS e
  JOIN whole_collective AS s ON s.slice_id = e.slice_id
  JOIN trace AS t ON t.id = e.trace_id
  WHERE e.stage = 'Sync' AND t.run_id = $run_id::BIGINT
  GROUP BY e.trace_id
),
host AS (
  SELECT t.host_name, avg(s.end_ns) AS end_ns
  FROM last_sync AS s
  JOIN trace AS t ON t.id = s.trace_id
  GROUP BY t.host_name
),
placed AS (
  SELECT host_name, round(first_value(end_ns) OVER (ORDER BY host_name) - end_ns)::BIGINT AS offset_ns
  FROM host
)
SELECT
  t.id AS trace_id,
  h.offset_ns,
  NULL::BIGINT AS uncertainty_ns,
  CASE WHEN h.offset_ns IS NOT NULL THEN 'last sync' END AS method,
  NULL::DOUBLE AS drift
FROM trace AS t
LEFT JOIN placed AS h ON h.host_name IS NOT DISTINCT FROM t.host_name
WHERE t.run_id = $run_id::BIGINT AND t.kind = 'timeline'
ORDER BY trace_id
