/* ---
name = "replay_resource"
version = 3
title = "What the nodes of a replay run on"
help = """
A resource serves as many nodes at once as it has servers. Of timelines: threads and streams, on which
edges of replay_edge keep the recorded order; of dPRO trials: the operators of a rank, its
communicator, its channels; of graphs: threads and streams, which serve nodes as they become ready.
"""
grain = ["run_id", "resource_id"]
requires = { schema = ">=17", queries = ["dpro_replay@3", "replay_graph_node@1", "replay_timeline_node@1", "replay_tpu_node@1"] }
scale = "run"
columns = ["run_id", "resource_id", "name", "kind", "rank", "track_id", "n_servers", "order"]

[param.dpro_rules]
type = "BOOLEAN"
default = false
help = "Durations and resources as dPRO's replay has them"

[param.unlimited_updates]
type = "BOOLEAN"
default = false
help = "Updates of weights run without waiting for other operators of their rank"

[column]
resource_id = { nullable = false, help = "Resource; counts from 0 in a run" }
name.nullable = false
kind.help = "thread or stream of a timeline, or row of an engine; dpro: of dPRO's graph; graph_thread, graph_stream: of other graphs"
track_id = { nullable = true, help = "Thread or stream" }
n_servers = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Nodes that it serves at once; NULL: any number" }
order = { type = "VARCHAR", unit = "text", check = "IN ('recorded', 'ready', 'priority')", help = "Which node comes next: recorded: edges say so; ready: the first to be ready; priority: of waiting nodes that of the lowest number" }

[changes]
3 = "graphs and TPU commands"
2 = "timelines; kind, track, servers and order"
1 = "first version"
--- */
SELECT
  run_id,
  row_number() OVER (PARTITION BY run_id ORDER BY min(place)) - 1 AS resource_id,
  process || '->' || resource AS name,
  'dpro' AS kind,
  any_value(rank) AS rank,
  NULL::BIGINT AS track_id,
  CASE WHEN NOT bool_or(is_unlimited) THEN 1::BIGINT END AS n_servers,
  CASE WHEN bool_or(is_by_priority) THEN 'priority' ELSE 'ready' END AS "order"
FROM dpro_replay(p_dpro_rules := $dpro_rules::BOOLEAN, p_unlimited_updates := $unlimited_updates::BOOLEAN)
WHERE resource IS NOT NULL
GROUP BY run_id, process, resource
UNION ALL
SELECT
  n.run_id,
  row_number() OVER (PARTITION BY n.run_id ORDER BY n.track_id) - 1,
  coalesce(any_value(k.name), any_value(k.kind) || ' ' || (n.track_id & 4294967295)),
  any_value(k.kind),
  any_value(n.rank),
  n.track_id,
  NULL,
  'recorded'
FROM (
  SELECT run_id, rank, track_id FROM replay_timeline_node()
  UNION ALL
  SELECT run_id, rank, track_id FROM replay_tpu_node()
) AS n
JOIN track AS k ON k.id = n.track_id
GROUP BY n.run_id, n.track_id
UNION ALL
SELECT
  run_id,
  row_number() OVER (PARTITION BY run_id ORDER BY trace_id, resource) - 1,
  resource,
  'graph_' || split_part(resource, ' ', 1),
  any_value(rank),
  NULL,
  1,
  'ready'
FROM replay_graph_node()
WHERE resource IS NOT NULL
GROUP BY run_id, trace_id, resource
ORDER BY run_id, resource_id
