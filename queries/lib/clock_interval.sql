/* ---
name = "clock_interval"
version = 3
title = "Bounds of the offset between two clocks, derived from collectives"
help = """
No rank can leave an all_reduce, all_gather, reduce_scatter, all_to_all or barrier before the last
has entered it. For every such collective, the offset to add to the other rank's clock therefore
lies between (start on the lowest rank - end on the other) and (end on the lowest rank - start on
the other). A send and its recv bound one side, because nothing is received before it is sent.

Clocks drift by at most 100 ppm, so each of these bounds holds at its own time, and the offset is a
line with a slope of at most 100 ppm between all bounds. The line may be any that fits; the columns
give the range of these lines at the base of the other trace and at the begin and end of what the two
ranks recorded. If no line fits, is_contradictory is set: a clock was set, or a link or time is
wrong. Only the tightest bounds of each 32nd of the time are used, which can only widen the range.

Requests and responses of remote calls between the traces bound one side, too, and so do the sends
around a ring of a communication library (transfer_pair), none of which is received before it begins:
between hosts they bound the clocks of their first ranks, as the ranks of a host have one clock.

Links of confidence 0.5 and below are doubtful and bound nothing.
"""
grain = ["hub_trace_id", "trace_id"]
requires = { schema = ">=11", queries = ["collective_pair@1", "rpc_pair@1", "transfer_pair@1"] }
scale = "run"
columns = [
  "run_id", "hub_trace_id", "trace_id", "n_collectives", "lower_ns", "upper_ns", "median_ns",
  "drift", "is_contradictory", "begin_ns", "end_ns", "begin_lower_ns", "begin_upper_ns",
  "end_lower_ns", "end_upper_ns",
]

[column]
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the lower rank" }
trace_id.help = "Trace of the other rank"
n_collectives.help = "Number of collectives that bound the offset"
drift.help = "Nanoseconds to add per nanosecond since the base of the other trace; NULL: no drift needed, or none fits"
end_ns.help = "End of the recordings of both ranks, on the time axis of slice.ts of the other"
begin_ns = { type = "BIGINT", unit = "ns", help = "Begin of the recordings of both ranks, on the time axis of slice.ts of the other" }
begin_lower_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Lower bound of the offset at begin_ns; NULL: unbounded" }
begin_upper_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Upper bound of the offset at begin_ns; NULL: unbounded" }
end_lower_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Lower bound of the offset at end_ns; NULL: unbounded" }
end_upper_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Upper bound of the offset at end_ns; NULL: unbounded" }

[column.lower_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Lower bound of the offset to add to the other clock, for the drift given; NULL: unbounded"

[column.upper_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Upper bound of the offset to add to the other clock, for the drift given; NULL: unbounded"

[column.median_ns]
type = "BIGINT"
unit = "ns"
help = "Median over the collectives of the end on the lower rank minus the end on the other, without the drift"

[column.is_contradictory]
type = "BOOLEAN"
unit = "bool"
help = "Whether no offset with a drift of at most 100 ppm fits all collectives: lower_ns is above upper_ns"

[changes]
1 = "first version"
2 = "drift of more than 100 ppm is a contradiction; bounds allow for unknown drift; doubtful links bound nothing"
3 = "sends and receives around rings bound offsets"
--- */
-- Ranks of a host share its clock: what is sent between hosts bounds the clocks of their first ranks.
WITH clock_of_host AS (
  SELECT
    id AS member_id,
    host_name,
    first_value(id) OVER (PARTITION BY run_id, host_name ORDER BY rank NULLS LAST, id) AS trace_id,
    coalesce(rank, 0) AS rank
  FROM trace
  WHERE host_name IS NOT NULL
),
bound AS MATERIALIZED (
  SELECT
    p.run_id,
    p.hub_trace_id,
    p.trace_id,
    h.base_ns - t.base_ns AS apart_ns,
    p.end_ns - t.base_ns AS end_ts,
    p.start_ns - t.base_ns AS start_ts,
    CASE WHEN p.is_synchronizing OR p.is_from_hub THEN p.hub_start_ns - p.end_ns END AS lower_ns,
    CASE WHEN p.is_synchronizing OR NOT p.is_from_hub THEN p.hub_end_ns - p.start_ns END
      AS upper_ns,
    p.hub_end_ns - p.end_ns AS between_ends_ns,
    p.hub_start_ns - h.base_ns AS hub_start_ts,
    p.hub_end_ns - h.base_ns AS hub_end_ts
  FROM (
    SELECT
      run_id, hub_trace_id, trace_id, confidence, is_synchronizing, is_from_hub, hub_start_ns,
      hub_end_ns, start_ns, end_ns
    FROM collective_pair()
    UNION ALL
    SELECT
      run_id, hub_trace_id, trace_id, confidence, false, is_from_hub, hub_ns, hub_ns, other_ns,
      other_ns
    FROM rpc_pair()
    UNION ALL
    SELECT
      p.run_id,
      if(p.is_from_hub, p.from_trace_id, p.to_trace_id),
      if(p.is_from_hub, p.to_trace_id, p.from_trace_id),
      1,
      false,
      p.is_from_hub,
      if(p.is_from_hub, p.from_start_ns, p.to_start_ns),
      if(p.is_from_hub, p.from_end_ns, p.to_end_ns),
      if(p.is_from_hub, p.to_start_ns, p.from_start_ns),
      if(p.is_from_hub, p.to_end_ns, p.from_end_ns)
    FROM (
      SELECT
        p.* REPLACE (a.trace_id AS from_trace_id, b.trace_id AS to_trace_id),
        (a.rank, a.trace_id) < (b.rank, b.trace_id) AS is_from_hub
      FROM transfer_pair() AS p
      JOIN clock_of_host AS a ON a.member_id = p.from_trace_id
      JOIN clock_of_host AS b ON b.member_id = p.to_trace_id AND b.host_name <> a.host_name
      UNION ALL
      SELECT p.*, (a.rank, a.member_id) < (b.rank, b.member_id)
      FROM transfer_pair() AS p
      JOIN clock_of_host AS a ON a.member_id = p.from_trace_id
      JOIN clock_of_host AS b ON b.member_id = p.to_trace_id AND b.host_name = a.host_name
      WHERE p.from_trace_id <> p.to_trace_id
    ) AS p
  ) AS p
  JOIN trace AS t ON t.id = p.trace_id
  JOIN trace AS h ON h.id = p.hub_trace_id
  WHERE (p.is_synchronizing OR p.is_from_hub IS NOT NULL) AND p.confidence > 0.5
),
pair AS MATERIALIZED (
  SELECT
    b.run_id,
    b.hub_trace_id,
    b.trace_id,
    count(*) AS n_collectives,
    max(b.lower_ns) AS lower_ns,
    min(b.upper_ns) AS upper_ns,
    median(b.between_ends_ns) AS median_ns,
    least(0, min(b.start_ts), min(b.hub_start_ts) + min(b.apart_ns) - max(b.between_ends_ns))
      AS begin_ns,
    greatest(max(b.end_ts), max(b.hub_end_ts) + min(b.apart_ns) - min(b.between_ends_ns)) AS end_ns
  FROM bound AS b
  GROUP BY b.run_id, b.hub_trace_id, b.trace_id
),
-- The whole recordings, where their extent is known.
extent AS (
  SELECT
    p.hub_trace_id,
    p.trace_id,
    least(
      p.begin_ns, t.start_ts, h.base_ns - t.base_ns + least(0, h.start_ts) - floor(p.median_ns)::BIGINT
    ) AS begin_ns,
    greatest(
      p.end_ns, t.end_ts, h.base_ns - t.base_ns + h.end_ts - floor(p.median_ns)::BIGINT
    ) AS end_ns
  FROM pair AS p
  JOIN trace AS t ON t.id = p.trace_id
  JOIN trace AS h ON h.id = p.hub_trace_id
),
part AS (
  SELECT b.*, 32 * (b.end_ts - p.begin_ns) // (p.end_ns - p.begin_ns + 1) AS bin
  FROM bound AS b
  JOIN pair AS p ON p.hub_trace_id = b.hub_trace_id AND p.trace_id = b.trace_id
),
-- The bounds on the line: below it and above it; of equal ones, the first.
low AS MATERIALIZED (
  SELECT
    hub_trace_id,
    trace_id,
    arg_max(end_ts, (lower_ns, -end_ts)) AS at_ns,
    max(lower_ns) AS bound_ns
  FROM part
  WHERE lower_ns IS NOT NULL
  GROUP BY hub_trace_id, trace_id, bin
),
high AS MATERIALIZED (
  SELECT
    hub_trace_id,
    trace_id,
    arg_min(start_ts, (upper_ns, start_ts)) AS at_ns,
    min(upper_ns) AS bound_ns
  FROM part
  WHERE upper_ns IS NOT NULL
  GROUP BY hub_trace_id, trace_id, bin
),
slope AS MATERIALIZED (
  SELECT
    p.hub_trace_id,
    p.trace_id,
    coalesce(s.least_slope, -0.0001) AS least_slope,
    coalesce(s.greatest_slope, 0.0001) AS greatest_slope,
    coalesce(s.is_crossed, false) OR coalesce(s.least_slope > s.greatest_slope, false) AS is_crossed
  FROM pair AS p
  LEFT JOIN (
    SELECT
      l.hub_trace_id,
      l.trace_id,
      greatest(-0.0001, max(CASE WHEN h.at_ns < l.at_ns
        THEN (h.bound_ns - l.bound_ns) / (h.at_ns - l.at_ns) END)) AS least_slope,
      least(0.0001, min(CASE WHEN h.at_ns > l.at_ns
        THEN (h.bound_ns - l.bound_ns) / (h.at_ns - l.at_ns) END)) AS greatest_slope,
      bool_or(h.at_ns = l.at_ns AND h.bound_ns < l.bound_ns) AS is_crossed
    FROM low AS l
    JOIN high AS h ON h.hub_trace_id = l.hub_trace_id AND h.trace_id = l.trace_id
    GROUP BY l.hub_trace_id, l.trace_id
  ) AS s ON s.hub_trace_id = p.hub_trace_id AND s.trace_id = p.trace_id
),
trend AS (
  SELECT
    b.hub_trace_id,
    b.trace_id,
    round(regr_slope(b.between_ends_ns - floor(p.median_ns)::BIGINT, b.end_ts), 12) AS slope
  FROM bound AS b
  JOIN pair AS p ON p.hub_trace_id = b.hub_trace_id AND p.trace_id = b.trace_id
  WHERE p.lower_ns > p.upper_ns
  GROUP BY b.hub_trace_id, b.trace_id
),
-- A drift is given only if the clocks cannot run equally fast: that of the ends, if it fits.
chosen AS MATERIALIZED (
  SELECT
    p.*,
    e.* EXCLUDE (hub_trace_id, trace_id),
    s.least_slope,
    s.greatest_slope,
    s.is_crossed,
    CASE WHEN NOT s.is_crossed AND p.lower_ns > p.upper_ns
      THEN least(greatest(coalesce(r.slope, 0), s.least_slope), s.greatest_slope)
    END AS drift
  FROM (SELECT * EXCLUDE (begin_ns, end_ns) FROM pair) AS p
  JOIN extent AS e ON e.hub_trace_id = p.hub_trace_id AND e.trace_id = p.trace_id
  JOIN slope AS s ON s.hub_trace_id = p.hub_trace_id AND s.trace_id = p.trace_id
  LEFT JOIN trend AS r ON r.hub_trace_id = p.hub_trace_id AND r.trace_id = p.trace_id
),
low_range AS (
  SELECT
    c.hub_trace_id,
    c.trace_id,
    max(l.bound_ns + least(c.least_slope * (c.begin_ns - l.at_ns), c.greatest_slope * (c.begin_ns - l.at_ns))) AS begin_ns,
    max(l.bound_ns + least(c.least_slope * (c.end_ns - l.at_ns), c.greatest_slope * (c.end_ns - l.at_ns))) AS end_ns
  FROM chosen AS c
  JOIN low AS l ON l.hub_trace_id = c.hub_trace_id AND l.trace_id = c.trace_id
  GROUP BY c.hub_trace_id, c.trace_id
),
high_range AS (
  SELECT
    c.hub_trace_id,
    c.trace_id,
    min(h.bound_ns + greatest(c.least_slope * (c.begin_ns - h.at_ns), c.greatest_slope * (c.begin_ns - h.at_ns))) AS begin_ns,
    min(h.bound_ns + greatest(c.least_slope * (c.end_ns - h.at_ns), c.greatest_slope * (c.end_ns - h.at_ns))) AS end_ns
  FROM chosen AS c
  JOIN high AS h ON h.hub_trace_id = c.hub_trace_id AND h.trace_id = c.trace_id
  GROUP BY c.hub_trace_id, c.trace_id
),
drifting AS (
  SELECT
    b.hub_trace_id,
    b.trace_id,
    max(b.lower_ns - (c.drift * b.end_ts)::BIGINT) AS lower_ns,
    min(b.upper_ns - (c.drift * b.start_ts)::BIGINT) AS upper_ns,
    median(b.between_ends_ns - (c.drift * b.end_ts)::BIGINT) AS median_ns
  FROM bound AS b
  JOIN chosen AS c ON c.hub_trace_id = b.hub_trace_id AND c.trace_id = b.trace_id
  WHERE c.drift IS NOT NULL
  GROUP BY b.hub_trace_id, b.trace_id
)
SELECT
  c.run_id,
  c.hub_trace_id,
  c.trace_id,
  c.n_collectives,
  CASE WHEN c.drift IS NULL THEN c.lower_ns ELSE d.lower_ns END AS lower_ns,
  CASE WHEN c.drift IS NULL THEN c.upper_ns ELSE d.upper_ns END AS upper_ns,
  floor(CASE WHEN c.drift IS NULL THEN c.median_ns ELSE d.median_ns END)::BIGINT AS median_ns,
  c.drift::DOUBLE AS drift,
  c.is_crossed AS is_contradictory,
  c.begin_ns,
  c.end_ns,
  CASE WHEN NOT c.is_crossed THEN round(l.begin_ns)::BIGINT END AS begin_lower_ns,
  CASE WHEN NOT c.is_crossed THEN round(h.begin_ns)::BIGINT END AS begin_upper_ns,
  CASE WHEN NOT c.is_crossed THEN round(l.end_ns)::BIGINT END AS end_lower_ns,
  CASE WHEN NOT c.is_crossed THEN round(h.end_ns)::BIGINT END AS end_upper_ns
FROM chosen AS c
LEFT JOIN low_range AS l ON l.hub_trace_id = c.hub_trace_id AND l.trace_id = c.trace_id
LEFT JOIN high_range AS h ON h.hub_trace_id = c.hub_trace_id AND h.trace_id = c.trace_id
LEFT JOIN drifting AS d ON d.hub_trace_id = c.hub_trace_id AND d.trace_id = c.trace_id
ORDER BY c.run_id, c.hub_trace_id, c.trace_id
