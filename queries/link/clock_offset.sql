/* ---
name = "clock_offset"
version = 4
title = "Offset from each trace's clock to the shared time of its run"
help = """
The shared time is the clock of the reference: the lowest rank that has a collective in common with
another. Others are reached from it over pairs of ranks with linked collectives (clock_interval), by
the fewest pairs and then the most certain ones, at most 16 of them; uncertainties add up.

For one pair, the offset is the median difference of ends, moved into the interval that the
collectives allow. If both traces count from 1970 on a clock that may be that of one host (equal or
unknown host names) and the interval contains 0, the recorded times are kept; so are those of ranks
of one host of a dPRO trial. The uncertainty is the
largest error that any offset and drift (of at most 100 ppm) allowed by the collectives could have,
anywhere in the two recordings. If none fits all collectives, the method says so, and the
uncertainty is the largest violation; but collectives that were linked by order or time are linked
incorrectly then, and give no offset. Doubtful links (confidence 0.5 and below) give none either.

Recordings of one rank whose clocks count from 1970 share the clock of the rank: the offset of one
is that of the other, less certain by the drift of 100 ppm in between.

A capture of a Sophgo TPU shares no collective with the trace of its host; calls of category tpudnn
in that trace relate them. If the call disable_profile is among them and the capture records how
long before its end the counters stopped, the capture's last record ended at that call (profile
end). Otherwise its first record is aligned with the end of the first call that is not a profiler
call (first call), which is only approximate. The host's clock is then the reference.

Traces without anything in common with others have no offset.
"""
grain = ["trace_id"]
requires = { schema = ">=11", queries = ["clock_interval@3"] }
scale = "run"
columns = ["trace_id", "offset_ns", "uncertainty_ns", "method", "drift"]

[param.run_id]
type = "BIGINT"
help = "Run whose clocks to compare"

[column]
drift.help = "Nanoseconds to add per nanosecond since the base of the trace; NULL: no drift needed"

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset to add to the trace's clock at its base; NULL: unknown"

[column.method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "reference; file: recorded times, not contradicted by any collective; collective: from collectives; collective drift: offset and drift; collective contradictory: no offset fits all of them; profile end and first call: a capture, from calls of its host. The least certain pair on the way counts"

[changes]
1 = "first version"
2 = "excludes graph traces, which have no clock; TPU captures are aligned with the time of their host"
3 = "uncertainty includes unknown drift; recordings of one rank share its clock; doubtful links give no offset"
4 = "sends and receives around rings bound offsets"
--- */
WITH RECURSIVE clocked_trace AS (
  SELECT
    id AS trace_id,
    rank,
    base_ns,
    row_number() OVER (ORDER BY format = 'sophgo', rank NULLS LAST, id) AS n,
    format = 'sophgo' AS is_capture,
    metadata_json,
    base_ns + least(coalesce(start_ts, 0), 0) AS start_ns,
    base_ns + coalesce(end_ts, 0) AS end_ns,
    base_ns > 946684800000000000 AS is_since_epoch, -- The year 2000.
    coalesce(host_name, '') AS host_name,
    format = 'dpro' AND host_name IS NOT NULL AS is_of_host -- All ranks of a host have its clock.
  FROM trace
  WHERE run_id = $run_id::BIGINT AND kind = 'timeline'
),
pair AS (
  SELECT
    c.*,
    h.base_ns AS hub_base_ns,
    s.base_ns,
    h.host_name = s.host_name AND c.drift IS NULL AND CASE
      WHEN h.is_of_host AND s.is_of_host THEN coalesce(c.lower_ns, 0) <= 0 AND coalesce(c.upper_ns, 0) >= 0
      ELSE h.is_since_epoch AND s.is_since_epoch AND c.lower_ns <= 0 AND c.upper_ns >= 0
    END AS is_recorded,
    CASE
      WHEN c.is_contradictory THEN c.median_ns
      ELSE greatest(least(c.median_ns, c.upper_ns), c.lower_ns)
    END AS shift_ns
  FROM clock_interval() AS c
  JOIN clocked_trace AS h ON h.trace_id = c.hub_trace_id
  JOIN clocked_trace AS s ON s.trace_id = c.trace_id
),
settled AS (
  SELECT *, CASE WHEN is_recorded THEN 0 ELSE shift_ns END AS offset_ns
  FROM pair
),
judged AS (
  SELECT
    hub_trace_id,
    trace_id,
    hub_base_ns,
    base_ns,
    offset_ns,
    drift,
    CASE
      WHEN is_contradictory THEN greatest(lower_ns - shift_ns, shift_ns - upper_ns)
      WHEN begin_lower_ns IS NOT NULL AND begin_upper_ns IS NOT NULL THEN 1 + round(greatest(
        abs(begin_lower_ns - offset_ns - coalesce(drift, 0) * begin_ns),
        abs(begin_upper_ns - offset_ns - coalesce(drift, 0) * begin_ns),
        abs(end_lower_ns - offset_ns - coalesce(drift, 0) * end_ns),
        abs(end_upper_ns - offset_ns - coalesce(drift, 0) * end_ns)
      ))::BIGINT
    END AS uncertainty_ns,
    CASE
      WHEN is_recorded THEN 1
      WHEN is_contradictory THEN 4
      WHEN drift IS NOT NULL THEN 3
      ELSE 2
    END AS severity
  FROM settled
  WHERE NOT is_contradictory OR (hub_trace_id, trace_id) NOT IN (
    SELECT (from_id >> 32, to_id >> 32)
    FROM link
    WHERE run_id = $run_id::BIGINT AND kind = 'collective_peer' AND link_set = 'default'
      AND rule = 'order' AND confidence > 0.5
  )
),
-- Start and end of captures according to the host's calls, on the host's clock.
host AS (
  SELECT
    p.trace_id,
    p.base_ns,
    p.rank,
    p.n,
    p.base_ns + max(s.ts + greatest(s.dur, 0)) FILTER (WHERE s.name = 'disable_profile')
      AS disabled_ns,
    p.base_ns + arg_min(s.ts + greatest(s.dur, 0), (s.ts, s.id)) FILTER (
      WHERE s.name NOT IN (
        'PyTorch Profiler (0)', 'enable_profile', 'my_ops::enable_profile', 'disable_profile',
        'my_ops::disable_profile'
      )
    ) AS first_end_ns
  FROM slice AS s
  JOIN clocked_trace AS p ON p.trace_id = s.trace_id
  WHERE s.category = 'tpudnn' AND NOT p.is_capture AND EXISTS (FROM clocked_trace WHERE is_capture)
  GROUP BY p.trace_id, p.base_ns, p.rank, p.n
),
capture AS (
  SELECT
    h.trace_id AS hub_trace_id,
    c.trace_id,
    h.base_ns AS hub_base_ns,
    c.base_ns,
    h.disabled_ns - c.tail_offset_ns - (c.base_ns + c.tail_ns) AS by_end_ns,
    h.first_end_ns - c.base_ns AS by_call_ns
  FROM (
    SELECT
      *,
      TRY_CAST(metadata_json ->> '$.tail_ns' AS BIGINT) AS tail_ns,
      TRY_CAST(metadata_json ->> '$.tail_offset_ns' AS BIGINT) AS tail_offset_ns
    FROM clocked_trace
    WHERE is_capture
  ) AS c
  CROSS JOIN host AS h
  WHERE coalesce(h.disabled_ns - c.tail_offset_ns, h.first_end_ns) IS NOT NULL
  -- The host of the same rank, or else the first one.
  QUALIFY row_number() OVER (
    PARTITION BY c.trace_id ORDER BY h.rank IS NOT DISTINCT FROM c.rank DESC, h.n
  ) = 1
),
known AS (
  SELECT
    hub_trace_id, trace_id, hub_base_ns, base_ns, offset_ns, drift, uncertainty_ns, severity
  FROM judged
  UNION ALL
  SELECT
    hub_trace_id,
    trace_id,
    hub_base_ns,
    base_ns,
    coalesce(by_end_ns, by_call_ns),
    NULL,
    NULL,
    if(by_end_ns IS NOT NULL, 5, 6)
  FROM capture
),
-- Recordings of one rank on its clock, each with the next.
same_rank AS (
  SELECT
    lag(trace_id) OVER ordered AS hub_trace_id,
    trace_id,
    lag(base_ns) OVER ordered AS hub_base_ns,
    base_ns,
    greatest(end_ns, lag(end_ns) OVER ordered) - least(start_ns, lag(start_ns) OVER ordered)
      AS span_ns
  FROM clocked_trace
  WHERE is_since_epoch AND rank IS NOT NULL AND NOT is_capture
  WINDOW ordered AS (PARTITION BY rank ORDER BY base_ns, trace_id)
  QUALIFY lag(trace_id) OVER ordered IS NOT NULL
),
-- Each pair in both directions: the offset from the clock of `trace_id` to that of `from_trace_id`.
edge AS (
  SELECT
    hub_trace_id AS from_trace_id,
    trace_id,
    base_ns - hub_base_ns + offset_ns AS apart_ns,
    offset_ns,
    coalesce(drift, 0) AS drift,
    uncertainty_ns,
    NULL::BIGINT AS same_clock_ns,
    severity
  FROM known
  UNION ALL
  SELECT
    trace_id,
    hub_trace_id,
    hub_base_ns - base_ns - offset_ns,
    -offset_ns
      - (coalesce(drift, 0) * (hub_base_ns - base_ns - offset_ns))::BIGINT,
    -coalesce(drift, 0),
    uncertainty_ns,
    NULL,
    severity
  FROM known
  UNION ALL
  SELECT hub_trace_id, trace_id, base_ns - hub_base_ns, 0, 0, 0, span_ns, 1 FROM same_rank
  UNION ALL
  SELECT trace_id, hub_trace_id, hub_base_ns - base_ns, 0, 0, 0, span_ns, 1 FROM same_rank
),
origin AS (
  SELECT trace_id
  FROM clocked_trace
  WHERE n = (
    SELECT min(p.n) FROM clocked_trace AS p JOIN known AS e ON p.trace_id IN (e.trace_id, e.hub_trace_id)
  )
),
reach AS (
  SELECT trace_id, 0 AS n_pairs FROM origin
  UNION
  SELECT e.trace_id, r.n_pairs + 1
  FROM edge AS e
  JOIN reach AS r ON r.trace_id = e.from_trace_id
  WHERE r.n_pairs < 16
),
distance AS (
  SELECT trace_id, min(n_pairs) AS n_pairs FROM reach GROUP BY trace_id
),
-- The pair by which each trace is reached; none for the reference.
branch AS (
  SELECT *
  FROM (
    SELECT
      e.*,
      row_number() OVER (
        PARTITION BY e.trace_id
        ORDER BY
          e.same_clock_ns NULLS FIRST, e.severity, e.uncertainty_ns NULLS LAST, e.from_trace_id
      ) AS choice
    FROM edge AS e
    JOIN distance AS a ON a.trace_id = e.from_trace_id
    JOIN distance AS b ON b.trace_id = e.trace_id AND b.n_pairs = a.n_pairs + 1
  )
  WHERE choice = 1
),
aligned AS (
  SELECT
    trace_id,
    0::BIGINT AS offset_ns,
    0::DOUBLE AS drift,
    0::BIGINT AS uncertainty_ns,
    0 AS severity
  FROM origin
  UNION ALL
  SELECT
    b.trace_id,
    a.offset_ns + b.offset_ns + (a.drift * b.apart_ns)::BIGINT,
    a.drift + b.drift,
    a.uncertainty_ns + b.uncertainty_ns
      -- The clock of the reference is the shared time; any other may drift between recordings.
      + CASE WHEN a.uncertainty_ns > 0
        THEN ceil((0.0001 + abs(a.drift)) * coalesce(b.same_clock_ns, 0))::BIGINT
        ELSE 0
      END,
    greatest(a.severity, b.severity)
  FROM branch AS b
  JOIN aligned AS a ON a.trace_id = b.from_trace_id
)
SELECT
  p.trace_id,
  a.offset_ns,
  a.uncertainty_ns,
  CASE a.severity
    WHEN 0 THEN 'reference'
    WHEN 1 THEN 'file'
    WHEN 2 THEN 'collective'
    WHEN 3 THEN 'collective drift'
    WHEN 4 THEN 'collective contradictory'
    WHEN 5 THEN 'profile end'
    WHEN 6 THEN 'first call'
  END AS method,
  nullif(a.drift, 0) AS drift
FROM clocked_trace AS p
LEFT JOIN aligned AS a ON a.trace_id = p.trace_id
ORDER BY p.trace_id
