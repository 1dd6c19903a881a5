/* ---
name = "link_collective_peer"
version = 1
title = "Links from a collective on its lowest rank to the same collective on other ranks"
help = """
Only operations with equal match_key (collective_op) can be one collective. If every rank numbers
its operations, equal numbers are one collective; several operations with one number (coalesced
calls) are matched in order.

Without numbers each rank is compared with the lowest rank that has the key. The ends of one
collective are close together on all ranks, so the clock difference is where differences of ends
cluster, counted within 50 µs, 500 µs and 5 ms; clocks that count from 1970 are assumed to differ by
little rather than much. Then, for each key: if both ranks have equally many operations and, with
the clocks aligned, the n-th of one meets the n-th of the other, order decides. Otherwise one rank
lacks some operations, and an operation is linked to the one with the nearest end if each is the
other's nearest, they are no farther apart than half the shorter one (or 1 ms), and both run at one
time where the kind requires it. Records lost on one rank, or from before its profiler started,
therefore shift nothing. Operations missing on the lowest rank are not linked then. Calls that only
enqueue are linked together with the device work they caused.
"""
grain = ["to_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.run_id]
type = "BIGINT"
help = "Run to link"

[column]
from_id.help = "Slice of the collective on the lowest rank that has it"
to_id.help = "Slice of the collective on another rank"
kind.help = "collective_peer"
rule.help = "sequence, or order"

[column.confidence]
help = "sequence: 1 if the number is unique, 0.9 if all ranks have it equally often, else 0.5; order: 0.9 if order and times agree, 0.8 if times are inconclusive, 0.7 if times decide, 0.5 if times are those of calls that only enqueue or fit another clock difference almost as well, or if times are inconclusive and other collectives of the two ranks are out of order"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    slice_id,
    trace_id,
    rank,
    match_key,
    sequence_number,
    is_transfer,
    is_synchronizing,
    -- Kinds in which not all ranks wait for each other: only the order is known.
    kind IN ('broadcast', 'reduce', 'gather', 'scatter', 'send', 'recv') AS is_one_way,
    base_ns + start_ns AS start_ns,
    base_ns + end_ns AS end_ns,
    base_ns > 946684800000000000 AS is_since_epoch, -- The year 2000.
    count(sequence_number) OVER same_key = count(*) OVER same_key AS is_numbered,
    row_number() OVER (
      PARTITION BY trace_id, match_key, sequence_number ORDER BY start_ns, slice_id
    ) AS occurrence
  FROM collective_op()
  WHERE run_id = $run_id::BIGINT
  WINDOW same_key AS (PARTITION BY match_key)
),
-- Collectives identified by their number.
numbered AS (
  SELECT
    *,
    first_value(slice_id) OVER (
      PARTITION BY match_key, sequence_number, occurrence
      ORDER BY rank NULLS LAST, trace_id
    ) AS hub_id,
    count(*) OVER (PARTITION BY match_key, sequence_number, trace_id) AS n_same
  FROM op
  WHERE is_numbered
),
by_sequence AS (
  SELECT
    hub_id,
    slice_id,
    CASE
      WHEN max(n_same) OVER same_number = 1 THEN 1
      WHEN max(n_same) OVER same_number = min(n_same) OVER same_number THEN 0.9
      ELSE 0.5
    END AS confidence
  FROM numbered
  WINDOW same_number AS (PARTITION BY match_key, sequence_number)
),
-- All others: each rank paired with the lowest rank that has the key.
placed AS (
  SELECT
    *,
    first_value(trace_id) OVER (
      PARTITION BY match_key ORDER BY rank NULLS LAST, trace_id
    ) AS hub_trace_id,
    row_number() OVER (PARTITION BY trace_id, match_key ORDER BY start_ns, slice_id) AS n,
    count(*) OVER (PARTITION BY trace_id, match_key) AS n_ops
  FROM op
  WHERE NOT is_numbered
),
hub AS (
  SELECT * FROM placed WHERE trace_id = hub_trace_id
),
spoke AS (
  SELECT p.*
  FROM placed AS p
  JOIN (SELECT DISTINCT match_key, rank FROM hub) AS h ON h.match_key = p.match_key
  WHERE p.trace_id <> p.hub_trace_id
    AND (p.rank <> h.rank OR p.rank IS NULL) -- A rank may have several recordings.
),
-- Pairs that vote on the difference of two clocks: for each key at most 16 operations of the hub
-- with all of the other rank, rare keys first, and enqueuing calls only if there is nothing else.
ballot AS (
  SELECT
    *,
    sum(least(hub_n_ops, 16) * n_ops) OVER (
      PARTITION BY hub_trace_id, trace_id, is_transfer
      ORDER BY least(hub_n_ops, 16) * n_ops, match_key
      ROWS UNBOUNDED PRECEDING
    ) - least(hub_n_ops, 16) * n_ops AS n_before,
    bool_or(is_transfer) OVER (PARTITION BY hub_trace_id, trace_id) AS has_transfers
  FROM (
    SELECT
      s.hub_trace_id,
      s.trace_id,
      s.match_key,
      s.is_transfer,
      s.n_ops,
      h.n_ops AS hub_n_ops
    FROM hub AS h
    JOIN spoke AS s ON s.match_key = h.match_key
    WHERE s.n = 1 AND h.n = 1
  )
),
vote AS (
  SELECT
    b.hub_trace_id,
    b.trace_id,
    h.end_ns - s.end_ns AS shift_ns,
    abs(h.n - s.n) AS lag,
    h.is_since_epoch AND s.is_since_epoch AS is_since_epoch
  FROM spoke AS s
  JOIN hub AS h ON h.match_key = s.match_key
  JOIN ballot AS b ON b.match_key = s.match_key AND b.trace_id = s.trace_id
  WHERE b.n_before < 10000
    AND b.is_transfer = b.has_transfers
    AND h.n % (h.n_ops // 16 + 1) = 0
),
crowd AS (
  SELECT
    hub_trace_id,
    trace_id,
    shift_ns,
    lag,
    (
      count(*) OVER (near RANGE BETWEEN 50000 PRECEDING AND 50000 FOLLOWING)
      + count(*) OVER (near RANGE BETWEEN 500000 PRECEDING AND 500000 FOLLOWING)
      + count(*) OVER (near RANGE BETWEEN 5000000 PRECEDING AND 5000000 FOLLOWING)
    ) * CASE WHEN is_since_epoch AND abs(shift_ns) < 50000000 THEN 1.5 ELSE 1 END AS score
  FROM vote
  WINDOW near AS (PARTITION BY hub_trace_id, trace_id ORDER BY shift_ns)
),
chosen_shift AS (
  SELECT *
  FROM (
    SELECT
      hub_trace_id,
      trace_id,
      shift_ns,
      score,
      row_number() OVER (
        PARTITION BY hub_trace_id, trace_id
        ORDER BY score DESC, lag, abs(shift_ns), shift_ns
      ) AS place
    FROM crowd
  )
  WHERE place = 1
),
clock_shift AS (
  SELECT
    e.hub_trace_id,
    e.trace_id,
    min(e.shift_ns) AS shift_ns,
    coalesce(
      max(CASE WHEN abs(c.shift_ns - e.shift_ns) > 10000000 THEN c.score END)
        >= 0.9 * min(e.score),
      false
    ) AS is_doubtful
  FROM crowd AS c
  JOIN chosen_shift AS e ON e.hub_trace_id = c.hub_trace_id AND e.trace_id = c.trace_id
  GROUP BY e.hub_trace_id, e.trace_id
),
-- Operations of the other rank on the hub's clock.
shifted AS (
  SELECT
    s.slice_id,
    s.trace_id,
    s.hub_trace_id,
    s.match_key,
    s.n,
    s.n_ops,
    s.is_transfer,
    s.is_synchronizing,
    s.is_one_way,
    c.is_doubtful,
    s.start_ns + c.shift_ns AS start_ns,
    s.end_ns + c.shift_ns AS end_ns
  FROM spoke AS s
  JOIN clock_shift AS c ON c.hub_trace_id = s.hub_trace_id AND c.trace_id = s.trace_id
),
in_order AS (
  SELECT
    h.slice_id AS hub_id,
    s.slice_id,
    s.hub_trace_id,
    s.trace_id,
    s.match_key,
    s.is_transfer AND NOT s.is_one_way AS is_timed,
    s.is_doubtful,
    bool_and(
      NOT s.is_transfer
      OR s.is_one_way
      OR greatest(h.start_ns, s.start_ns) <= least(h.end_ns, s.end_ns) + 1000000
    ) OVER (PARTITION BY s.trace_id, s.match_key) AS is_met
  FROM shifted AS s
  JOIN hub AS h ON h.match_key = s.match_key AND h.n = s.n AND h.n_ops = s.n_ops
),
-- If operations with meaningful times are out of order, those without may be as well.
disorder AS (
  SELECT DISTINCT s.hub_trace_id, s.trace_id
  FROM shifted AS s
  JOIN hub AS h ON h.match_key = s.match_key AND h.n = 1
  LEFT JOIN (SELECT DISTINCT trace_id, match_key FROM in_order WHERE is_met) AS o
    ON o.trace_id = s.trace_id AND o.match_key = s.match_key
  WHERE s.is_transfer AND NOT s.is_one_way AND o.trace_id IS NULL
),
by_order AS (
  SELECT
    o.hub_id,
    o.slice_id,
    o.trace_id,
    o.match_key,
    CASE
      WHEN o.is_timed AND NOT o.is_doubtful THEN 0.9
      WHEN o.is_timed OR d.trace_id IS NOT NULL THEN 0.5
      ELSE 0.8
    END AS confidence
  FROM in_order AS o
  LEFT JOIN disorder AS d ON d.hub_trace_id = o.hub_trace_id AND d.trace_id = o.trace_id
  WHERE o.is_met
),
-- Keys that cannot be matched by order: operations of both ranks in order of their ends.
unsettled AS (
  SELECT s.*
  FROM shifted AS s
  ANTI JOIN by_order AS o ON o.trace_id = s.trace_id AND o.match_key = s.match_key
),
both_sides AS (
  SELECT
    trace_id AS spoke_trace_id, match_key, slice_id, NULL AS hub_id, end_ns
  FROM unsettled
  UNION ALL
  SELECT u.trace_id, h.match_key, NULL, h.slice_id, h.end_ns
  FROM hub AS h
  JOIN (SELECT DISTINCT trace_id, match_key FROM unsettled) AS u ON u.match_key = h.match_key
),
neighbour AS (
  SELECT
    *,
    max(CASE WHEN hub_id IS NOT NULL THEN end_ns END) OVER earlier AS hub_before_ns,
    min(CASE WHEN hub_id IS NOT NULL THEN end_ns END) OVER later AS hub_after_ns,
    max(CASE WHEN slice_id IS NOT NULL THEN end_ns END) OVER earlier AS spoke_before_ns,
    min(CASE WHEN slice_id IS NOT NULL THEN end_ns END) OVER later AS spoke_after_ns
  FROM both_sides
  WINDOW
    earlier AS (
      PARTITION BY spoke_trace_id, match_key ORDER BY end_ns
      RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ),
    later AS (
      PARTITION BY spoke_trace_id, match_key ORDER BY end_ns
      RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    )
),
hub_choice AS (
  SELECT
    spoke_trace_id,
    match_key,
    hub_id,
    end_ns,
    CASE
      WHEN spoke_after_ns IS NULL OR end_ns - spoke_before_ns <= spoke_after_ns - end_ns
        THEN spoke_before_ns
      ELSE spoke_after_ns
    END AS spoke_end_ns
  FROM neighbour
  WHERE hub_id IS NOT NULL
),
spoke_choice AS (
  SELECT
    spoke_trace_id,
    match_key,
    slice_id,
    end_ns,
    CASE
      WHEN hub_after_ns IS NULL OR end_ns - hub_before_ns <= hub_after_ns - end_ns
        THEN hub_before_ns
      ELSE hub_after_ns
    END AS hub_end_ns
  FROM neighbour
  WHERE slice_id IS NOT NULL
),
mutual AS (
  SELECT
    h.hub_id,
    s.slice_id,
    row_number() OVER (
      PARTITION BY s.spoke_trace_id, h.hub_id ORDER BY s.slice_id
    ) AS hub_place,
    row_number() OVER (PARTITION BY s.slice_id ORDER BY h.hub_id) AS place
  FROM spoke_choice AS s
  JOIN hub_choice AS h
    ON h.spoke_trace_id = s.spoke_trace_id
    AND h.match_key = s.match_key
    AND h.end_ns = s.hub_end_ns
    AND h.spoke_end_ns = s.end_ns
),
by_time AS (
  SELECT
    m.hub_id,
    m.slice_id,
    u.trace_id,
    u.match_key,
    CASE WHEN u.is_doubtful OR NOT u.is_transfer THEN 0.5 ELSE 0.7 END AS confidence
  FROM unsettled AS u
  JOIN mutual AS m ON m.slice_id = u.slice_id
  JOIN hub AS h ON h.slice_id = m.hub_id
  WHERE m.place = m.hub_place
    AND (
      NOT u.is_transfer
      OR abs(h.end_ns - u.end_ns)
        <= greatest(least(h.end_ns - h.start_ns, u.end_ns - u.start_ns) // 2, 1000000)
    )
    AND (
      NOT u.is_synchronizing
      OR greatest(h.start_ns, u.start_ns) <= least(h.end_ns, u.end_ns) + 1000000
    )
),
by_operation AS (
  SELECT hub_id, slice_id, trace_id, match_key, confidence FROM by_order
  UNION ALL
  SELECT hub_id, slice_id, trace_id, match_key, confidence FROM by_time
),
-- Calls are matched by the work they caused, which is more reliable than their own order and times.
enqueued AS (
  SELECT o.from_id AS call_id, c.to_id AS slice_id
  FROM link AS o
  JOIN (
    SELECT l.from_id, l.to_id
    FROM link AS l
    JOIN placed AS p ON p.slice_id = l.to_id
    WHERE l.kind = 'launch' AND l.link_set = 'default'
  ) AS c ON c.from_id = o.to_id
  WHERE o.kind = 'op_launch' AND o.link_set = 'default'
),
by_work AS (
  SELECT
    min(h.call_id) AS hub_id,
    s.call_id AS slice_id,
    min(p.trace_id) AS trace_id,
    min(p.match_key) AS match_key,
    min(b.confidence) AS confidence
  FROM by_operation AS b
  JOIN enqueued AS h ON h.slice_id = b.hub_id
  JOIN enqueued AS s ON s.slice_id = b.slice_id
  JOIN placed AS p ON p.slice_id = s.call_id
  JOIN placed AS q ON q.slice_id = h.call_id AND q.match_key = p.match_key
  WHERE NOT p.is_transfer
  GROUP BY s.call_id
),
unnumbered AS (
  SELECT b.hub_id, b.slice_id, b.confidence
  FROM by_operation AS b
  ANTI JOIN by_work AS w ON w.trace_id = b.trace_id AND w.match_key = b.match_key
  UNION ALL
  SELECT hub_id, slice_id, confidence
  FROM by_work
)
SELECT
  hub_id AS from_id,
  slice_id AS to_id,
  'collective_peer' AS kind,
  rule,
  confidence::DOUBLE AS confidence
FROM (
  SELECT hub_id, slice_id, 'sequence' AS rule, confidence
  FROM by_sequence
  WHERE hub_id <> slice_id
  UNION ALL
  SELECT hub_id, slice_id, 'order', confidence
  FROM unnumbered
)
ORDER BY to_id
