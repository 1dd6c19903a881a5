/* ---
name = "what_if_merge_streams_edge"
version = 2
title = "What if: all streams of a rank were one"
help = """
Device work of a rank runs one after another, in the order in which it started, with the gap of the
device in between.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", queries = ["replay_edge@5", "replay_node@3", "replay_resource@3"] }
scale = "run"
applies_to = "ranks with device work on several streams"
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "ordinal", "link_id", "confidence"]

[column]
from_id.help = "Node that comes first (replay_node)"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", help = "Time between the end of the first and the earliest start" }
kind.help = "As in replay_edge"
ordinal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place among the edges of the run" }
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link that it is made from" }

[changes]
2 = "the gap of the device, in place of the longest of all devices"
1 = "first version"
--- */
WITH device_stream AS (
  SELECT run_id, track_id FROM replay_resource() WHERE kind = 'stream'
),
-- Work by slice: of collectives from the arrival to the end of the transfer.
unit AS (
  SELECT
    n.run_id, n.trace_id, n.track_id, n.slice_id, min(n.node_id) AS first_id, max(n.node_id) AS last_id
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
added AS (
  SELECT
    run_id, trace_id, track_id,
    lag(last_id) OVER (PARTITION BY run_id, trace_id ORDER BY first_id) AS from_id,
    first_id AS to_id
  FROM unit
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
