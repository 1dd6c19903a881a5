/* ---
name = "gradient_part_order"
version = 1
title = "Order in which workers push tensors to servers, their latencies, and whether links serve parts in turn"
help = """
Of dPRO trials with BytePS. The order is that in which backward operators end. A latency is the least of all steps in
which no other message was on the link meanwhile. A link serves parts in turn unless a message of
another part was seen between the two of a part (PUSH_REQ and PULL_REQ, or PUSH_RES and PULL_RES): where parts never
met, the recording does not tell, and the slower rule holds.
"""
grain = ["run_id", "tensors"]
requires = { schema = ">=17", queries = ["dpro_gradient@1", "dpro_message@1", "dpro_operation@2"] }
scale = "run"
computed_once = true
columns = ["run_id", "tensors", "place", "is_pushed_in_turn", "is_answered_in_turn", "pull_latency_ns", "answer_latency_ns"]

[column]
tensors = { type = "VARCHAR", unit = "text", help = "Numbers of the tensors, ascending, as in 3+4" }
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place in the order in which gradients are ready, from 0" }
is_pushed_in_turn = { type = "BOOLEAN", unit = "bool", help = "Whether links from workers to servers serve one part after the other" }
is_answered_in_turn = { type = "BOOLEAN", unit = "bool", help = "Whether links from servers to workers do" }
pull_latency_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "From the answer to a push to the pull; NULL: other messages were always between" }
answer_latency_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "From the copy of the result to the answer to a pull, the least of all tensors" }

[changes]
1 = "first version"
--- */
WITH message AS MATERIALIZED (
  SELECT run_id, process, node, peer, step, stage, tensors, part, start_ns, start_ns + dur_ns AS end_ns, slice_id
  FROM dpro_message()
),
followed AS (
  SELECT
    run_id, stage, tensors, part,
    lead(tensors) OVER link AS next_tensors, lead(part) OVER link AS next_part
  FROM message
  WHERE peer IS NOT NULL
  WINDOW link AS (PARTITION BY run_id, process, step ORDER BY start_ns, slice_id)
),
judged AS (
  SELECT
    run_id,
    stage IN ('PUSH_REQ', 'PULL_REQ') AS is_push,
    bool_and(tensors = next_tensors AND part = next_part) FILTER (stage IN ('PUSH_REQ', 'PUSH_RES')) AS is_unmixed
  FROM followed
  GROUP BY ALL
),
latency AS (
  SELECT
    a.run_id, a.tensors,
    min(b.start_ns - a.end_ns) FILTER (b.stage = 'PULL_REQ') AS pull_ns,
    min(min(b.start_ns - a.end_ns) FILTER (b.stage = 'PULL_RES')) OVER (PARTITION BY a.run_id) AS answer_ns
  FROM message AS a
  JOIN message AS b
    ON b.run_id = a.run_id AND b.tensors = a.tensors AND b.part = a.part AND b.step = a.step
    AND (a.stage = 'PUSH_RES' AND b.stage = 'PULL_REQ' AND b.node = a.peer AND b.peer = a.node
      OR a.stage = 'COPY_MERGED' AND b.stage = 'PULL_RES' AND b.node = a.node)
  WHERE b.start_ns >= a.end_ns AND NOT EXISTS (
    FROM message AS o
    WHERE o.run_id = b.run_id AND o.process = b.process AND o.slice_id <> b.slice_id
      AND o.start_ns < b.start_ns AND o.end_ns > a.end_ns
  )
  GROUP BY a.run_id, a.tensors
),
ready AS (
  SELECT g.run_id, g.tensor_id, avg(t.base_ns + c.ts + c.dur) AS at_ns
  FROM dpro_gradient() AS g
  JOIN dpro_operation() AS o ON o.trace_id = g.trace_id AND o.name = g.name
  JOIN cpu_op AS c ON c.trace_id = g.trace_id AND c.name = o.operator
  JOIN trace AS t ON t.id = c.trace_id
  GROUP BY g.run_id, g.tensor_id
)
SELECT
  m.run_id,
  m.tensors,
  row_number() OVER (PARTITION BY m.run_id ORDER BY max(r.at_ns), m.tensors) - 1 AS place,
  coalesce(any_value(p.is_unmixed), true) AS is_pushed_in_turn,
  coalesce(any_value(a.is_unmixed), true) AS is_answered_in_turn,
  any_value(l.pull_ns) AS pull_latency_ns,
  any_value(l.answer_ns) AS answer_latency_ns
FROM (
  SELECT run_id, tensors, unnest(string_split(tensors, '+')) AS tensor_id
  FROM (SELECT DISTINCT run_id, tensors FROM message WHERE stage = 'PUSH_REQ')
) AS m
LEFT JOIN ready AS r ON r.run_id = m.run_id AND r.tensor_id = TRY_CAST(m.tensor_id AS BIGINT)
LEFT JOIN judged AS p ON p.run_id = m.run_id AND p.is_push
LEFT JOIN judged AS a ON a.run_id = m.run_id AND NOT a.is_push
LEFT JOIN latency AS l ON l.run_id = m.run_id AND l.tensors = m.tensors
GROUP BY m.run_id, m.tensors
ORDER BY m.run_id, place
