/* ---
name = "counter_summary"
version = 1
title = "Timeline counters: minimum, maximum and time-weighted mean"
help = """
Counters are values over time, such as GPU metrics sampled by Nsight Systems; hardware counters of
single kernels are in counter_range and counter_by_op. A value lasts until the next one of its
track; the last one has no duration. mean_value weights values by their duration, divided by
span_ns; if all values are at one instant it is their plain mean. Values that are not numbers are
excluded. A time window begins with the value that holds at its start, and ends within the last one.
"""
grain = ["trace_id", "track_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "track_id", "process", "device", "counter", "value_unit",
  "n_values", "start_ns", "span_ns", "min_value", "mean_value", "max_value", "max_start_ns",
  "last_value",
]

[column]
track_id.help = "Counter track"
process = { type = "VARCHAR", unit = "text", nullable = true, help = "Process name; NULL: no process" }
device.help = "Device number, as recorded; NULL: no device"
counter = { nullable = true, help = "Counter name" }
n_values = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of values" }
start_ns.help = "Time of the first value, on the time axis of slice.ts"
span_ns.help = "Time from the first value to the last"
min_value = { type = "DOUBLE", unit = "see value_unit", help = "Lowest value" }
mean_value = { type = "DOUBLE", unit = "see value_unit", help = "Time-weighted mean" }
max_value = { type = "DOUBLE", unit = "see value_unit", help = "Highest value" }
max_start_ns = { type = "BIGINT", unit = "ns", help = "Time of the first maximum, on the time axis of slice.ts" }
last_value = { type = "DOUBLE", unit = "see value_unit", help = "Last value" }

[column.value_unit]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Unit of the values, as recorded; NULL: not recorded"

[changes]
1 = "first version"
--- */
WITH every AS (
  SELECT
    trace_id,
    track_id,
    id,
    ts,
    value,
    coalesce(lead(ts) OVER (PARTITION BY trace_id, track_id ORDER BY ts, id), ts) AS end_ns
  FROM whole_counter
  WHERE value IS NOT NULL
),
held AS (
  SELECT
    e.trace_id,
    e.track_id,
    e.id,
    greatest(e.ts, w.from_ns) AS ts,
    e.value,
    least(e.end_ns, w.to_ns) - greatest(e.ts, w.from_ns) AS held_ns,
    row_number() OVER (PARTITION BY e.trace_id, e.track_id ORDER BY e.ts DESC, e.id DESC) AS place
  FROM every AS e
  CROSS JOIN time_window AS w
  WHERE e.ts < w.to_ns
    AND (e.ts >= w.from_ns OR e.end_ns > w.from_ns)
),
figure AS (
  SELECT
    trace_id,
    track_id,
    count(*) AS n_values,
    min(ts) AS start_ns,
    sum(held_ns)::BIGINT AS span_ns,
    min(value) AS min_value,
    max(value) AS max_value,
    max(CASE WHEN place = 1 THEN value END) AS last_value,
    -- A fixed order keeps the last digits independent of the number of threads.
    sum(value * held_ns ORDER BY ts, id) AS area,
    sum(value ORDER BY ts, id) AS total
  FROM held
  GROUP BY trace_id, track_id
),
highest AS (
  SELECT h.trace_id, h.track_id, min(h.ts) AS max_start_ns
  FROM held AS h
  JOIN figure AS f
    ON f.trace_id = h.trace_id AND f.track_id = h.track_id AND f.max_value = h.value
  GROUP BY h.trace_id, h.track_id
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.track_id,
  p.name AS process,
  d.ordinal AS device,
  k.name AS counter,
  k.unit AS value_unit,
  f.n_values,
  f.start_ns,
  f.span_ns,
  f.min_value,
  CASE WHEN f.span_ns > 0 THEN f.area / f.span_ns ELSE f.total / f.n_values END AS mean_value,
  f.max_value,
  h.max_start_ns,
  f.last_value
FROM figure AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN track AS k ON k.id = f.track_id
JOIN highest AS h ON h.trace_id = f.trace_id AND h.track_id = f.track_id
LEFT JOIN process AS p ON p.id = k.process_id
LEFT JOIN device AS d ON d.id = k.device_id
ORDER BY t.run_id, t.rank, f.trace_id, d.ordinal, k.name, f.track_id
