/* ---
name = "clock_shift"
version = 2
title = "Difference of two clocks at which collectives without numbers meet"
help = """
The ends of one collective are close together on all ranks. A candidate is a difference of two
clocks at which ends of equal match_key meet; at each candidate, ends that meet within a tolerance
are good, and operations without such a partner while both ranks recorded are bad, after the drift
(at most 100 ppm) is removed. Tolerances from 20 µs to 5 ms are tried.

A candidate is supported by its ends if so many good ones would not meet by chance: the chance that
an end meets another one is that of all other candidates, or that of equal pauses anywhere
(collective_rhythm) if it is higher, so regular programs support nothing. The
shift is certain if exactly one candidate is supported and all others are clearly worse; at tolerances
above 80 µs, only if clocks that count from 1970 agree to 2 ms as well. If several fit equally well, other evidence decides: the operations of complete steps with equal numbers; one
host's clock, or clocks since 1970 on which exactly one candidate is as good as equal; and equally
many operations of every key, which alone proves nothing. Where nothing decides, the shift is doubtful.

Only synchronizing operations are compared. Ranks that share others only, such as broadcasts, have
no row: their ends may be far apart.
"""
grain = ["hub_trace_id", "spoke_trace_id"]
requires = { schema = ">=11", queries = ["collective_sequence@1", "collective_rhythm@1"] }
scale = "run"
columns = [
  "hub_trace_id", "spoke_trace_id", "reference_ns", "shift_ns", "drift", "tolerance_ns", "n_good",
  "n_bad", "n_rivals", "is_certain", "evidence",
]

[param.run_id]
type = "BIGINT"
help = "Run whose ranks to compare"

[column]
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the lowest rank, as in collective_sequence" }
spoke_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the other rank, as in collective_sequence" }
reference_ns = { type = "BIGINT", unit = "ns", help = "Time on the other clock to which shift_ns applies" }
shift_ns = { type = "BIGINT", unit = "ns", help = "To add to the other clock at reference_ns" }
drift = { type = "DOUBLE", unit = "ratio", help = "Nanoseconds to add per nanosecond since reference_ns" }
tolerance_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Within which ends of one collective meet" }
n_good = { type = "BIGINT", unit = "count", help = "Number of ends that meet" }
n_bad = { type = "BIGINT", unit = "count", help = "Number of operations without a partner while both recorded" }
n_rivals = { type = "BIGINT", unit = "count", help = "Number of other candidates that fit about as well" }
is_certain = { type = "BOOLEAN", unit = "bool", help = "Whether the shift is proven" }
evidence = { type = "VARCHAR", unit = "text", check = "IN ('ends', 'steps', 'clock', 'whole', 'none')", help = "What decided: ends, steps, clock, whole (equally many operations, supported by the clocks), or none" }

[changes]
2 = "of operations of one key that end at one time, the last is the nearest"
1 = "first version"
--- */
WITH op AS MATERIALIZED (
  SELECT hub_trace_id AS hub, spoke_trace_id AS spoke, * EXCLUDE (hub_trace_id, spoke_trace_id)
  FROM collective_sequence($run_id::BIGINT)
  WHERE is_synchronizing
),
size AS (
  SELECT
    *,
    greatest(
      1000000 // (SELECT count(*) FROM trace WHERE run_id = $run_id::BIGINT AND kind = 'timeline'), 20000
    ) AS n_allowed
  FROM (
    SELECT
      hub,
      spoke,
      count(*) FILTER (WHERE is_hub) AS n_hub,
      count(*) FILTER (WHERE NOT is_hub) AS n_spoke,
      -- Differences of one alignment are spread over this: skew, and drift of 100 ppm.
      greatest(
        10000,
        (max(end_ns) FILTER (WHERE NOT is_hub) - min(end_ns) FILTER (WHERE NOT is_hub)) // 10000
      ) AS width_ns,
      (median(end_ns) FILTER (WHERE NOT is_hub))::BIGINT AS reference_ns,
      bool_and(is_since_epoch) AS is_since_epoch,
      bool_and(is_named) AS is_named,
      list_sort(list(DISTINCT concat(match_key, '=', n_ops)) FILTER (WHERE is_hub))
        = list_sort(list(DISTINCT concat(match_key, '=', n_ops)) FILTER (WHERE NOT is_hub))
        AS is_equally_many
    FROM op
    GROUP BY hub, spoke
  )
),
-- Operations of the hub that vote: all if there are few, else those after the longest gaps and a
-- part of the others.
anchor AS (
  SELECT a.*
  FROM (
    SELECT
      *,
      row_number() OVER (PARTITION BY hub, spoke ORDER BY gap_ns DESC, slice_id) AS place,
      row_number() OVER (PARTITION BY hub, spoke ORDER BY end_ns, slice_id) AS position
    FROM (
      SELECT
        *,
        end_ns - lag(end_ns) OVER (PARTITION BY hub, spoke ORDER BY end_ns, slice_id) AS gap_ns
      FROM op
      WHERE is_hub
    )
  ) AS a
  JOIN size AS z ON z.hub = a.hub AND z.spoke = a.spoke
  WHERE a.place <= z.n_allowed / z.n_spoke / 2
    OR a.position % greatest(ceil(2.0 * z.n_hub * z.n_spoke / z.n_allowed)::BIGINT, 1) = 0
),
cell AS MATERIALIZED (
  SELECT
    s.hub,
    s.spoke,
    h.end_ns - s.end_ns AS shift_ns,
    h.n = s.n AND h.n_ops = s.n_ops AS is_same_place
  FROM (FROM op WHERE NOT is_hub) AS s
  JOIN anchor AS h ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key
),
vote AS (
  SELECT *, n_in_bin + coalesce(n_beside, 0) AS n_votes
  FROM (
    SELECT
      *,
      greatest(
        CASE WHEN lag(bin) OVER bins = bin - 1 THEN lag(n_in_bin) OVER bins END,
        CASE WHEN lead(bin) OVER bins = bin + 1 THEN lead(n_in_bin) OVER bins END
      ) AS n_beside
    FROM (
      SELECT
        c.hub,
        c.spoke,
        c.shift_ns // z.width_ns AS bin,
        count(*) AS n_in_bin,
        median(c.shift_ns)::BIGINT AS shift_ns
      FROM cell AS c
      JOIN size AS z ON z.hub = c.hub AND z.spoke = c.spoke
      GROUP BY c.hub, c.spoke, bin
    )
    WINDOW bins AS (PARTITION BY hub, spoke ORDER BY bin)
  )
),
-- The n-th operation of a key in a step with the n-th in the same step of the other rank. The first
-- and last steps of a recording may be incomplete.
numbered_step AS (
  SELECT
    trace_id,
    slice_id,
    number,
    ts,
    ts + greatest(dur, 0) AS end_ts,
    number > min(number) OVER recording AND number < max(number) OVER recording AS is_complete
  FROM step
  WHERE number IS NOT NULL AND trace_id IN (SELECT id FROM trace WHERE run_id = $run_id::BIGINT)
  WINDOW recording AS (PARTITION BY trace_id)
),
in_step AS MATERIALIZED (
  SELECT
    o.*,
    row_number() OVER (
      PARTITION BY o.hub, o.spoke, o.is_hub, o.match_key, o.number ORDER BY o.n
    ) AS place,
    count(*) OVER (PARTITION BY o.hub, o.spoke, o.is_hub, o.match_key, o.number) AS n_placed
  FROM (
    SELECT o.*, t.number
    FROM op AS o
    JOIN link AS l ON l.to_id = o.slice_id AND l.kind = 'step' AND l.link_set = 'default'
    JOIN numbered_step AS t ON t.slice_id = l.from_id AND t.is_complete
    UNION ALL
    -- Ranges on the host have no links to steps.
    SELECT o.*, t.number
    FROM (FROM op WHERE match_key LIKE 'host|%') AS o
    JOIN trace AS k ON k.id = o.trace_id
    JOIN numbered_step AS t
      ON t.trace_id = o.trace_id AND t.is_complete
      AND o.start_ns - k.base_ns >= t.ts AND o.start_ns - k.base_ns < t.end_ts
  ) AS o
),
step_shift AS (
  SELECT s.hub, s.spoke, count(*) AS n_met,
    median(h.end_ns - s.end_ns)::BIGINT AS shift_ns
  FROM (FROM in_step WHERE NOT is_hub) AS s
  JOIN (FROM in_step WHERE is_hub) AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key AND h.number = s.number
    AND h.place = s.place AND h.n_placed = s.n_placed
  GROUP BY s.hub, s.spoke
),
candidate AS MATERIALIZED (
  SELECT
    c.hub,
    c.spoke,
    c.shift_ns,
    z.width_ns,
    z.reference_ns,
    z.is_since_epoch,
    z.is_named,
    row_number() OVER (PARTITION BY c.hub, c.spoke ORDER BY c.shift_ns) AS candidate_n
  FROM (
    SELECT v.hub, v.spoke, v.shift_ns
    FROM vote AS v
    JOIN size AS z ON z.hub = v.hub AND z.spoke = v.spoke
    QUALIFY row_number() OVER (PARTITION BY v.hub, v.spoke ORDER BY v.n_votes DESC, v.bin)
      <= greatest(least(z.n_allowed // z.n_spoke, 400), 24)
      -- Clocks that may be the same one.
      OR row_number() OVER (PARTITION BY v.hub, v.spoke ORDER BY abs(v.shift_ns)) <= 2
    UNION
    SELECT hub, spoke, median(shift_ns)::BIGINT
    FROM cell
    WHERE is_same_place
    GROUP BY hub, spoke
    UNION
    SELECT hub, spoke, shift_ns
    FROM step_shift
  ) AS c
  JOIN size AS z ON z.hub = c.hub AND z.spoke = c.spoke
),
-- Where on the time axis an operation of the hub is the nearest one with its key.
hub_op AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT
      *,
      coalesce((end_ns + lag(end_ns) OVER (PARTITION BY hub, spoke, match_key ORDER BY n)) // 2,
        -9000000000000000000) AS nearest_from_ns
    FROM op
    WHERE is_hub
  )
  QUALIFY row_number() OVER (
    PARTITION BY hub, spoke, match_key, nearest_from_ns ORDER BY n DESC
  ) = 1
),
nearest AS MATERIALIZED (
  SELECT
    s.hub,
    s.spoke,
    s.candidate_n,
    s.width_ns,
    h.n - s.n AS lag,
    h.end_ns - s.end_ns - s.shift_ns AS off_ns,
    s.end_ns - s.reference_ns AS at_ns
  FROM (
    SELECT
      o.hub, o.spoke, o.match_key, o.n, o.end_ns, c.shift_ns, c.candidate_n, c.reference_ns,
      c.width_ns,
      o.end_ns + c.shift_ns AS shifted_ns
    FROM op AS o
    JOIN candidate AS c ON c.hub = o.hub AND c.spoke = o.spoke
    WHERE NOT o.is_hub
  ) AS s
  ASOF JOIN hub_op AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key
    AND s.shifted_ns >= h.nearest_from_ns
),
fit AS (
  SELECT
    hub,
    spoke,
    candidate_n,
    coalesce(median(off_ns) FILTER (WHERE is_near), 0) AS off_ns,
    coalesce(median(at_ns) FILTER (WHERE is_near), 0) AS at_ns,
    CASE WHEN count(*) FILTER (WHERE is_near) >= 6 THEN
      coalesce(
        greatest(least(regr_slope(off_ns, at_ns) FILTER (WHERE is_near), 0.00011), -0.00011), 0
      )
    ELSE 0 END AS slope
  FROM (SELECT *, abs(off_ns) <= 3 * width_ns AS is_near FROM nearest)
  GROUP BY hub, spoke, candidate_n
),
-- What each rank recorded, in its own time: a window for each recording.
recorded AS (
  SELECT hub, spoke, is_hub, trace_id, min(end_ns) AS from_ns, max(end_ns) AS to_ns
  FROM op
  GROUP BY hub, spoke, is_hub, trace_id
),
fitted AS MATERIALIZED (
  SELECT
    c.*,
    f.slope,
    c.shift_ns + (f.off_ns - f.slope * f.at_ns)::BIGINT AS fitted_ns
  FROM candidate AS c
  JOIN fit AS f ON f.hub = c.hub AND f.spoke = c.spoke AND f.candidate_n = c.candidate_n
),
met AS (
  SELECT
    n.hub,
    n.spoke,
    n.candidate_n,
    any_value(f.fitted_ns) AS shift_ns,
    any_value(f.slope) AS slope,
    any_value(f.is_since_epoch) AS is_since_epoch,
    any_value(f.is_named) AS is_named,
    any_value(f.reference_ns) AS reference_ns,
    avg(n.lag) FILTER (WHERE abs(n.left_ns) <= n.width_ns) AS lag,
    [
      count(*) FILTER (WHERE abs(n.left_ns) <= 20000),
      count(*) FILTER (WHERE abs(n.left_ns) <= 80000),
      count(*) FILTER (WHERE abs(n.left_ns) <= 320000),
      count(*) FILTER (WHERE abs(n.left_ns) <= 1280000),
      count(*) FILTER (WHERE abs(n.left_ns) <= 5120000)
    ] AS n_good
  FROM (
    SELECT a.*, a.off_ns + g.shift_ns - g.fitted_ns - (g.slope * a.at_ns)::BIGINT AS left_ns
    FROM nearest AS a
    JOIN fitted AS g ON g.hub = a.hub AND g.spoke = a.spoke AND g.candidate_n = a.candidate_n
  ) AS n
  JOIN fitted AS f ON f.hub = n.hub AND f.spoke = n.spoke AND f.candidate_n = n.candidate_n
  GROUP BY n.hub, n.spoke, n.candidate_n
),
-- Operations of either rank while the other recorded.
expected AS (
  SELECT hub, spoke, candidate_n, max(n_expected) AS n_expected
  FROM (
    SELECT c.hub, c.spoke, c.candidate_n, o.is_hub, count(DISTINCT o.slice_id) AS n_expected
    FROM candidate AS c
    JOIN recorded AS r ON r.hub = c.hub AND r.spoke = c.spoke
    JOIN op AS o
      ON o.hub = c.hub AND o.spoke = c.spoke AND o.is_hub <> r.is_hub
      AND o.end_ns + CASE WHEN o.is_hub THEN -c.shift_ns ELSE c.shift_ns END
        BETWEEN r.from_ns - c.width_ns AND r.to_ns + c.width_ns
    GROUP BY c.hub, c.spoke, c.candidate_n, o.is_hub
  )
  GROUP BY hub, spoke, candidate_n
),
at_scale AS MATERIALIZED (
  SELECT
    m.* EXCLUDE (n_good),
    e.n_expected,
    s.scale,
    20000 * 4 ** (s.scale - 1) AS tolerance_ns,
    least(m.n_good[s.scale], e.n_expected) AS n_good,
    greatest(e.n_expected - m.n_good[s.scale], 0) AS n_bad,
    greatest(least(m.n_good[s.scale], e.n_expected) - 1, 0) AS n_more_good,
    greatest(e.n_expected - 1, 0) AS n_more_expected,
    -- Clocks since 1970 are more likely to agree to 2 ms than to any other difference.
    CASE WHEN m.is_since_epoch AND abs(m.shift_ns) < 2000000 THEN 4 ELSE 0 END AS bonus
  FROM met AS m
  JOIN expected AS e ON e.hub = m.hub AND e.spoke = m.spoke AND e.candidate_n = m.candidate_n
  CROSS JOIN (SELECT unnest([1, 2, 3, 4, 5]) AS scale) AS s
),
-- The logarithm of the chance that an end meets another one by accident, over all candidates.
any_chance AS (
  SELECT hub, spoke, scale,
    -ln((sum(n_more_good) + 0.5) / (sum(n_more_expected) + 1)) AS per_good
  FROM at_scale
  GROUP BY ALL
),
best_at_scale AS (
  SELECT a.*
  FROM at_scale AS a
  JOIN any_chance AS c ON c.hub = a.hub AND c.spoke = a.spoke AND c.scale = a.scale
  QUALIFY row_number() OVER (
    PARTITION BY a.hub, a.spoke, a.scale
    ORDER BY
      a.n_more_good * greatest(c.per_good, 0) - a.n_bad DESC, a.n_good DESC, abs(a.lag),
      a.candidate_n
  ) = 1
),
compared AS MATERIALIZED (
  SELECT
    a.*,
    b.n_bad AS best_bad,
    b.n_good AS best_good,
    abs(a.shift_ns - b.shift_ns) <= 5000 OR abs(a.lag - b.lag) < 0.2 AS is_best,
    count(*) OVER scales AS n_candidates
  FROM at_scale AS a
  JOIN best_at_scale AS b ON b.hub = a.hub AND b.spoke = a.spoke AND b.scale = a.scale
  WINDOW scales AS (PARTITION BY a.hub, a.spoke, a.scale)
),
-- How likely an end meets another one if the candidate is wrong, and a bad one if it is right.
chance AS (
  SELECT
    c.hub,
    c.spoke,
    c.scale,
    greatest(
      least(
        -ln((sum(CASE WHEN NOT c.is_best THEN c.n_more_good ELSE 0 END) + 0.5)
          / (sum(CASE WHEN NOT c.is_best THEN c.n_more_expected ELSE 0 END) + 1)),
        -- Without those of the best candidate.
        any_value(CASE WHEN NOT c.is_named THEN NULL WHEN g.n_pauses - c.best_good >= 2
          THEN -ln((greatest(g.n_equal - c.best_good + 1, 0) + 0.5)
            / (g.n_pauses - c.best_good + 2))
          ELSE 0
        END)
      ),
      0
    ) AS per_good,
    -ln(greatest(0.01, (any_value(c.best_bad) + 1) / (any_value(c.best_good + c.best_bad) + 2)))
      AS per_bad
  FROM compared AS c
  LEFT JOIN collective_rhythm($run_id::BIGINT) AS g
    ON g.hub_trace_id = c.hub AND g.spoke_trace_id = c.spoke AND g.tolerance_ns = c.tolerance_ns
  GROUP BY c.hub, c.spoke, c.scale
),
weighed AS MATERIALIZED (
  SELECT
    c.*,
    CASE
      -- Ranks may be in different groups of the same name.
      WHEN NOT c.is_named THEN c.n_bad <= 0.6 * c.n_expected
        AND c.n_more_good * h.per_good + c.bonus - c.n_bad > ln(1 + c.n_candidates) + 9
      ELSE c.n_bad <= 0.25 * c.n_expected
        AND c.n_more_good * h.per_good + c.bonus > ln(1 + c.n_candidates) + 9
    END AS is_supported,
    -- Fits better than one of all candidates would by accident, as a shift by a step does.
    c.n_bad <= 0.25 * c.n_expected AND c.n_more_good * h.per_good > ln(1 + c.n_candidates) + 2.3
      AS is_structural,
    (c.n_bad - c.best_bad) * h.per_bad < 12 AS is_plausible,
    c.n_more_good * h.per_good - c.n_bad AS weight
  FROM compared AS c
  JOIN chance AS h ON h.hub = c.hub AND h.spoke = c.spoke AND h.scale = c.scale
),
-- The tolerance at which the best candidate differs most from chance.
chosen_scale AS (
  SELECT hub, spoke, scale
  FROM weighed
  QUALIFY row_number() OVER (
    PARTITION BY hub, spoke ORDER BY CASE WHEN is_best THEN weight END DESC NULLS LAST, scale
  ) = 1
),
host AS (
  SELECT z.hub, z.spoke,
    any_value(z.is_equally_many) AS is_equally_many,
    coalesce(min(h.host_name) = max(h.host_name) AND count(*) = count(h.host_name), false)
      AS is_same_host
  FROM size AS z
  JOIN trace AS h ON h.id IN (z.hub, z.spoke)
  GROUP BY z.hub, z.spoke
),
judged AS (
  SELECT
    w.*,
    w.is_plausible AND w.n_good > 0 AND w.n_bad <= 0.25 * w.n_expected AS is_possible,
    coalesce(p.n_met >= 2, false) AS has_steps,
    coalesce(p.n_met >= 2 AND abs(p.shift_ns - w.shift_ns) <= w.tolerance_ns, false) AS is_in_step,
    abs(p.shift_ns - w.shift_ns) AS off_step_ns,
    t.is_equally_many AND abs(w.lag) < 0.01 AND w.n_bad = 0 AS is_whole,
    t.is_same_host,
    count(CASE WHEN w.is_plausible AND w.is_structural AND NOT w.is_best THEN 1 END) OVER (
      PARTITION BY w.hub, w.spoke
    ) AS n_rivals,
    bool_or(
      t.is_equally_many AND w.is_plausible AND abs(w.lag) < 0.01 AND w.n_bad = 0
    ) OVER (
      PARTITION BY w.hub, w.spoke
    ) AS has_whole
  FROM weighed AS w
  JOIN chosen_scale AS s ON s.hub = w.hub AND s.spoke = w.spoke AND s.scale = w.scale
  JOIN host AS t ON t.hub = w.hub AND t.spoke = w.spoke
  LEFT JOIN step_shift AS p ON p.hub = w.hub AND p.spoke = w.spoke
),
-- The possible candidate with the smallest difference, and how far the next one is.
same_clock AS (
  SELECT
    a.hub,
    a.spoke,
    any_value(a.candidate_n) AS candidate_n,
    any_value(abs(a.shift_ns)) AS nearest_ns,
    min(abs(b.shift_ns)) AS next_ns
  FROM (
    FROM judged
    WHERE is_possible AND is_since_epoch
    QUALIFY row_number() OVER (PARTITION BY hub, spoke ORDER BY abs(shift_ns), candidate_n) = 1
  ) AS a
  LEFT JOIN judged AS b
    ON b.hub = a.hub AND b.spoke = a.spoke AND b.is_possible AND abs(b.lag - a.lag) >= 0.2
  GROUP BY a.hub, a.spoke
),
claim AS (
  SELECT
    j.*,
    CASE
      WHEN j.is_best AND j.is_supported AND (j.is_in_step OR NOT j.has_steps) AND j.n_rivals = 0
        -- Ends that are farther apart may be those of other collectives in an equal rhythm.
        AND (j.tolerance_ns <= 80000 OR (j.is_since_epoch AND abs(j.shift_ns) < 2000000))
        THEN 1
      WHEN j.is_possible AND j.is_in_step THEN 2
      WHEN j.has_steps THEN 9
      -- Unless the clocks and equal counts contradict each other.
      WHEN k.nearest_ns <= 50000
        AND (j.is_same_host OR (j.n_good >= 0.7 * j.best_good AND (j.is_whole OR NOT j.has_whole)))
        AND coalesce(k.next_ns >= greatest(k.nearest_ns, 5000) * if(j.is_same_host, 3, 20), true)
        THEN 3
      WHEN j.is_possible AND j.is_whole AND j.n_good >= 4 AND k.nearest_ns < 2000000
        AND k.next_ns >= 3 * k.nearest_ns
        THEN 4
      WHEN j.is_whole THEN 8
      ELSE 9
    END AS claim
  FROM judged AS j
  LEFT JOIN same_clock AS k
    ON k.hub = j.hub AND k.spoke = j.spoke AND k.candidate_n = j.candidate_n
)
SELECT
  hub AS hub_trace_id,
  spoke AS spoke_trace_id,
  reference_ns,
  shift_ns,
  slope::DOUBLE AS drift,
  tolerance_ns::BIGINT AS tolerance_ns,
  n_good,
  n_bad::BIGINT AS n_bad,
  n_rivals,
  claim < 8 AS is_certain,
  CASE claim WHEN 1 THEN 'ends' WHEN 2 THEN 'steps' WHEN 3 THEN 'clock' WHEN 4 THEN 'whole' ELSE 'none' END
    AS evidence
FROM claim
QUALIFY row_number() OVER (
  PARTITION BY hub, spoke
  ORDER BY claim, CASE WHEN claim = 2 THEN off_step_ns END, NOT is_best, weight DESC, candidate_n
) = 1
ORDER BY hub_trace_id, spoke_trace_id
