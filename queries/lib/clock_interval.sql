/* ---
name = "clock_interval"
version = 1
title = "Bounds of the offset between two clocks, derived from collectives"
help = """
No rank can leave an all_reduce, all_gather, reduce_scatter, all_to_all or barrier before the last
has entered it. For every such collective, the offset to add to the other rank's clock therefore
lies between (start on the lowest rank - end on the other) and (end on the lowest rank - start on
the other). A send and its recv bound one side, because nothing is received before it is sent. The
interval is the intersection over all collectives of the two ranks. It is empty (is_contradictory)
if the clocks drift or a link or time is wrong.

If it is empty and there are many collectives, the drift is the change of the median difference of
ends from the first third of them to the last, and the interval is that of the offset at the base of
the other clock with the drift removed. Links of confidence 0.5 and below only count if there are no
others.
"""
grain = ["hub_trace_id", "trace_id"]
requires = { schema = ">=1", queries = ["collective_pair@1"] }
columns = [
  "run_id", "hub_trace_id", "trace_id", "n_collectives", "lower_ns", "upper_ns", "median_ns",
  "drift", "is_contradictory",
]

[column]
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the lower rank" }
trace_id.help = "Trace of the other rank"
n_collectives.help = "Number of collectives that bound the offset"
drift.help = "Nanoseconds to add per nanosecond since the base of the other trace; NULL: no drift needed, or none fits"

[column.lower_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Lower bound of the offset to add to the other clock; NULL: unbounded"

[column.upper_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Upper bound of the offset to add to the other clock; NULL: unbounded"

[column.median_ns]
type = "BIGINT"
unit = "ns"
help = "Median over the collectives of the end on the lower rank minus the end on the other"

[column.is_contradictory]
type = "BOOLEAN"
unit = "bool"
help = "Whether no offset fits all collectives: lower_ns is above upper_ns"

[changes]
1 = "first version"
--- */
WITH bound AS (
  SELECT
    p.run_id,
    p.hub_trace_id,
    p.trace_id,
    p.end_ns - t.base_ns AS end_ts,
    p.start_ns - t.base_ns AS start_ts,
    CASE WHEN p.is_synchronizing OR p.is_from_hub THEN p.hub_start_ns - p.end_ns END AS lower_ns,
    CASE WHEN p.is_synchronizing OR NOT p.is_from_hub THEN p.hub_end_ns - p.start_ns END
      AS upper_ns,
    p.hub_end_ns - p.end_ns AS between_ends_ns,
    p.confidence > 0.5 AS is_sure,
    bool_or(p.confidence > 0.5) OVER (PARTITION BY p.hub_trace_id, p.trace_id) AS has_sure
  FROM collective_pair() AS p
  JOIN trace AS t ON t.id = p.trace_id
  WHERE p.is_synchronizing OR p.is_from_hub IS NOT NULL
),
used AS (
  SELECT
    *,
    ntile(3) OVER (PARTITION BY hub_trace_id, trace_id ORDER BY end_ts, between_ends_ns) AS third
  FROM bound
  WHERE is_sure = has_sure
),
without_drift AS (
  SELECT
    run_id,
    hub_trace_id,
    trace_id,
    count(*) AS n_collectives,
    max(lower_ns) AS lower_ns,
    min(upper_ns) AS upper_ns,
    median(between_ends_ns) AS median_ns,
    CASE WHEN max(lower_ns) > min(upper_ns) AND count(*) >= 9 THEN
      (
        median(CASE WHEN third = 3 THEN between_ends_ns END)
        - median(CASE WHEN third = 1 THEN between_ends_ns END)
      ) / nullif(
        median(CASE WHEN third = 3 THEN end_ts END) - median(CASE WHEN third = 1 THEN end_ts END),
        0
      )
    END AS slope
  FROM used
  GROUP BY run_id, hub_trace_id, trace_id
),
drifting AS (
  SELECT
    u.hub_trace_id,
    u.trace_id,
    max(u.lower_ns - (s.slope * u.end_ts)::BIGINT) AS lower_ns,
    min(u.upper_ns - (s.slope * u.start_ts)::BIGINT) AS upper_ns,
    median(u.between_ends_ns - (s.slope * u.end_ts)::BIGINT) AS median_ns
  FROM used AS u
  JOIN without_drift AS s ON s.hub_trace_id = u.hub_trace_id AND s.trace_id = u.trace_id
  WHERE s.slope IS NOT NULL
  GROUP BY u.hub_trace_id, u.trace_id
)
SELECT
  s.run_id,
  s.hub_trace_id,
  s.trace_id,
  s.n_collectives,
  CASE WHEN d.lower_ns <= d.upper_ns THEN d.lower_ns ELSE s.lower_ns END AS lower_ns,
  CASE WHEN d.lower_ns <= d.upper_ns THEN d.upper_ns ELSE s.upper_ns END AS upper_ns,
  floor(CASE WHEN d.lower_ns <= d.upper_ns THEN d.median_ns ELSE s.median_ns END)::BIGINT
    AS median_ns,
  CASE WHEN d.lower_ns <= d.upper_ns THEN s.slope END AS drift,
  coalesce(s.lower_ns > s.upper_ns AND NOT coalesce(d.lower_ns <= d.upper_ns, false), false)
    AS is_contradictory
FROM without_drift AS s
LEFT JOIN drifting AS d ON d.hub_trace_id = s.hub_trace_id AND d.trace_id = s.trace_id
ORDER BY s.run_id, s.hub_trace_id, s.trace_id
