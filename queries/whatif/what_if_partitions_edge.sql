/* ---
name = "what_if_partitions_edge"
version = 1
title = "What if: gradients cut into other parts"
help = """
Edges of what_if_partitions: from the operators that compute a gradient to the pushes of its parts, through the
answers and the operations of the server to the pulls, and from there to the operators that update weights. Where
links were recorded to serve one part after the other (gradient_part_order), they do (kind link_order).
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=18", queries = ["gradient_part_node@1", "gradient_part_order@1", "replay_edge@5", "replay_node@3"] }
scale = "run"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge; link_order: a part after the other"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
1 = "first version"
--- */
WITH part_node AS MATERIALIZED (FROM gradient_part_node()),
-- all nodes; those that are dropped have their stage in their name only
node AS MATERIALIZED (
  SELECT
    run_id, node_id,
    nullif(regexp_extract(name, '->Comm\.([0-9+]+)\.', 1), '') AS tensors,
    nullif(regexp_extract(name, '->Comm\.[0-9+]+\.([A-Z_]+)~>', 1), '') AS stage,
    regexp_extract(name, '([0-9]+)$', 1) AS part,
    coalesce(TRY_CAST(nullif(regexp_extract(name, '::([0-9]+)::~PART', 1), '') AS BIGINT) + 1, 0) AS ordinal,
    split_part(name, '->', 1) AS process
  FROM replay_node()
),
edge AS MATERIALIZED (
  SELECT
    e.*, a.stage AS from_stage, a.tensors, a.part AS from_part, a.process AS from_process,
    b.stage AS to_stage, b.tensors AS to_tensors, b.process AS to_process, b.ordinal AS to_ordinal
  FROM replay_edge() AS e
  JOIN node AS a ON a.run_id = e.run_id AND a.node_id = e.from_id
  JOIN node AS b ON b.run_id = e.run_id AND b.node_id = e.to_id
),
latency AS (
  SELECT run_id, from_process AS process, max(delay_ns) AS delay_ns
  FROM edge
  WHERE kind = 'peer' AND from_stage IS NOT NULL AND to_stage IS NOT NULL
  GROUP BY run_id, from_process
),
ready AS (
  SELECT run_id, to_tensors AS tensors, split_part(to_process, '::', 1) AS worker, from_id, max(delay_ns) AS delay_ns
  FROM edge
  WHERE from_stage IS NULL AND to_stage = 'PUSH_REQ'
  GROUP BY ALL
),
updated AS (
  SELECT run_id, tensors, split_part(from_process, '::', 2) AS worker, to_id, max(delay_ns) AS delay_ns
  FROM edge
  WHERE from_stage = 'PULL_RES' AND to_stage IS NULL
  GROUP BY ALL
),
-- the workers of a tensor in the order in which their pushes of its first part arrived
arrival AS (
  SELECT run_id, tensors, split_part(from_process, '::', 1) AS worker, arg_min(to_ordinal, TRY_CAST(from_part AS BIGINT)) AS ordinal
  FROM edge
  WHERE kind = 'arrive' AND from_stage = 'PUSH_REQ'
  GROUP BY ALL
),
-- on each link the messages of a part, and the last one of the part before it
served AS (
  SELECT
    p.run_id, p.node_id, p.kind IN ('PUSH_REQ', 'PUSH_RES') AS is_first,
    CASE WHEN p.kind IN ('PUSH_REQ', 'PULL_REQ') THEN o.is_pushed_in_turn ELSE o.is_answered_in_turn END AS is_in_turn,
    lag(p.node_id) OVER (
      PARTITION BY p.run_id, p.process ORDER BY o.place, p.part, p.kind IN ('PULL_REQ', 'PULL_RES')
    ) AS from_id
  FROM part_node AS p
  JOIN gradient_part_order() AS o ON o.run_id = p.run_id AND o.tensors = p.tensors
  WHERE p.worker IS NOT NULL
),
new_edge AS (
  SELECT b.run_id, r.from_id, b.node_id AS to_id, r.delay_ns, 'control' AS kind
  FROM part_node AS b
  JOIN ready AS r ON r.run_id = b.run_id AND r.tensors = b.tensors AND r.worker = b.worker
  WHERE b.kind = 'PUSH_REQ'
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, coalesce(CASE WHEN b.kind = 'PULL_REQ' THEN o.pull_latency_ns END, l.delay_ns, 0), 'peer'
  FROM part_node AS a
  JOIN part_node AS b ON b.run_id = a.run_id AND b.tensors = a.tensors AND b.part = a.part AND b.worker = a.worker
  LEFT JOIN latency AS l ON l.run_id = a.run_id AND l.process = a.process
  LEFT JOIN gradient_part_order() AS o ON o.run_id = a.run_id AND o.tensors = a.tensors
  WHERE (a.kind, b.kind) IN (('PUSH_REQ', 'PUSH_RES'), ('PUSH_RES', 'PULL_REQ'), ('PULL_REQ', 'PULL_RES'))
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, CASE WHEN b.kind = 'PULL_RES' THEN coalesce(o.answer_latency_ns, 0) ELSE 0 END, 'control'
  FROM part_node AS a
  JOIN part_node AS b ON b.run_id = a.run_id AND b.tensors = a.tensors AND b.part = a.part
  LEFT JOIN gradient_part_order() AS o ON o.run_id = a.run_id AND o.tensors = a.tensors
  WHERE a.worker IS NULL AND b.worker IS NULL AND b.ordinal = a.ordinal + 1
    OR a.kind = 'COPY_MERGED' AND b.kind = 'PULL_RES'
  UNION ALL
  SELECT a.run_id, a.node_id, b.node_id, 0, 'arrive'
  FROM part_node AS a
  JOIN arrival AS v ON v.run_id = a.run_id AND v.tensors = a.tensors AND v.worker = a.worker
  JOIN part_node AS b ON b.run_id = a.run_id AND b.tensors = a.tensors AND b.part = a.part AND b.ordinal = v.ordinal
  WHERE a.kind = 'PUSH_REQ' AND b.kind IN ('COPY_FIRST', 'SUM')
  UNION ALL
  SELECT a.run_id, a.node_id, u.to_id, u.delay_ns, 'control'
  FROM part_node AS a
  JOIN updated AS u ON u.run_id = a.run_id AND u.tensors = a.tensors AND u.worker = a.worker
  WHERE a.kind = 'PULL_RES'
  UNION ALL
  SELECT run_id, from_id, node_id, 0, 'link_order'
  FROM served
  WHERE from_id IS NOT NULL AND is_first AND is_in_turn
),
recorded AS (SELECT run_id, max(ordinal) + 1 AS n_edges FROM edge GROUP BY run_id)
SELECT run_id, from_id, to_id, delay_ns, kind, ordinal, link_id, confidence
FROM edge
WHERE from_stage IS NULL AND to_stage IS NULL
UNION ALL
SELECT
  e.run_id, e.from_id, e.to_id, e.delay_ns, e.kind,
  r.n_edges + row_number() OVER (PARTITION BY e.run_id ORDER BY e.from_id, e.to_id) - 1,
  NULL, 1
FROM new_edge AS e
JOIN recorded AS r ON r.run_id = e.run_id
ORDER BY run_id, ordinal
