/* ---
name = "compare_collectives"
version = 3
title = "Collectives of two sides by kind, group, type and message size: added, removed and changed"
help = """
All traces of a side are combined. A row is a kind of collective with its group size, element type and
message size, as collective_op gives them; counted are the records that last as long as the
communication, on the device where a side has them there, else on the host. Figures are per whole step
and rank where both sides have steps, else per trace; n_outside_a and n_outside_b count those outside of
whole steps, which are not compared. In a time window whole steps have all their collectives, whenever
these run; of others those that run in it count, and of figures per trace, the parts inside it. Added
and removed collectives come first, then those whose rate changed, then those whose time changed most.
They are not compared if they are on the device and one side did not record device work; times are not
if one side has them on the host, the other on the device.
"""
grain = ["kind", "group_size", "data_type", "message_bytes"]
requires = { schema = ">=1", queries = ["collective_op@1", "compare_step@1", "compare_unit@1"] }
columns = [
  "status", "not_compared", "kind", "group_size", "data_type", "message_bytes", "basis", "n_a", "n_b", "rate_a",
  "rate_b", "total_a_ns", "total_b_ns", "per_unit_a_ns", "per_unit_b_ns", "change_ns",
  "change_ratio", "n_outside_a", "n_outside_b",
]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of rows; null: all"

[column]
data_type.help = "Element type"
message_bytes.help = "Message size, as NCCL tests count it; NULL: unknown"
basis = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('step', 'trace')", help = "step: figures are per step and rank; trace: per trace; NULL: not compared" }
not_compared = { type = "VARCHAR", unit = "text", nullable = true, help = "Why it or its time is not compared; NULL: it is" }
n_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number on side a, in whole steps if basis is step" }
n_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_a, on side b" }
rate_a = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "Number per step and rank, or per trace; NULL: not compared" }
rate_b = { type = "DOUBLE", unit = "ratio", nullable = true, check = ">= 0", help = "As rate_a, on side b" }
total_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations on side a" }
total_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As total_a_ns, on side b" }
per_unit_a_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Time per step and rank, or per trace; NULL: not compared" }
per_unit_b_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "As per_unit_a_ns, on side b" }
change_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "per_unit_b_ns - per_unit_a_ns" }
change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "change_ns / per_unit_a_ns; NULL if that is 0" }
n_outside_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number outside of whole steps on side a" }
n_outside_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_outside_a, on side b" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'rate', 'time', 'same', 'not_compared')"
help = "added or removed; rate: more or fewer per step or trace; time: equal rates and other durations; same; not_compared: only outside of steps, or one side has no device work"

[changes]
1 = "first version"
3 = "a time window limits what counts"
2 = "compares whole steps, per step and rank; not what one side did not record"
--- */
WITH unit AS (
  SELECT side, trace_id, n_steps
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject = 'steps'
),
basis AS (
  SELECT
    CASE
      WHEN max(CASE WHEN side = 'a' THEN n_steps ELSE 0 END) > 0
        AND max(CASE WHEN side = 'b' THEN n_steps ELSE 0 END) > 0
      THEN 'step'
      ELSE 'trace'
    END AS basis
  FROM unit
),
divisor AS (
  SELECT
    u.side,
    u.trace_id,
    z.basis,
    CASE z.basis WHEN 'step' THEN nullif(u.n_steps, 0) ELSE 1 END
      * sum(CASE WHEN z.basis = 'trace' OR u.n_steps > 0 THEN 1 ELSE 0 END)
        OVER (PARTITION BY u.side) AS divisor
  FROM unit AS u
  CROSS JOIN basis AS z
),
recorded AS (
  SELECT
    d.side,
    o.side AS place,
    max(CASE WHEN o.side = 'device' THEN 1 ELSE 0 END) OVER (PARTITION BY d.side) AS has_device,
    o.slice_id,
    o.trace_id,
    o.kind,
    o.group_size,
    o.data_type,
    o.message_bytes,
    o.start_ns,
    CASE WHEN d.basis = 'step' THEN o.end_ns - o.start_ns
      ELSE greatest(least(o.end_ns, w.to_ns) - greatest(o.start_ns, w.from_ns), 0)
    END AS dur_ns,
    v.slice_id IS NOT NULL AS is_in_window,
    d.basis,
    d.divisor
  FROM collective_op() AS o
  JOIN divisor AS d ON d.trace_id = o.trace_id
  CROSS JOIN time_window AS w
  LEFT JOIN collective AS v ON v.slice_id = o.slice_id
  WHERE o.is_transfer
),
-- The step of work is that of its launch; of a call, that in which it begins.
placed AS (
  SELECT
    r.side,
    r.place,
    r.has_device,
    r.slice_id,
    r.trace_id,
    r.kind,
    r.group_size,
    r.data_type,
    r.message_bytes,
    r.dur_ns,
    r.divisor,
    r.divisor IS NOT NULL AND (r.basis = 'trace' OR count(s.step_id) > 0) AS is_inside
  FROM recorded AS r
  LEFT JOIN whole_link AS k
    ON k.to_id = r.slice_id AND k.kind = 'step' AND k.link_set = 'default' AND r.place = 'device'
  LEFT JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS s
    ON s.side = r.side AND s.trace_id = r.trace_id
    AND (
      s.step_id = k.from_id
      OR (r.place = 'host' AND r.start_ns >= s.start_ns AND r.start_ns < s.end_ns)
    )
  WHERE r.has_device = 0 OR r.place = 'device'
  GROUP BY
    r.side, r.place, r.has_device, r.slice_id, r.trace_id, r.kind, r.group_size, r.data_type,
    r.message_bytes, r.dur_ns, r.divisor, r.basis, r.is_in_window
  HAVING r.is_in_window OR (r.basis = 'step' AND count(s.step_id) > 0)
),
recorded_where AS (
  SELECT
    max(CASE WHEN side = 'a' THEN has_device END) AS has_device_a,
    max(CASE WHEN side = 'b' THEN has_device END) AS has_device_b
  FROM placed
),
missing_work AS (
  SELECT max(not_compared) AS reason
  FROM compare_unit($a::VARCHAR, $b::VARCHAR)
  WHERE subject = 'device'
),
reason AS (
  SELECT
    CASE WHEN w.has_device_a IS NULL OR w.has_device_b IS NULL THEN m.reason END AS none,
    CASE
      WHEN w.has_device_a <> w.has_device_b
      THEN 'one side has them on the host, the other on the device'
    END AS other_place
  FROM recorded_where AS w
  CROSS JOIN missing_work AS m
),
by_trace AS (
  SELECT
    side, trace_id, kind, group_size, data_type, message_bytes,
    sum(CASE WHEN is_inside THEN 1 ELSE 0 END)::BIGINT AS n,
    sum(CASE WHEN is_inside THEN dur_ns ELSE 0 END)::BIGINT AS total_ns,
    sum(CASE WHEN is_inside THEN 0 ELSE 1 END)::BIGINT AS n_outside,
    sum(CASE WHEN is_inside THEN 1 ELSE 0 END) / max(divisor) AS rate,
    sum(CASE WHEN is_inside THEN dur_ns ELSE 0 END) / max(divisor) AS per_unit_ns
  FROM placed
  GROUP BY side, trace_id, kind, group_size, data_type, message_bytes
),
counted AS (
  SELECT
    kind,
    group_size,
    data_type,
    message_bytes,
    sum(CASE WHEN side = 'a' THEN n ELSE 0 END)::BIGINT AS n_a,
    sum(CASE WHEN side = 'b' THEN n ELSE 0 END)::BIGINT AS n_b,
    sum(CASE WHEN side = 'a' THEN n_outside ELSE 0 END)::BIGINT AS n_outside_a,
    sum(CASE WHEN side = 'b' THEN n_outside ELSE 0 END)::BIGINT AS n_outside_b,
    sum(CASE WHEN side = 'a' THEN total_ns ELSE 0 END)::BIGINT AS total_a_ns,
    sum(CASE WHEN side = 'b' THEN total_ns ELSE 0 END)::BIGINT AS total_b_ns,
    round(sum(CASE WHEN side = 'a' THEN rate ELSE 0 END), 9)::DOUBLE AS rate_a,
    round(sum(CASE WHEN side = 'b' THEN rate ELSE 0 END), 9)::DOUBLE AS rate_b,
    -- A millionth of a nanosecond is rounding.
    round(sum(CASE WHEN side = 'a' THEN per_unit_ns ELSE 0 END), 6)::DOUBLE AS per_unit_a_ns,
    round(sum(CASE WHEN side = 'b' THEN per_unit_ns ELSE 0 END), 6)::DOUBLE AS per_unit_b_ns
  FROM by_trace
  GROUP BY kind, group_size, data_type, message_bytes
),
rated AS (
  SELECT
    CASE
      WHEN r.none IS NOT NULL OR (c.n_a = 0 AND c.n_b = 0) THEN 'not_compared'
      WHEN c.n_a = 0 THEN 'added'
      WHEN c.n_b = 0 THEN 'removed'
      WHEN c.rate_a <> c.rate_b THEN 'rate'
      WHEN r.other_place IS NULL AND c.per_unit_a_ns <> c.per_unit_b_ns THEN 'time'
      ELSE 'same'
    END AS status,
    c.*,
    CASE
      WHEN c.n_a = 0 AND c.n_b = 0 THEN 'outside of whole steps'
      ELSE coalesce(r.none, r.other_place)
    END AS not_compared,
    CASE WHEN r.none IS NULL AND c.n_a + c.n_b > 0 THEN z.basis END AS basis,
    r.other_place IS NULL AS is_timed
  FROM counted AS c
  CROSS JOIN basis AS z
  CROSS JOIN reason AS r
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY
        CASE
          WHEN status IN ('added', 'removed') THEN 1
          WHEN status = 'rate' THEN 2
          WHEN status <> 'not_compared' THEN 3
          ELSE 4
        END,
        abs(per_unit_b_ns - per_unit_a_ns) DESC, kind, group_size, data_type, message_bytes
    ) AS place
  FROM rated
)
SELECT
  status,
  not_compared,
  kind,
  group_size,
  data_type,
  message_bytes,
  basis,
  n_a,
  n_b,
  CASE WHEN basis IS NOT NULL THEN rate_a END AS rate_a,
  CASE WHEN basis IS NOT NULL THEN rate_b END AS rate_b,
  total_a_ns,
  total_b_ns,
  CASE WHEN basis IS NOT NULL AND is_timed THEN per_unit_a_ns END AS per_unit_a_ns,
  CASE WHEN basis IS NOT NULL AND is_timed THEN per_unit_b_ns END AS per_unit_b_ns,
  CASE WHEN basis IS NOT NULL AND is_timed THEN per_unit_b_ns - per_unit_a_ns END AS change_ns,
  CASE
    WHEN basis IS NOT NULL AND is_timed THEN (per_unit_b_ns - per_unit_a_ns) / nullif(per_unit_a_ns, 0)
  END AS change_ratio,
  n_outside_a,
  n_outside_b
FROM shown
WHERE $top::BIGINT IS NULL OR place <= $top::BIGINT
ORDER BY place
