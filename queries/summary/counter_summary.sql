/* ---
name = "counter_summary"
version = 1
title = "Each counter of the timeline: how low, how high, and its mean over time"
help = """
Counters are values over time, such as the metrics Nsight Systems samples of a GPU; hardware counters
of single kernels are in counter_range and counter_by_op. A value holds until the next one of its
track; the last one holds for no time. mean_value weighs values by how long they hold, as the area
below the line, by span_ns; where all values are at one instant it is their plain mean. What was no
number is not counted.
"""
grain = ["trace_id", "track_id"]
requires = { schema = ">=1" }

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
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The counter's track"

[[column]]
name = "process"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the process it is of; NULL: of none"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the device it is of, as the source counts; NULL: of none"

[[column]]
name = "counter"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "value_unit"
type = "VARCHAR"
unit = "text"
nullable = true
help = "What its values are in, as the source says; NULL: it does not say"

[[column]]
name = "n_values"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Values"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Time of the first value, on the scale of slice.ts"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the first value to the last"

[[column]]
name = "min_value"
type = "DOUBLE"
unit = "see value_unit"
help = "The lowest"

[[column]]
name = "mean_value"
type = "DOUBLE"
unit = "see value_unit"
help = "Mean over time"

[[column]]
name = "max_value"
type = "DOUBLE"
unit = "see value_unit"
help = "The highest"

[[column]]
name = "max_start_ns"
type = "BIGINT"
unit = "ns"
help = "When it was highest first, on the scale of slice.ts"

[[column]]
name = "last_value"
type = "DOUBLE"
unit = "see value_unit"
help = "The last"

[changes]
1 = "first version"
--- */
WITH held AS (
  SELECT
    trace_id,
    track_id,
    id,
    ts,
    value,
    coalesce(lead(ts) OVER (PARTITION BY trace_id, track_id ORDER BY ts, id) - ts, 0) AS held_ns,
    row_number() OVER (PARTITION BY trace_id, track_id ORDER BY ts DESC, id DESC) AS place
  FROM counter
  WHERE value IS NOT NULL
),
figure AS (
  SELECT
    trace_id,
    track_id,
    count(*) AS n_values,
    min(ts) AS start_ns,
    max(ts) - min(ts) AS span_ns,
    min(value) AS min_value,
    max(value) AS max_value,
    max(CASE WHEN place = 1 THEN value END) AS last_value,
    -- Added in one order, so that the last digits do not depend on how threads share the work
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
