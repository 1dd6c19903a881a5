/* ---
name = "link_report"
version = 1
title = "Linked and unlinked work of execution traces and their timelines, with reasons"
help = """
One row per way in which execution trace nodes, device work and timeline operators were linked or
not, for every stored set of links. Device work that a set excludes has a row with the reason.
device_ns is the sum of its durations, and device_share its share of all device work of the
timeline, also for linked work, so the rows of a set add up to 1. A reason on a linked row explains
its placement.
"""
grain = ["trace_id", "link_set", "side", "kind", "rule", "reason"]
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "link_set", "side", "kind", "rule", "reason", "n", "n_share",
  "device_ns", "device_share",
]

[column]
trace_id.help = "Execution trace"
link_set = { nullable = false, help = "Set of links: default, chakra-1.0" }
rule.help = "Link rule; none: not linked"
n.help = "Number of items"
device_ns = { nullable = true, help = "Sum of the durations of the device work; NULL for other sides" }

[column.side]
type = "VARCHAR"
unit = "text"
help = "node: of the execution trace; work: device work; operator: of the timeline"

[column.kind]
help = "kernel, memcpy or memset for device work; cpu_op or annotation for timeline operators; node for graph nodes"

[column.reason]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Reason it was not linked, or not as expected; NULL: linked as expected"

[column.n_share]
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "Share of all items of its side and set"

[column.device_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "between 0 and 1"
help = "Share of all device work of the timeline, by time; NULL for other sides, or if that is 0"

[changes]
1 = "first version"
--- */
WITH linked AS (
  SELECT g.id AS graph_id, g.trace_id, g.link_set, g.device_trace_id, t.run_id, t.rank
  FROM graph AS g
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.link_set IS NOT NULL
),
seen AS (
  SELECT graph_id, slice_id, device_kind, min(link_rule) AS rule, min(unlinked_reason) AS reason
  FROM graph_node
  WHERE slice_id IS NOT NULL
  GROUP BY graph_id, slice_id, device_kind
),
launched AS (
  SELECT DISTINCT to_id AS slice_id
  FROM link
  WHERE kind = 'launch' AND link_set = 'default'
),
operator AS (
  SELECT slice_id, trace_id, 'cpu_op' AS kind FROM cpu_op
  UNION ALL
  SELECT slice_id, trace_id, 'annotation' AS kind FROM annotation WHERE side = 'host'
),
item AS (
  SELECT
    l.graph_id,
    'node' AS side,
    'node' AS kind,
    coalesce(n.link_rule, 'none') AS rule,
    n.unlinked_reason AS reason,
    CAST(NULL AS BIGINT) AS device_ns
  FROM graph_node AS n
  JOIN linked AS l ON l.graph_id = n.graph_id
  WHERE n.device_kind = 'cpu'
  UNION ALL
  SELECT
    l.graph_id,
    'work',
    g.kind,
    coalesce(s.rule, 'none'),
    CASE
      WHEN s.slice_id IS NOT NULL THEN s.reason
      WHEN c.slice_id IS NULL THEN 'the call that launched it is not on the timeline'
      WHEN g.kind = 'memset' THEN 'the link set excludes memsets'
      ELSE 'the link set has no operator for its call'
    END,
    greatest(g.dur, 0)
  FROM gpu_op AS g
  JOIN linked AS l ON l.device_trace_id = g.trace_id
  LEFT JOIN seen AS s
    ON s.graph_id = l.graph_id AND s.slice_id = g.slice_id AND s.device_kind = 'gpu'
  LEFT JOIN launched AS c ON c.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
  UNION ALL
  SELECT
    l.graph_id,
    'operator',
    o.kind,
    coalesce(s.rule, 'none'),
    CASE WHEN s.slice_id IS NULL THEN 'no node of the execution trace is linked with it' END,
    NULL
  FROM operator AS o
  JOIN linked AS l ON l.device_trace_id = o.trace_id
  LEFT JOIN seen AS s
    ON s.graph_id = l.graph_id AND s.slice_id = o.slice_id AND s.device_kind = 'cpu'
),
counted AS (
  SELECT graph_id, side, kind, rule, reason, count(*) AS n, sum(device_ns) AS device_ns
  FROM item
  GROUP BY graph_id, side, kind, rule, reason
)
SELECT
  l.run_id,
  l.trace_id,
  l.rank,
  l.link_set,
  c.side,
  c.kind,
  c.rule,
  c.reason,
  c.n,
  c.n / sum(c.n) OVER (PARTITION BY c.graph_id, c.side) AS n_share,
  CAST(c.device_ns AS BIGINT) AS device_ns,
  c.device_ns / nullif(sum(c.device_ns) OVER (PARTITION BY c.graph_id, c.side), 0) AS device_share
FROM counted AS c
JOIN linked AS l ON l.graph_id = c.graph_id
ORDER BY l.run_id, l.trace_id, l.link_set, c.side, c.kind, c.rule, c.reason NULLS FIRST
