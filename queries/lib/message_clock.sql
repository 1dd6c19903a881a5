/* ---
name = "message_clock"
version = 1
title = "Clock offsets of hosts that fit their messages, by dPRO's objectives"
help = """
A send and its receive on another host (transfer_pair) bound the difference of two clocks: a receive does not
end before its send. Of all offsets that fit, those with the least of the objective count. 1: the sum of squares of
the offsets. 2: the sum of the variances of the receives of each collective, where a receive that lasts more
than 1.5 times their median has waited, and counts from the start of its send. 3: the sum of squares of
the least transfer times between neighbours on a ring, which then share what the bounds leave around it.
They are found by Hildreth's method, one bound after another, 64 times each; if the bounds contradict
each other, the last values count. The first host, by name, is the reference.
"""
grain = ["trace_id"]
requires = { schema = ">=17", queries = ["transfer_pair@1"] }
scale = "run"
columns = ["trace_id", "offset_ns"]

[param.run_id]
type = "BIGINT"
help = "Run whose clocks to compare"

[param.objective]
type = "BIGINT"
min = 1
max = 3
help = "dPRO's mode: 1, 2 or 3"

[column.offset_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Offset to add to the trace's clock; NULL: no messages between hosts"

[changes]
1 = "first version"
--- */
WITH RECURSIVE message AS MATERIALIZED (
  SELECT
    a.host_name AS from_host, b.host_name AS to_host, p.tensor_id,
    p.to_end_ns - p.from_end_ns AS between_ends_ns,
    p.to_end_ns - p.from_start_ns AS since_send_ns,
    p.to_end_ns - p.to_start_ns AS dur_ns
  FROM transfer_pair() AS p
  JOIN trace AS a ON a.id = p.from_trace_id
  JOIN trace AS b ON b.id = p.to_trace_id
  WHERE p.run_id = $run_id::BIGINT AND a.host_name IS NOT NULL AND b.host_name IS NOT NULL
),
host AS MATERIALIZED (
  SELECT host_name, row_number() OVER (ORDER BY host_name) AS n
  FROM (SELECT from_host AS host_name FROM message UNION SELECT to_host FROM message)
),
-- Offset of the sender less that of the receiver: at most `most`.
bound AS MATERIALIZED (
  SELECT
    row_number() OVER (ORDER BY a.n, b.n) AS n,
    count(*) OVER () AS n_bounds,
    a.n AS from_n,
    b.n AS to_n,
    min(m.between_ends_ns)::DOUBLE AS most
  FROM message AS m
  JOIN host AS a ON a.host_name = m.from_host
  JOIN host AS b ON b.host_name = m.to_host
  WHERE m.from_host <> m.to_host
  GROUP BY a.n, b.n
),
-- Times that the offsets of two hosts change: their number and sum. Those of receives have a common mean.
timed AS MATERIALIZED (
  SELECT
    tensor_id AS type, a.n AS from_n, b.n AS to_n, count(*) AS n,
    sum(CASE WHEN has_waited THEN since_send_ns ELSE dur_ns END)::DOUBLE AS total_ns,
    has_waited AND a.n <> b.n AS is_changed
  FROM (
    SELECT *, dur_ns > 1.5 * median(dur_ns) OVER (PARTITION BY tensor_id) AS has_waited
    FROM message
    WHERE $objective::BIGINT = 2
  ) AS m
  JOIN host AS a ON a.host_name = m.from_host
  JOIN host AS b ON b.host_name = m.to_host
  GROUP BY tensor_id, a.n, b.n, has_waited
  UNION ALL
  SELECT NULL, from_n, to_n, 1, most, true
  FROM bound
  WHERE $objective::BIGINT = 3
),
-- The offset of the receiver makes them longer, that of the sender shorter.
part AS (
  SELECT type, from_n, to_n, n, total_ns, from_n AS host_n, -1 AS sign FROM timed WHERE is_changed
  UNION ALL
  SELECT type, from_n, to_n, n, total_ns, to_n, 1 FROM timed WHERE is_changed
),
type_mean AS (
  SELECT type, sum(n)::DOUBLE AS n, sum(total_ns) AS total_ns FROM timed WHERE type IS NOT NULL GROUP BY type
),
type_part AS (
  SELECT type, host_n, sum(n * sign)::DOUBLE AS change FROM part WHERE type IS NOT NULL GROUP BY type, host_n
),
-- The objective: offsets * square * offsets + 2 * linear * offsets.
square AS (
  SELECT row_n, column_n, sum(value)::DOUBLE AS value
  FROM (
    SELECT x.host_n AS row_n, y.host_n AS column_n, (x.n * x.sign * y.sign)::DOUBLE AS value
    FROM part AS x
    JOIN part AS y
      ON y.type IS NOT DISTINCT FROM x.type AND y.from_n = x.from_n AND y.to_n = x.to_n
    UNION ALL
    SELECT x.host_n, y.host_n, -x.change * y.change / m.n
    FROM type_part AS x
    JOIN type_part AS y ON y.type = x.type
    JOIN type_mean AS m ON m.type = x.type
  )
  GROUP BY row_n, column_n
),
linear AS (
  SELECT host_n, sum(value)::DOUBLE AS value
  FROM (
    SELECT host_n, sign * total_ns AS value FROM part
    UNION ALL
    SELECT x.host_n, -x.change * m.total_ns / m.n
    FROM type_part AS x
    JOIN type_mean AS m ON m.type = x.type
  )
  GROUP BY host_n
),
-- Where nothing else tells, the least offsets. Of objectives 2 and 3 the first host has no variable.
matrix AS (
  SELECT list(values ORDER BY row_n) AS rows, count(*) AS n
  FROM (
    SELECT
      r.n AS row_n,
      list(
        CASE
          WHEN $objective::BIGINT = 1 OR least(r.n, c.n) = 1 THEN (r.n = c.n)::BIGINT
          ELSE coalesce(s.value, 0) + CASE WHEN r.n = c.n THEN 1e-9 * (1 + (SELECT coalesce(max(value), 0) FROM square)) ELSE 0 END
        END::DOUBLE ORDER BY c.n
      ) || list((r.n = c.n)::BIGINT::DOUBLE ORDER BY c.n) AS values
    FROM host AS r
    CROSS JOIN host AS c
    LEFT JOIN square AS s ON s.row_n = r.n AND s.column_n = c.n
    GROUP BY r.n
  )
),
-- Gauss-Jordan elimination, without a search for pivots: the matrix is positive definite.
elimination AS (
  SELECT 0::BIGINT AS k, n, rows FROM matrix
  UNION ALL
  SELECT
    k + 1,
    n,
    list_transform(rows, lambda each, r: CASE WHEN r = k + 1
      THEN list_transform(each, lambda x: x / each[k + 1])
      ELSE list_transform(each, lambda x, c: x - each[k + 1] * rows[k + 1][c] / rows[k + 1][k + 1])
    END)
  FROM elimination
  WHERE k < n
),
inverse AS MATERIALIZED (
  SELECT
    n,
    list_transform(rows, lambda each, r: list_transform(
      each[n + 1:], lambda x, c: CASE WHEN $objective::BIGINT > 1 AND (r = 1 OR c = 1) THEN 0 ELSE x END
    )) AS rows
  FROM elimination
  WHERE k = n
),
vector AS (
  SELECT list(coalesce(l.value, 0) ORDER BY h.n) AS linear
  FROM host AS h
  LEFT JOIN linear AS l ON l.host_n = h.n
),
-- offsets of hosts, and the multiplier of each bound
solution AS (
  SELECT
    0::BIGINT AS turn,
    list_transform(i.rows, lambda each: -list_sum(list_transform(each, lambda x, c: x * v.linear[c]))) AS offsets,
    list_transform(range((SELECT count(*) FROM bound)), lambda x: 0::DOUBLE) AS multipliers
  FROM inverse AS i
  CROSS JOIN vector AS v
  UNION ALL
  SELECT
    s.turn + 1,
    list_transform(s.offsets, lambda x, i: x - s.part * (s.rows[i][s.from_n] - s.rows[i][s.to_n])),
    list_transform(s.multipliers, lambda x, i: CASE i WHEN s.n THEN x + s.part ELSE x END)
  FROM (
    SELECT
      o.*,
      b.n,
      b.from_n,
      b.to_n,
      v.rows,
      greatest(
        (o.offsets[b.from_n] - o.offsets[b.to_n] - b.most)
          / (v.rows[b.from_n][b.from_n] + v.rows[b.to_n][b.to_n] - 2 * v.rows[b.from_n][b.to_n]),
        -o.multipliers[b.n]
      ) AS part
    FROM solution AS o
    JOIN bound AS b ON b.n = o.turn % b.n_bounds + 1
    CROSS JOIN inverse AS v
    WHERE o.turn < 64 * b.n_bounds
  ) AS s
),
solved AS (
  SELECT arg_max(offsets, turn) AS offsets, max(turn) AS n_turns FROM solution
)
SELECT
  t.id AS trace_id,
  CASE WHEN s.n_turns > 0 THEN round(s.offsets[h.n] - s.offsets[1])::BIGINT END AS offset_ns
FROM trace AS t
LEFT JOIN host AS h ON h.host_name IS NOT DISTINCT FROM t.host_name
CROSS JOIN solved AS s
WHERE t.run_id = $run_id::BIGINT AND t.kind = 'timeline'
ORDER BY trace_id
