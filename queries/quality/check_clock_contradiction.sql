/* ---
name = "check_clock_contradiction"
version = 1
title = "Clock offset outside the bounds of collectives"
help = """
No rank leaves a synchronizing collective before the last has entered it, which bounds the offset
between two clocks (clock_interval, rank_clock). Findings are pairs of ranks whose bounds exclude
every offset, even if one clock runs faster, and pairs whose stored offsets lie outside the bounds
by more than the uncertainties of both. Pairs with an unknown offset or uncertainty, or with a
drift, are judged by their bounds only. A pair is reported for the higher rank.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1", queries = ["clock_interval@3"] }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_found.help = "Number of pairs whose clocks contradict their collectives"
n_looked_at.help = "Number of pairs of the rank and a lower one that share collectives"
examples.help = "Up to three pairs, largest contradiction first, with its size"

[changes]
1 = "first version"
--- */
WITH pair AS (
  SELECT
    i.trace_id,
    i.hub_trace_id,
    i.n_collectives,
    i.is_contradictory,
    coalesce('rank ' || h.rank, 'trace ' || h.name) AS hub,
    CASE
      WHEN i.is_contradictory THEN i.lower_ns - i.upper_ns
      WHEN i.drift IS NULL AND c.drift IS NULL AND o.drift IS NULL THEN
        greatest(
          i.lower_ns - (c.offset_ns - o.offset_ns),
          c.offset_ns - o.offset_ns - i.upper_ns
        )
    END AS off_ns,
    CASE WHEN NOT i.is_contradictory THEN c.uncertainty_ns + o.uncertainty_ns END AS allowed_ns
  FROM clock_interval() AS i
  JOIN trace AS t ON t.id = i.trace_id
  JOIN trace AS h ON h.id = i.hub_trace_id
  LEFT JOIN clock AS c ON c.id = t.clock_id
  LEFT JOIN clock AS o ON o.id = h.clock_id
),
judged AS (
  SELECT
    *,
    coalesce(is_contradictory OR off_ns > greatest(allowed_ns, 0), false) AS is_found
  FROM pair
),
placed AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id, is_found ORDER BY off_ns DESC, hub_trace_id) AS place
  FROM judged
),
finding AS (
  SELECT
    trace_id,
    sum(CASE WHEN is_found THEN 1 ELSE 0 END)::BIGINT AS n_found,
    count(*) AS n_looked_at,
    sum(CASE WHEN is_found AND NOT is_contradictory THEN 1 ELSE 0 END) AS n_outside,
    string_agg(
      CASE
        WHEN is_found AND place <= 3 AND is_contradictory
        THEN hub || ': no offset fits all ' || n_collectives || ' collectives, by ' || off_ns
          || ' ns'
        WHEN is_found AND place <= 3
        THEN hub || ': the offset is ' || off_ns || ' ns outside the bounds of the collectives'
      END,
      '; ' ORDER BY place
    ) AS examples
  FROM placed
  GROUP BY trace_id
  HAVING sum(CASE WHEN is_found THEN 1 ELSE 0 END) > 0
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'clock_contradiction' AS check_name,
  CASE WHEN f.n_outside > 0 THEN 'error' ELSE 'warning' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'A rank would leave a collective before another has entered it: a clock was set during the '
    || 'recording, collectives are linked incorrectly, or an offset is wrong. Waits and lateness '
    || 'between these ranks are wrong by that amount.' AS meaning,
  'Compare durations, not times, of these ranks; `tw query rank_clock` shows the bounds.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
