/* ---
name = "compare_collectives"
version = 1
title = "Collectives of two sides by kind, group, type and message size: added, removed and changed"
help = """
All traces of a side are combined. A row is a kind of collective with its group size, element type and
message size, as collective_op gives them; counted are the records that last as long as the
communication, on the device where a side has them there, else on the host. Rates are per step where
both sides have steps, else per trace. Added and removed collectives come first, then those whose rate
changed, then those whose time changed most.
"""
grain = ["kind", "group_size", "data_type", "message_bytes"]
requires = { schema = ">=1", queries = ["collective_op@1", "compare_side@1", "compare_size@1"] }
columns = [
  "status", "kind", "group_size", "data_type", "message_bytes", "basis", "n_a", "n_b", "rate_a",
  "rate_b", "total_a_ns", "total_b_ns", "per_unit_a_ns", "per_unit_b_ns", "change_ns",
  "change_ratio",
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
basis = { type = "VARCHAR", unit = "text", check = "IN ('step', 'trace')", help = "step: rates and times are per step; trace: per trace" }
n_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number on side a" }
n_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number on side b" }
rate_a = { type = "DOUBLE", unit = "ratio", check = ">= 0", help = "n_a per step or trace" }
rate_b = { type = "DOUBLE", unit = "ratio", check = ">= 0", help = "n_b per step or trace" }
total_a_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of the durations on side a" }
total_b_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "As total_a_ns, on side b" }
per_unit_a_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "total_a_ns per step or trace" }
per_unit_b_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "As per_unit_a_ns, on side b" }
change_ns = { type = "DOUBLE", unit = "ns", help = "per_unit_b_ns - per_unit_a_ns" }
change_ratio = { type = "DOUBLE", unit = "ratio", nullable = true, help = "change_ns / per_unit_a_ns; NULL if that is 0" }

[column.status]
type = "VARCHAR"
unit = "text"
check = "IN ('added', 'removed', 'rate', 'time', 'same')"
help = "added or removed; rate: more or fewer per step or trace; time: equal rates and other durations; same"

[changes]
1 = "first version"
--- */
WITH unit AS (
  SELECT
    CASE WHEN n_steps_a > 0 AND n_steps_b > 0 THEN 'step' ELSE 'trace' END AS basis,
    CASE WHEN n_steps_a > 0 AND n_steps_b > 0 THEN n_steps_a ELSE n_traces_a END AS units_a,
    CASE WHEN n_steps_a > 0 AND n_steps_b > 0 THEN n_steps_b ELSE n_traces_b END AS units_b
  FROM compare_size($a::VARCHAR, $b::VARCHAR)
),
placed AS (
  SELECT
    c.side,
    o.side AS place,
    max(CASE WHEN o.side = 'device' THEN 1 ELSE 0 END) OVER (PARTITION BY c.side) AS has_device,
    o.kind,
    o.group_size,
    o.data_type,
    o.message_bytes,
    o.end_ns - o.start_ns AS dur_ns
  FROM collective_op() AS o
  JOIN compare_side($a::VARCHAR, $b::VARCHAR) AS c ON c.trace_id = o.trace_id
  WHERE o.is_transfer
),
counted AS (
  SELECT
    kind,
    group_size,
    data_type,
    message_bytes,
    sum(CASE WHEN side = 'a' THEN 1 ELSE 0 END)::BIGINT AS n_a,
    sum(CASE WHEN side = 'b' THEN 1 ELSE 0 END)::BIGINT AS n_b,
    sum(CASE WHEN side = 'a' THEN dur_ns ELSE 0 END)::BIGINT AS total_a_ns,
    sum(CASE WHEN side = 'b' THEN dur_ns ELSE 0 END)::BIGINT AS total_b_ns
  FROM placed
  WHERE has_device = 0 OR place = 'device'
  GROUP BY kind, group_size, data_type, message_bytes
),
rated AS (
  SELECT
    CASE
      WHEN c.n_a = 0 THEN 'added'
      WHEN c.n_b = 0 THEN 'removed'
      WHEN c.n_a * u.units_b <> c.n_b * u.units_a THEN 'rate'
      WHEN c.total_a_ns * u.units_b <> c.total_b_ns * u.units_a THEN 'time'
      ELSE 'same'
    END AS status,
    c.*,
    u.basis,
    c.n_a / u.units_a AS rate_a,
    c.n_b / u.units_b AS rate_b,
    c.total_a_ns / u.units_a AS per_unit_a_ns,
    c.total_b_ns / u.units_b AS per_unit_b_ns
  FROM counted AS c
  CROSS JOIN unit AS u
),
shown AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY
        CASE WHEN status IN ('added', 'removed') THEN 1 WHEN status = 'rate' THEN 2 ELSE 3 END,
        abs(per_unit_b_ns - per_unit_a_ns) DESC, kind, group_size, data_type, message_bytes
    ) AS place
  FROM rated
)
SELECT
  status,
  kind,
  group_size,
  data_type,
  message_bytes,
  basis,
  n_a,
  n_b,
  rate_a,
  rate_b,
  total_a_ns,
  total_b_ns,
  per_unit_a_ns,
  per_unit_b_ns,
  per_unit_b_ns - per_unit_a_ns AS change_ns,
  (per_unit_b_ns - per_unit_a_ns) / nullif(per_unit_a_ns, 0) AS change_ratio
FROM shown
WHERE $top::BIGINT IS NULL OR place <= $top::BIGINT
ORDER BY place
