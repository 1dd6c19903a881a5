/* ---
name = "replay_tpu_edge"
version = 1
title = "Dependencies between TPU commands, recorded or found by times"
help = """
Commands of an engine follow each other. Where register images were captured, a command of TIU or GDMA
waits for the command of the other engine whose number is in its field cmd_id_dep. In captures where no
command has such a number, a command that starts after its engine was free waits for the command of its
core that was the last to end before: an assumption, of confidence 0.5. Delays are medians: of an
engine after its own commands, and of each pair of engines; the first command of a kernel comes as long
after the one before as recorded, as what submitted it is not. An edge that the times contradict is dropped.
"""
grain = ["run_id", "from_id", "to_id", "kind"]
requires = { schema = ">=17", rows = ["tpu_command"], queries = ["replay_tpu_node@1"] }
computed_once = true
columns = ["run_id", "from_id", "to_id", "delay_ns", "kind", "confidence"]

[column]
from_id.help = "Node that comes first"
to_id.help = "Node that depends on it"
delay_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time between the end of the first and the earliest start" }
kind.help = "stream_order, event_wait or end"

[changes]
1 = "first version"
--- */
WITH command AS MATERIALIZED (
  SELECT
    n.run_id, n.trace_id, n.node_id, n.slice_id, n.track_id, n.start_ns, n.end_ns, c.engine,
    coalesce(c.core, c.submit_core) AS core,
    c.port,
    c.kernel_scope,
    c.section,
    c.shown_id,
    TRY_CAST(json_extract_string(c.registers_json, '$.cmd_id_dep') AS BIGINT) AS needed_id
  FROM replay_tpu_node() AS n
  JOIN tpu_command AS c ON c.slice_id = n.slice_id
),
follower AS MATERIALIZED (
  SELECT
    *,
    lag(node_id) OVER track_order AS before_id,
    lag(end_ns) OVER track_order AS before_end_ns,
    max(needed_id) OVER (PARTITION BY trace_id) > 0 AS is_recorded,
    row_number() OVER (
      PARTITION BY trace_id, core, port, coalesce(kernel_scope, section) ORDER BY start_ns, node_id
    ) = 1 AS is_first
  FROM command
  WINDOW track_order AS (PARTITION BY track_id ORDER BY node_id)
),
-- Of commands of a core that end together, the first.
core_end AS (
  SELECT trace_id, core, end_ns, min(node_id) AS node_id
  FROM command
  WHERE core IS NOT NULL
  GROUP BY trace_id, core, end_ns
),
needed AS (
  SELECT c.trace_id, c.node_id, o.node_id AS from_id, o.engine AS from_engine, o.end_ns AS from_end_ns, 1.0 AS confidence
  FROM follower AS c
  JOIN command AS o
    ON o.trace_id = c.trace_id AND o.core = c.core AND o.section = c.section AND o.shown_id = c.needed_id
    AND o.engine = CASE c.engine WHEN 'TIU' THEN 'GDMA' ELSE 'TIU' END
  WHERE c.engine IN ('TIU', 'GDMA') AND c.needed_id > 0 AND o.end_ns <= c.start_ns
  UNION ALL
  SELECT c.trace_id, c.node_id, o.node_id, o.engine, o.end_ns, 0.5
  FROM (
    SELECT c.trace_id, c.node_id, c.before_end_ns, e.node_id AS from_id
    FROM follower AS c
    ASOF JOIN core_end AS e ON e.trace_id = c.trace_id AND e.core = c.core AND e.end_ns <= c.start_ns
    WHERE NOT coalesce(c.is_recorded, false)
  ) AS c
  JOIN command AS o ON o.trace_id = c.trace_id AND o.node_id = c.from_id
  WHERE c.before_end_ns IS NULL OR o.end_ns > c.before_end_ns
),
caused AS MATERIALIZED (
  SELECT
    f.run_id, f.trace_id, f.node_id, f.engine, f.start_ns, f.before_id, f.before_end_ns, n.from_id, n.from_engine,
    n.from_end_ns, n.confidence, f.is_first
  FROM follower AS f
  LEFT JOIN needed AS n ON n.trace_id = f.trace_id AND n.node_id = f.node_id
),
gap AS (
  SELECT trace_id, engine, median(start_ns - before_end_ns) AS gap_ns
  FROM caused
  WHERE NOT is_first AND before_id IS NOT NULL AND (from_end_ns IS NULL OR from_end_ns <= before_end_ns)
  GROUP BY trace_id, engine
),
latency AS (
  SELECT trace_id, engine, from_engine, median(start_ns - from_end_ns) AS latency_ns
  FROM caused
  WHERE NOT is_first AND from_end_ns > coalesce(before_end_ns, from_end_ns - 1)
  GROUP BY trace_id, engine, from_engine
),
edge AS (
  SELECT
    c.run_id, c.before_id AS from_id, c.node_id AS to_id,
    CASE WHEN c.is_first THEN greatest(c.start_ns - c.before_end_ns, 0)
      ELSE greatest(coalesce(g.gap_ns, 0), 0) END::DOUBLE AS delay_ns,
    'stream_order' AS kind, 1::DOUBLE AS confidence
  FROM caused AS c
  LEFT JOIN gap AS g ON g.trace_id = c.trace_id AND g.engine = c.engine
  WHERE c.before_id IS NOT NULL
  UNION ALL
  SELECT c.run_id, c.from_id, c.node_id,
    CASE WHEN c.is_first THEN c.start_ns - c.from_end_ns ELSE greatest(coalesce(l.latency_ns, 0), 0) END::DOUBLE,
    'event_wait', c.confidence
  FROM caused AS c
  LEFT JOIN latency AS l
    ON l.trace_id = c.trace_id AND l.engine = c.engine AND l.from_engine = c.from_engine
  WHERE c.from_id IS NOT NULL
  UNION ALL
  SELECT e.run_id, l.node_id, e.node_id, 0, 'end', 1
  FROM replay_tpu_node() AS e
  JOIN (
    SELECT trace_id, track_id, max(node_id) AS node_id FROM command GROUP BY trace_id, track_id
  ) AS l ON l.trace_id = e.trace_id
  WHERE e.role = 'end'
)
SELECT run_id, from_id, to_id, delay_ns, kind, confidence
FROM edge
ORDER BY run_id, from_id, to_id, kind
