/* ---
name = "link_collective_order"
version = 6
title = "Links from a collective without number on its lowest rank to the same one on other ranks"
help = """
Each rank is compared with the lowest rank that has the same match_key (collective_sequence), at the
difference of their clocks that clock_shift finds. An operation is linked to the one with the nearest
end if each is the other's nearest and they are at most as far apart as the tolerance of clock_shift.
Operations in which not all ranks wait for each other, such as broadcasts, are matched in order
between the collectives linked before and after them, if they are nearer to each other than to
others; sends and recvs only with those of equal size, where all sizes are recorded. Records lost on one rank, or from before its profiler started, therefore shift nothing.
Operations missing on the lowest rank are not linked. Calls that only enqueue are linked together
with the device work they caused.

Collectives of the host (gloo) run on several threads, and their ends on busy ranks are milliseconds
apart. On ranks of one host, whose clocks count from 1970, they are linked in the order of the calls
that enqueued them instead, if that order explains all of them: equally many on both, of equal
match_key, none over on a rank before it began on the other, and not so if one rank is a call behind.

If the clock difference is doubtful, links have confidence 0.5 and set no clock offsets. It is
doubtful where several differences fit equally well, as in regular programs, and nothing else
decides; where neither members nor names of groups are recorded on more than two ranks, because
ranks of different groups cannot be distinguished (calls of processes that are in one group only need
neither); and where links would let a rank leave a collective
before another has entered it, or a recv end before its send begins, or where the calls of a pair are not in the
same place among the calls after the linked collective, so that work of other calls is lost. Ranks that share only operations like broadcasts, and calls without
device work, are linked in order with confidence 0.5, if equally many are recorded on both. A call
whose work is linked from its rank to others is not linked in order to a lower rank without that work.
"""
grain = ["to_id"]
scale = "run"
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[requires]
schema = ">=11"
queries = ["clock_shift@2", "collective_op@1", "collective_sequence@1"]
rows = ["collective without sequence_number"]

[param.run_id]
type = "BIGINT"
help = "Run to link"

[column]
from_id.help = "Slice of the collective on the lowest rank that has it"
to_id.help = "Slice of the collective on another rank"
kind.help = "collective_peer"
rule.help = "order"
confidence.help = "0.9 if order and times agree, also that of calls, 0.8 if it is in order between collectives linked by time, 0.7 if times alone decide, 0.5 if doubtful"

[changes]
1 = "first version"
2 = "collectives of the host are linked in the order of the calls that enqueued them"
3 = "the choice between linked collectives that end at one time no longer depends on the ids of traces"
4 = "calls of more than two ranks are not doubtful if their processes are in one group only"
6 = "sends and recvs of different size are not linked; pairs are doubtful if their calls are in other places"
5 = "a recv that ends before its send begins is doubtful; a call is in one collective only, also where the work of the lowest rank is lost"
--- */
-- Each rank paired with the lowest rank that has the key, and its clock with that one's.
WITH sequence AS MATERIALIZED (
  SELECT hub_trace_id AS hub, spoke_trace_id AS spoke, * EXCLUDE (hub_trace_id, spoke_trace_id)
  FROM collective_sequence($run_id::BIGINT)
),
shift AS MATERIALIZED (
  SELECT
    hub_trace_id AS hub,
    spoke_trace_id AS spoke,
    reference_ns,
    shift_ns,
    drift,
    tolerance_ns,
    is_certain AND (
      (SELECT count(DISTINCT coalesce(rank, -id)) FROM trace WHERE run_id = $run_id::BIGINT) = 2
      OR NOT EXISTS (
        FROM sequence
        WHERE hub = hub_trace_id AND spoke = spoke_trace_id AND NOT is_named
      )
    ) AS is_certain
  FROM clock_shift($run_id::BIGINT)
),
-- Transfers of ranks of one host in the order of the calls that enqueued them.
called AS MATERIALIZED (
  SELECT
    o.*,
    row_number() OVER (
      PARTITION BY o.hub, o.spoke, o.is_hub ORDER BY k.base_ns + c.ts, c.id, o.slice_id
    ) AS place,
    count(*) OVER (PARTITION BY o.hub, o.spoke, o.is_hub) AS n_places
  FROM sequence AS o
  JOIN link AS e ON e.to_id = o.slice_id AND e.kind = 'enqueue' AND e.link_set = 'default'
  JOIN slice AS c ON c.id = e.from_id
  JOIN trace AS k ON k.id = o.trace_id
  JOIN trace AS h ON h.id = o.hub
  JOIN trace AS s ON s.id = o.spoke AND s.host_name = h.host_name
  WHERE o.is_transfer AND o.is_since_epoch
),
-- Calls of the same place on both ranks, and those one before and one behind.
abreast AS MATERIALIZED (
  SELECT
    s.hub,
    s.spoke,
    h.slice_id AS hub_id,
    s.slice_id,
    s.n_places,
    h.place - s.place AS ahead,
    h.n_places = s.n_places AND h.match_key = s.match_key AND (
      NOT s.is_synchronizing
      OR greatest(h.start_ns, s.start_ns) - least(h.end_ns, s.end_ns) <= 50000
    ) AS is_possible
  FROM (FROM called WHERE NOT is_hub) AS s
  JOIN (FROM called WHERE is_hub) AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.place BETWEEN s.place - 1 AND s.place + 1
),
in_step_of_calls AS (
  SELECT a.hub, a.spoke
  FROM abreast AS a
  GROUP BY a.hub, a.spoke
  HAVING bool_and(a.is_possible OR a.ahead <> 0)
    AND NOT bool_and(a.is_possible OR a.ahead <> 1)
    AND NOT bool_and(a.is_possible OR a.ahead <> -1)
    -- All transfers have a call.
    AND 2 * any_value(a.n_places) = (
      SELECT count(*) FROM sequence AS o WHERE o.hub = a.hub AND o.spoke = a.spoke AND o.is_transfer
    )
),
-- Processes that are in one group only, which is that of all their collectives.
in_one_group AS (
  SELECT trace_id FROM process_group GROUP BY trace_id HAVING count(*) = 1
),
of_several_groups AS (
  SELECT DISTINCT o.hub, o.spoke
  FROM sequence AS o
  ANTI JOIN in_one_group AS g ON g.trace_id = o.trace_id
  WHERE NOT o.is_named
),
by_call AS MATERIALIZED (
  SELECT
    a.hub,
    a.spoke,
    a.hub_id,
    a.slice_id,
    CASE
      WHEN (SELECT count(DISTINCT coalesce(rank, -id)) FROM trace WHERE run_id = $run_id::BIGINT) = 2
        OR (a.hub, a.spoke) NOT IN (FROM of_several_groups)
        THEN 0.9
      ELSE 0.5
    END AS confidence
  FROM abreast AS a
  SEMI JOIN in_step_of_calls AS p ON p.hub = a.hub AND p.spoke = a.spoke
  WHERE a.ahead = 0
),
-- Operations whose ends are compared, those of the other rank on the hub's clock.
timed AS MATERIALIZED (
  SELECT
    o.*,
    c.tolerance_ns,
    c.is_certain,
    o.start_ns + coalesce(
      CASE WHEN NOT o.is_hub THEN c.shift_ns + (c.drift * (o.start_ns - c.reference_ns))::BIGINT END,
      0
    ) AS shared_start_ns,
    o.end_ns + coalesce(
      CASE WHEN NOT o.is_hub THEN c.shift_ns + (c.drift * (o.end_ns - c.reference_ns))::BIGINT END,
      0
    ) AS shared_end_ns
  FROM sequence AS o
  JOIN shift AS c ON c.hub = o.hub AND c.spoke = o.spoke
  ANTI JOIN by_call AS k ON k.hub = o.hub AND k.spoke = o.spoke
  WHERE o.is_synchronizing
),
-- Ends that are next to each other on the two ranks, and nearer than those before and after.
beside AS (
  SELECT
    *,
    lag(after_ns) OVER ordered AS before_ns,
    lead(after_ns) OVER ordered AS next_after_ns
  FROM (
    SELECT
      *,
      lead(slice_id) OVER ordered AS after_id,
      lead(n) OVER ordered = n AND lead(n_ops) OVER ordered = n_ops AS is_same_place,
      CASE WHEN lead(is_hub) OVER ordered <> is_hub
        THEN lead(shared_end_ns) OVER ordered - shared_end_ns
      END AS after_ns,
      greatest(shared_start_ns, lead(shared_start_ns) OVER ordered) - shared_end_ns AS apart_ns
    FROM timed
    WINDOW ordered AS (
      PARTITION BY hub, spoke, match_key ORDER BY shared_end_ns, is_hub, n
    )
  )
  WINDOW ordered AS (PARTITION BY hub, spoke, match_key ORDER BY shared_end_ns, is_hub, n)
),
near AS MATERIALIZED (
  SELECT
    hub,
    spoke,
    match_key,
    CASE WHEN is_hub THEN slice_id ELSE after_id END AS hub_id,
    CASE WHEN is_hub THEN after_id ELSE slice_id END AS slice_id,
    is_certain,
    is_same_place
  FROM beside
  WHERE after_ns <= tolerance_ns
    AND (before_ns IS NULL OR after_ns < before_ns)
    AND (next_after_ns IS NULL OR after_ns <= next_after_ns)
    AND apart_ns <= 50000
),
-- Keys of which equally many are recorded on both ranks, and all that are near are in order: the
-- others are in order, too, if they run at one time.
whole_key AS (
  SELECT hub, spoke, match_key
  FROM near
  WHERE is_certain
  GROUP BY hub, spoke, match_key
  HAVING bool_and(is_same_place)
),
met AS MATERIALIZED (
  SELECT hub, spoke, hub_id, slice_id, is_certain, is_same_place FROM near
  UNION ALL
  SELECT s.hub, s.spoke, h.slice_id, s.slice_id, true, true
  FROM (FROM timed WHERE NOT is_hub) AS s
  JOIN (FROM timed WHERE is_hub) AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key
    AND h.n = s.n AND h.n_ops = s.n_ops
    AND greatest(h.shared_start_ns, s.shared_start_ns) <= least(h.shared_end_ns, s.shared_end_ns)
  JOIN whole_key AS k ON k.hub = s.hub AND k.spoke = s.spoke AND k.match_key = s.match_key
  ANTI JOIN near AS m ON m.hub = s.hub AND m.spoke = s.spoke AND m.slice_id = s.slice_id
  ANTI JOIN near AS o ON o.hub = s.hub AND o.spoke = s.spoke AND o.hub_id = h.slice_id
),
-- Pairs of ranks whose links would let a rank leave a collective before the other has entered it.
contradictory AS (
  SELECT m.hub, m.spoke
  FROM met AS m
  JOIN timed AS s ON s.slice_id = m.slice_id AND s.hub = m.hub AND s.spoke = m.spoke
  JOIN timed AS h ON h.slice_id = m.hub_id AND h.hub = m.hub AND h.spoke = m.spoke
  GROUP BY m.hub, m.spoke
  HAVING max(h.shared_start_ns - s.shared_end_ns) - min(h.shared_end_ns - s.shared_start_ns)
    > 5000 + (max(s.end_ns) - min(s.end_ns)) * 3e-5
),
by_time AS (
  SELECT
    m.hub,
    m.spoke,
    m.hub_id,
    m.slice_id,
    CASE WHEN NOT m.is_certain OR c.hub IS NOT NULL THEN 0.5 WHEN m.is_same_place THEN 0.9 ELSE 0.7 END
      AS confidence
  FROM met AS m
  LEFT JOIN contradictory AS c ON c.hub = m.hub AND c.spoke = m.spoke
),
-- Others, in order after the last collective that is linked, or before the first.
mark AS (
  SELECT o.hub, o.spoke, o.is_hub, o.trace_id, o.end_ns, m.hub_id, m.confidence
  FROM (
    SELECT hub, spoke, true AS is_hub, hub_id AS slice_id, hub_id, confidence FROM by_time
    UNION ALL
    SELECT hub, spoke, false, slice_id, hub_id, confidence FROM by_time
  ) AS m
  JOIN sequence AS o
    ON o.hub = m.hub AND o.spoke = m.spoke AND o.is_hub = m.is_hub AND o.slice_id = m.slice_id
),
-- Of those that end at one time, the last and the first.
last_mark AS (
  SELECT *
  FROM mark
  QUALIFY row_number() OVER (
    PARTITION BY hub, spoke, is_hub, trace_id, end_ns ORDER BY hub_id DESC
  ) = 1
),
first_mark AS (
  SELECT *
  FROM mark
  QUALIFY row_number() OVER (PARTITION BY hub, spoke, is_hub, trace_id, end_ns ORDER BY hub_id) = 1
),
-- Sizes of sends and recvs, where all of a key have one.
size AS MATERIALIZED (
  SELECT slice_id, message_bytes
  FROM (
    SELECT
      slice_id,
      message_bytes,
      count(message_bytes) OVER same_key = count(*) OVER same_key AS is_known
    FROM collective_op()
    WHERE run_id = $run_id::BIGINT AND kind IN ('send', 'recv') AND is_transfer
    WINDOW same_key AS (PARTITION BY match_key)
  )
  WHERE is_known
),
slotted AS (
  SELECT
    *,
    row_number() OVER (slot ORDER BY end_ns, n) AS place,
    row_number() OVER (slot ORDER BY end_ns DESC, n DESC) AS place_from_end,
    count(*) OVER slot AS n_placed
  FROM (
    SELECT
      o.*,
      z.message_bytes,
      b.hub_id AS before_id,
      a.hub_id AS after_id,
      least(a.confidence, b.confidence) AS confidence,
      -- Time since the one before, or to the one after: nearly the same on both ranks.
      coalesce(o.end_ns - b.end_ns, a.end_ns - o.end_ns) AS since_ns,
      least(
        o.end_ns - lag(o.end_ns) OVER same_key, lead(o.end_ns) OVER same_key - o.end_ns
      ) AS gap_ns
    FROM sequence AS o
    LEFT JOIN size AS z ON z.slice_id = o.slice_id
    ASOF LEFT JOIN last_mark AS b
      ON b.hub = o.hub AND b.spoke = o.spoke AND b.is_hub = o.is_hub AND b.trace_id = o.trace_id
      AND o.end_ns >= b.end_ns
    ASOF LEFT JOIN first_mark AS a
      ON a.hub = o.hub AND a.spoke = o.spoke AND a.is_hub = o.is_hub AND a.trace_id = o.trace_id
      AND o.end_ns < a.end_ns
    WHERE o.is_transfer AND NOT o.is_synchronizing
    WINDOW same_key AS (PARTITION BY o.hub, o.spoke, o.is_hub, o.match_key ORDER BY o.n)
  )
  WHERE before_id IS NOT NULL OR after_id IS NOT NULL
  WINDOW slot AS (
    PARTITION BY hub, spoke, is_hub, trace_id, match_key, message_bytes, before_id, after_id
  )
),
-- Calls that caused operations.
enqueued AS MATERIALIZED (
  SELECT o.from_id AS call_id, c.to_id AS slice_id
  FROM link AS o
  JOIN (
    SELECT l.from_id, l.to_id
    FROM link AS l
    WHERE l.kind = 'launch' AND l.link_set = 'default'
      AND l.to_id IN (SELECT slice_id FROM sequence WHERE is_transfer)
  ) AS c ON c.from_id = o.to_id
  WHERE o.kind = 'op_launch' AND o.link_set = 'default'
),
mark_call AS (
  SELECT m.hub, m.spoke, o.is_hub, m.hub_id, max(o.end_ns) AS end_ns
  FROM (
    SELECT hub, spoke, hub_id, hub_id AS slice_id FROM by_time
    UNION ALL
    SELECT hub, spoke, hub_id, slice_id FROM by_time
  ) AS m
  JOIN enqueued AS e ON e.slice_id = m.slice_id
  JOIN sequence AS o ON o.slice_id = e.call_id AND o.hub = m.hub AND o.spoke = m.spoke
  GROUP BY m.hub, m.spoke, o.is_hub, m.hub_id
),
-- The place of an operation's call among those of its key since the mark before, or to the one after.
called_place AS MATERIALIZED (
  SELECT q.hub, q.spoke, q.slice_id, abs(q.n - coalesce(k.n, 0)) AS call_place
  FROM (
    SELECT s.hub, s.spoke, s.is_hub, s.slice_id, c.match_key, c.n, m.end_ns
    FROM slotted AS s
    JOIN enqueued AS e ON e.slice_id = s.slice_id
    JOIN sequence AS c ON c.slice_id = e.call_id AND c.hub = s.hub AND c.spoke = s.spoke
    JOIN mark_call AS m
      ON m.hub = s.hub AND m.spoke = s.spoke AND m.is_hub = s.is_hub
      AND m.hub_id = coalesce(s.before_id, s.after_id)
  ) AS q
  ASOF LEFT JOIN (FROM sequence WHERE NOT is_transfer) AS k
    ON k.hub = q.hub AND k.spoke = q.spoke AND k.is_hub = q.is_hub AND k.match_key = q.match_key
    AND q.end_ns >= k.end_ns
),
by_place AS (
  SELECT
    s.hub,
    s.spoke,
    h.slice_id AS hub_id,
    s.slice_id,
    CASE
      -- A recv that ends before its send begins.
      WHEN CASE regexp_extract(s.match_key, '[|]from ([0-9]+) to ', 1)
        WHEN r.rank::VARCHAR
          THEN h.start_ns - s.end_ns - c.shift_ns - c.drift * (s.end_ns - c.reference_ns)
        WHEN t.rank::VARCHAR
          THEN s.start_ns - h.end_ns + c.shift_ns + c.drift * (s.start_ns - c.reference_ns)
      END > 50000 THEN 0.5
      -- Other calls in front of theirs: work of one is lost on each rank.
      WHEN p.call_place <> q.call_place THEN 0.5
      WHEN least(h.confidence, s.confidence) > 0.5 THEN 0.8
      ELSE 0.5
    END AS confidence
  FROM (FROM slotted WHERE NOT is_hub) AS s
  JOIN (FROM slotted WHERE is_hub) AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key
    AND h.message_bytes IS NOT DISTINCT FROM s.message_bytes
    AND h.before_id IS NOT DISTINCT FROM s.before_id AND h.after_id IS NOT DISTINCT FROM s.after_id
    AND CASE
      WHEN s.before_id IS NULL THEN h.place_from_end = s.place_from_end
      WHEN s.after_id IS NULL THEN h.place = s.place
      ELSE h.place = s.place AND h.n_placed = s.n_placed
    END
    AND 2 * abs(h.since_ns - s.since_ns) < coalesce(least(h.gap_ns, s.gap_ns), 2000000000)
  JOIN shift AS c ON c.hub = s.hub AND c.spoke = s.spoke
  JOIN trace AS r ON r.id = s.hub
  JOIN trace AS t ON t.id = s.spoke
  LEFT JOIN called_place AS p ON p.hub = s.hub AND p.spoke = s.spoke AND p.slice_id = s.slice_id
  LEFT JOIN called_place AS q ON q.hub = h.hub AND q.spoke = h.spoke AND q.slice_id = h.slice_id
),
-- Ranks that share no collective of which the ends are compared, and calls that only enqueue: in
-- order, if equally many are recorded on both ranks.
by_order AS (
  SELECT s.hub, s.spoke, s.match_key, s.is_transfer, h.slice_id AS hub_id, s.slice_id, 0.5 AS confidence
  FROM (FROM sequence WHERE NOT is_hub AND NOT is_synchronizing) AS s
  JOIN (FROM sequence WHERE is_hub AND NOT is_synchronizing) AS h
    ON h.hub = s.hub AND h.spoke = s.spoke AND h.match_key = s.match_key
    AND h.n = s.n AND h.n_ops = s.n_ops
  ANTI JOIN (
    SELECT hub, spoke FROM mark
    UNION
    SELECT hub, spoke FROM by_call
  ) AS m
    ON s.is_transfer AND m.hub = s.hub AND m.spoke = s.spoke
),
by_operation AS (
  SELECT hub_id, slice_id, confidence FROM by_call
  UNION ALL
  SELECT hub_id, slice_id, confidence FROM by_time
  UNION ALL
  SELECT hub_id, slice_id, confidence FROM by_place
  UNION ALL
  SELECT hub_id, slice_id, confidence FROM by_order WHERE is_transfer
),
-- Calls are matched by the work they caused, which is more reliable than their own order.
by_work AS (
  SELECT min(h.call_id) AS hub_id, s.call_id AS slice_id, min(b.confidence) AS confidence
  FROM by_operation AS b
  JOIN enqueued AS h ON h.slice_id = b.hub_id
  JOIN enqueued AS s ON s.slice_id = b.slice_id
  JOIN (SELECT DISTINCT slice_id, match_key FROM sequence WHERE NOT is_transfer) AS p
    ON p.slice_id = s.call_id
  JOIN (SELECT DISTINCT slice_id, match_key FROM sequence WHERE NOT is_transfer) AS q
    ON q.slice_id = h.call_id AND q.match_key = p.match_key
  GROUP BY s.call_id
),
-- If work of some calls is matched, that of the others is known to be missing.
worked AS (
  SELECT DISTINCT o.hub, o.spoke, o.match_key
  FROM sequence AS o
  JOIN by_work AS w ON w.slice_id = o.slice_id
),
unnumbered AS (
  SELECT hub_id, slice_id, confidence FROM by_operation
  UNION ALL
  SELECT hub_id, slice_id, confidence FROM by_work
  UNION ALL
  SELECT b.hub_id, b.slice_id, b.confidence
  FROM by_order AS b
  ANTI JOIN worked AS w
    ON w.hub = b.hub AND w.spoke = b.spoke AND w.match_key = b.match_key
  ANTI JOIN by_work AS v ON v.hub_id = b.slice_id
  WHERE NOT b.is_transfer
)
SELECT
  hub_id AS from_id,
  slice_id AS to_id,
  'collective_peer' AS kind,
  'order' AS rule,
  min(confidence)::DOUBLE AS confidence
FROM unnumbered
GROUP BY hub_id, slice_id
ORDER BY to_id
