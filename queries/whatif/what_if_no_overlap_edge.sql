/* ---
name = "what_if_no_overlap_edge"
version = 2
title = "What if: communication did not overlap computation"
help = """
Device work of a rank other than collectives waits for the collectives that started before it, and they
for it, with the gap of the device in between.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3", "replay_resource@3"] }
scale = "run"
applies_to = "ranks with collectives and other work on devices"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
2 = "waits for all work of the other kind, and with the gap of the device; so far for the last to start, and with the longest gap of all"
1 = "first version"
--- */
WITH device_stream AS (
  SELECT run_id, track_id FROM replay_resource() WHERE kind = 'stream'
),
-- Work by slice: of collectives from the arrival to the end of the transfer.
unit AS (
  SELECT
    n.run_id, n.trace_id, n.track_id, n.slice_id, min(n.node_id) AS first_id, max(n.node_id) AS last_id,
    bool_or(n.kind IN ('arrival', 'collective')) AS is_collective
  FROM replay_node() AS n
  SEMI JOIN device_stream AS s ON s.run_id = n.run_id AND s.track_id = n.track_id
  WHERE n.slice_id IS NOT NULL
  GROUP BY n.run_id, n.trace_id, n.track_id, n.slice_id
),
-- The gap of a device is that of its streams; of a stream with one piece of work, the longest of the trace.
gap AS (
  SELECT e.run_id, n.trace_id, n.track_id, max(e.delay_ns) AS gap_ns
  FROM replay_edge() AS e
  JOIN replay_node() AS n ON n.run_id = e.run_id AND n.node_id = e.to_id
  WHERE e.kind = 'stream_order'
  GROUP BY n.trace_id, e.run_id, n.track_id
),
trace_gap AS (
  SELECT run_id, trace_id, max(gap_ns) AS gap_ns FROM gap GROUP BY run_id, trace_id
),
-- Parts of the work of a rank, by start: collectives, then other work, and so on. Each part follows the one
-- before it, and so all parts of the other kind.
judged AS (
  SELECT
    *, is_collective IS DISTINCT FROM lag(is_collective) OVER (PARTITION BY run_id, trace_id ORDER BY first_id) AS is_new
  FROM unit
),
placed AS (
  SELECT *, count(CASE WHEN is_new THEN 1 END) OVER (PARTITION BY run_id, trace_id ORDER BY first_id) AS part
  FROM judged
),
last_of_part AS (
  SELECT run_id, trace_id, part, track_id, max_by(last_id, first_id) AS last_id
  FROM placed
  GROUP BY run_id, trace_id, part, track_id
),
added AS (
  SELECT p.run_id, p.trace_id, p.track_id, l.last_id AS from_id, p.first_id AS to_id
  FROM placed AS p
  JOIN last_of_part AS l ON l.run_id = p.run_id AND l.trace_id = p.trace_id AND l.part = p.part - 1
),
recorded AS (
  SELECT run_id, count(*) AS n_edges FROM replay_edge() GROUP BY run_id
)
SELECT
  run_id, from_id, to_id, delay_ns, kind, ordinal, link_id, confidence
FROM replay_edge()
UNION ALL
SELECT
  a.run_id, a.from_id, a.to_id, coalesce(g.gap_ns, t.gap_ns, 0), 'stream_order',
  r.n_edges + row_number() OVER (PARTITION BY a.run_id ORDER BY a.from_id, a.to_id) - 1,
  NULL, 1
FROM added AS a
JOIN recorded AS r ON r.run_id = a.run_id
LEFT JOIN gap AS g ON g.run_id = a.run_id AND g.track_id = a.track_id
LEFT JOIN trace_gap AS t ON t.run_id = a.run_id AND t.trace_id = a.trace_id
ANTI JOIN replay_edge() AS e
  ON e.run_id = a.run_id AND e.from_id = a.from_id AND e.to_id = a.to_id AND e.kind = 'stream_order'
WHERE a.from_id IS NOT NULL AND a.to_id IS NOT NULL
ORDER BY run_id, ordinal
