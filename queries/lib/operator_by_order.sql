/* ---
name = "operator_by_order"
version = 1
title = "Matches of execution trace nodes with timeline operators, by order of names"
help = """
For recordings without common record function ids. A thread of the execution trace is paired with
the timeline thread with which it shares most successions of two names, if these are at least half
of the shorter thread and neither thread shares more with another. Within a pair, names and runs of
4 and 16 names that occur once on both sides are anchors if their order agrees with that of their
neighbors. From each anchor and from both ends, nodes are matched one by one, forwards and
backwards, as long as their names are equal. Between two matches, names that occur equally often on
both sides are matched unless that would violate the order.
"""
grain = ["graph_node_id"]
requires = { schema = ">=8", queries = ["timeline_operator@1"] }
scale = "run"
columns = ["graph_node_id", "slice_id"]

[param.graph_id]
type = "BIGINT"
help = "Execution trace: a graph"

[param.trace_id]
type = "BIGINT"
help = "Timeline"

[column]
slice_id.help = "Operator; distinct for each node"

[changes]
1 = "first version"
--- */
WITH sides AS MATERIALIZED (
  SELECT
    'node' AS side,
    thread_id AS thread_key,
    id AS item_id,
    coalesce(name, '') AS name,
    node_id::BIGINT AS n,
    row_number() OVER (PARTITION BY thread_id ORDER BY node_id) AS pos
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
    AND thread_id IS NOT NULL
  UNION ALL
  SELECT
    'slice',
    track_id,
    slice_id,
    coalesce(name, ''),
    n,
    row_number() OVER (PARTITION BY track_id ORDER BY n)
  FROM timeline_operator(p_trace_id := $trace_id::BIGINT)
),
-- The context of a position: its name and the following ones.
seen AS MATERIALIZED (
  SELECT
    *,
    hash(name, lead(name) OVER following) AS pair,
    hash(list(name) OVER (following ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)) AS run_4,
    hash(list(name) OVER (following ROWS BETWEEN CURRENT ROW AND 15 FOLLOWING)) AS run_16
  FROM sides
  WINDOW following AS (PARTITION BY side, thread_key ORDER BY pos)
),
length AS (
  SELECT side, thread_key, count(*) AS n_items, min(n) AS first_n
  FROM sides
  GROUP BY side, thread_key
),
pairs AS (
  SELECT side, thread_key, pair, count(*) AS n
  FROM seen
  GROUP BY side, thread_key, pair
),
overlap AS (
  SELECT a.thread_key AS node_thread, b.thread_key AS slice_thread, sum(least(a.n, b.n)) AS n
  FROM pairs AS a
  JOIN pairs AS b ON b.pair = a.pair
  WHERE a.side = 'node'
    AND b.side = 'slice'
  GROUP BY a.thread_key, b.thread_key
),
-- Threads that do the same work are paired in order of appearance.
ranked AS (
  SELECT
    o.node_thread,
    o.slice_thread,
    a.n_items AS n_nodes,
    b.n_items AS n_slices,
    row_number() OVER (
      PARTITION BY o.node_thread ORDER BY o.n DESC, abs(a.place - b.place), b.place
    ) AS place_of_slice,
    row_number() OVER (
      PARTITION BY o.slice_thread ORDER BY o.n DESC, abs(a.place - b.place), a.place
    ) AS place_of_node,
    2 * o.n >= least(a.n_items, b.n_items) AS is_alike
  FROM overlap AS o
  JOIN (SELECT *, row_number() OVER (ORDER BY first_n) AS place FROM length WHERE side = 'node') AS a
    ON a.thread_key = o.node_thread
  JOIN (SELECT *, row_number() OVER (ORDER BY first_n) AS place FROM length WHERE side = 'slice') AS b
    ON b.thread_key = o.slice_thread
),
thread_pair AS (
  SELECT node_thread, slice_thread, n_nodes, n_slices
  FROM ranked
  WHERE place_of_slice = 1
    AND place_of_node = 1
    AND is_alike
),
a AS MATERIALIZED (
  SELECT s.*, p.node_thread AS thread_no
  FROM seen AS s
  JOIN thread_pair AS p ON p.node_thread = s.thread_key
  WHERE s.side = 'node'
),
b AS MATERIALIZED (
  SELECT s.*, p.node_thread AS thread_no
  FROM seen AS s
  JOIN thread_pair AS p ON p.slice_thread = s.thread_key
  WHERE s.side = 'slice'
),
look_of AS (
  SELECT side, thread_no, pos, unnest([hash(name), run_4, run_16]) AS look FROM a
  UNION ALL
  SELECT side, thread_no, pos, unnest([hash(name), run_4, run_16]) FROM b
),
anchor AS (
  SELECT DISTINCT thread_no, node_pos, slice_pos
  FROM (
    SELECT
      thread_no,
      max(pos) FILTER (side = 'node') AS node_pos,
      max(pos) FILTER (side = 'slice') AS slice_pos
    FROM look_of
    GROUP BY thread_no, look
    HAVING count(*) FILTER (side = 'node') = 1
      AND count(*) FILTER (side = 'slice') = 1
  )
),
-- Drops anchors that contradict their neighbors on both sides, then all that are out of order.
likely_anchor AS (
  SELECT thread_no, node_pos, slice_pos
  FROM (
    SELECT
      *,
      lag(slice_pos, 1, 0) OVER by_node AS before,
      lead(slice_pos, 1, 9223372036854775807) OVER by_node AS behind
    FROM anchor
    WINDOW by_node AS (PARTITION BY thread_no ORDER BY node_pos, slice_pos)
  )
  WHERE slice_pos BETWEEN before AND behind
    OR before > behind
),
good_anchor AS (
  SELECT thread_no, node_pos, slice_pos
  FROM (
    SELECT
      *,
      coalesce(max(slice_pos) OVER (by_node ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        AS before,
      coalesce(
        min(slice_pos) OVER (by_node ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
        9223372036854775807
      ) AS behind
    FROM likely_anchor
    WINDOW by_node AS (PARTITION BY thread_no ORDER BY node_pos, slice_pos)
  )
  WHERE slice_pos > before
    AND slice_pos < behind
  UNION ALL
  SELECT node_thread, 0, 0 FROM thread_pair
  UNION ALL
  SELECT node_thread, n_nodes + 1, n_slices + 1 FROM thread_pair
),
gap AS (
  SELECT
    thread_no,
    node_pos AS node_from,
    slice_pos AS slice_from,
    lead(node_pos) OVER by_node AS node_to,
    lead(slice_pos) OVER by_node AS slice_to
  FROM good_anchor
  WINDOW by_node AS (PARTITION BY thread_no ORDER BY node_pos)
),
-- Forwards from an anchor and backwards from the next, as long as consecutive names are equal.
in_gap AS MATERIALIZED (
  SELECT a.thread_no, a.pos, a.item_id, a.name, g.node_from, g.slice_from, g.node_to, g.slice_to
  FROM a
  ASOF JOIN gap AS g ON g.thread_no = a.thread_no AND a.pos >= g.node_from
),
forwards AS (
  SELECT
    i.*,
    g.slice_from + i.pos - i.node_from AS slice_pos,
    bool_and(coalesce(f.name = i.name, i.pos = i.node_from)) OVER (
      PARTITION BY i.thread_no, i.node_from ORDER BY i.pos ROWS UNBOUNDED PRECEDING
    ) AS is_match
  FROM in_gap AS i
  JOIN gap AS g ON g.thread_no = i.thread_no AND g.node_from = i.node_from
  LEFT JOIN b AS f
    ON f.thread_no = i.thread_no
    AND f.pos = i.slice_from + i.pos - i.node_from
    AND f.pos < i.slice_to
),
reached AS (
  SELECT thread_no, node_from, max(slice_pos) AS slice_pos
  FROM forwards
  WHERE is_match
  GROUP BY thread_no, node_from
),
backwards AS (
  SELECT
    i.thread_no,
    i.item_id,
    i.slice_to - (i.node_to - i.pos) AS slice_pos,
    bool_and(coalesce(f.name = i.name, false) AND NOT i.is_match) OVER (
      PARTITION BY i.thread_no, i.node_from ORDER BY i.pos DESC ROWS UNBOUNDED PRECEDING
    ) AS is_match
  FROM forwards AS i
  LEFT JOIN reached AS r ON r.thread_no = i.thread_no AND r.node_from = i.node_from
  LEFT JOIN b AS f
    ON f.thread_no = i.thread_no
    AND f.pos = i.slice_to - (i.node_to - i.pos)
    AND f.pos > coalesce(r.slice_pos, i.slice_from)
),
near AS MATERIALIZED (
  SELECT thread_no, item_id, slice_pos FROM forwards WHERE is_match
  UNION ALL
  SELECT thread_no, item_id, slice_pos FROM backwards WHERE is_match
),
-- Matches the rest between two matches by how often each name occurs there.
left_node AS (
  SELECT a.thread_no, a.item_id, a.name, a.pos, max(n.slice_pos) OVER (
    PARTITION BY a.thread_no ORDER BY a.pos ROWS UNBOUNDED PRECEDING
  ) AS after_pos, n.slice_pos
  FROM a
  LEFT JOIN near AS n ON n.item_id = a.item_id
),
left_slice AS (
  SELECT b.thread_no, b.item_id, b.name, b.pos, max(n.slice_pos) OVER (
    PARTITION BY b.thread_no ORDER BY b.pos ROWS UNBOUNDED PRECEDING
  ) AS after_pos, n.slice_pos
  FROM b
  LEFT JOIN near AS n ON n.thread_no = b.thread_no AND n.slice_pos = b.pos
),
far AS (
  SELECT
    x.thread_no,
    x.gap_no,
    x.item_id AS graph_node_id,
    y.item_id AS slice_id,
    x.pos AS node_pos,
    y.pos AS slice_pos
  FROM (
    SELECT
      *,
      coalesce(after_pos, 0) AS gap_no,
      row_number() OVER (PARTITION BY thread_no, after_pos, name ORDER BY pos) AS place,
      count(*) OVER (PARTITION BY thread_no, after_pos, name) AS n
    FROM left_node
    WHERE slice_pos IS NULL
  ) AS x
  JOIN (
    SELECT
      *,
      coalesce(after_pos, 0) AS gap_no,
      row_number() OVER (PARTITION BY thread_no, after_pos, name ORDER BY pos) AS place,
      count(*) OVER (PARTITION BY thread_no, after_pos, name) AS n
    FROM left_slice
    WHERE slice_pos IS NULL
  ) AS y
    ON y.thread_no = x.thread_no
    AND y.gap_no = x.gap_no
    AND y.name = x.name
    AND y.place = x.place
    AND y.n = x.n
),
-- Names were counted one by one: drops matches that are out of order.
far_in_order AS (
  SELECT graph_node_id, slice_id
  FROM (
    SELECT
      *,
      coalesce(max(slice_pos) OVER (by_node ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
        AS before,
      coalesce(
        min(slice_pos) OVER (by_node ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
        9223372036854775807
      ) AS behind
    FROM far
    WINDOW by_node AS (PARTITION BY thread_no, gap_no ORDER BY node_pos)
  )
  WHERE slice_pos > before
    AND slice_pos < behind
)
SELECT n.item_id AS graph_node_id, b.item_id AS slice_id
FROM near AS n
JOIN b ON b.thread_no = n.thread_no AND b.pos = n.slice_pos
UNION ALL
SELECT graph_node_id, slice_id FROM far_in_order
