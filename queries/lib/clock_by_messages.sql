/* ---
name = "clock_by_messages"
version = 1
title = "Clock offsets of `tw link --clock messages`: the smallest with which no receive ends before its send"
help = """
Each pair of a send and its receive on another host bounds the difference of two clocks: a receive does
not end before its send. Of all offsets of the hosts that fit, those with the least sum of squares count:
dPRO's mode 1. They are found by Hildreth's method, one bound after another, 64 times each; if the bounds
contradict each other, the last values count. The first host, by name, is the reference.
"""
grain = ["trace_id"]
requires = { schema = ">=17", queries = ["dpro_edge@1", "dpro_event@1"] }
portable = false
columns = ["trace_id", "offset_ns", "uncertainty_ns", "method", "drift"]

[param.run_id]
type = "BIGINT"
help = "Run whose clocks to compare"

[column]
drift.help = "Always NULL"

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset to add to the trace's clock; NULL: no messages between hosts"

[column.method]
type = "VARCHAR"
unit = "text"
nullable = true
help = "messages; NULL: no messages between hosts"

[changes]
1 = "first version"
--- */
WITH RECURSIVE transfer AS (
  SELECT e.process || '->' || e.name AS name, e.step, t.host_name, t.base_ns + s.ts + e.dur_ns AS end_ns
  FROM dpro_event() AS e
  JOIN whole_collective AS s ON s.slice_id = e.slice_id
  JOIN trace AS t ON t.id = e.trace_id
  WHERE e.stage IN ('SEND', 'RECV') AND t.run_id = $run_id::BIGINT
),
host AS (
  SELECT host_name, row_number() OVER (ORDER BY host_name) AS n
  FROM (SELECT DISTINCT host_name FROM transfer)
),
-- Offset of the sender less that of the receiver: at most `most`.
bound AS (
  SELECT
    row_number() OVER (ORDER BY a.n, b.n) AS n,
    count(*) OVER () AS n_bounds,
    a.n AS from_n,
    b.n AS to_n,
    min(r.end_ns - s.end_ns)::DOUBLE AS most
  FROM dpro_edge() AS e
  JOIN transfer AS s ON s.name = e.from_name
  JOIN transfer AS r ON r.name = e.to_name AND r.step = s.step
  JOIN host AS a ON a.host_name = s.host_name
  JOIN host AS b ON b.host_name = r.host_name
  WHERE e.run_id = $run_id::BIGINT AND e.kind = 'peer' AND s.host_name <> r.host_name
  GROUP BY a.n, b.n
),
-- offsets of hosts, and the multiplier of each bound
solution AS (
  SELECT
    0 AS turn,
    list_transform(range((SELECT count(*) FROM host)), lambda x: 0::DOUBLE) AS offsets,
    list_transform(range((SELECT count(*) FROM bound)), lambda x: 0::DOUBLE) AS multipliers
  UNION ALL
  SELECT
    s.turn + 1,
    list_transform(s.offsets, lambda x, i: x - CASE i WHEN s.from_n THEN s.part WHEN s.to_n THEN -s.part ELSE 0 END),
    list_transform(s.multipliers, lambda x, i: CASE i WHEN s.n THEN x + s.part ELSE x END)
  FROM (
    SELECT
      o.*,
      b.n,
      b.from_n,
      b.to_n,
      greatest((o.offsets[b.from_n] - o.offsets[b.to_n] - b.most) / 2, -o.multipliers[b.n]) AS part
    FROM solution AS o
    JOIN bound AS b ON b.n = o.turn % b.n_bounds + 1
    WHERE o.turn < 64 * b.n_bounds
  ) AS s
),
solved AS (
  SELECT arg_max(offsets, turn) AS offsets, max(turn) AS n_turns FROM solution
)
SELECT
  t.id AS trace_id,
  CASE WHEN s.n_turns > 0 THEN round(s.offsets[h.n] - s.offsets[1])::BIGINT END AS offset_ns,
  NULL::BIGINT AS uncertainty_ns,
  CASE WHEN s.n_turns > 0 AND h.n IS NOT NULL THEN 'messages' END AS method,
  NULL::DOUBLE AS drift
FROM trace AS t
LEFT JOIN host AS h ON h.host_name IS NOT DISTINCT FROM t.host_name
CROSS JOIN solved AS s
WHERE t.run_id = $run_id::BIGINT AND t.kind = 'timeline'
ORDER BY trace_id
