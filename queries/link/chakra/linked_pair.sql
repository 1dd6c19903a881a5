/* ---
name = "linked_pair"
version = 1
title = "Which execution trace of a run goes with which timeline"
help = """Both are of one rank. Of several timelines of a rank, the one that recorded the process of the
execution trace, else the first imported. A trace without a rank goes with the only one of the other
kind, where there is one. An execution trace whose nodes have times was linked before and is left
alone."""
grain = ["graph_id"]
requires = { schema = ">=8" }

[param.run_id]
type = "BIGINT"
help = "The run"

[[column]]
name = "graph_id"
type = "BIGINT"
unit = "ref graph.id"
help = "The execution trace"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace it is"

[[column]]
name = "device_trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The timeline"

[changes]
1 = "first version"
--- */
WITH host AS (
  SELECT
    g.id AS graph_id,
    t.id AS trace_id,
    t.rank,
    TRY_CAST(json_extract_string(g.attributes_json, '$.pid') AS BIGINT) AS pid
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  ANTI JOIN (
    SELECT graph_id FROM graph_node WHERE start_ns IS NOT NULL AND of_node_id IS NULL
  ) AS n ON n.graph_id = g.id
  WHERE t.run_id = $run_id::BIGINT
    AND g.kind = 'execution_trace'
),
device AS (
  SELECT t.id AS trace_id, t.rank
  FROM trace AS t
  SEMI JOIN cpu_op AS o ON o.trace_id = t.id
  WHERE t.run_id = $run_id::BIGINT
  UNION
  SELECT t.id, t.rank
  FROM trace AS t
  SEMI JOIN gpu_op AS o ON o.trace_id = t.id
  WHERE t.run_id = $run_id::BIGINT
),
counted AS (
  SELECT
    (SELECT count(*) FROM host) AS n_hosts,
    (SELECT count(*) FROM device) AS n_devices
),
process_of AS (
  SELECT DISTINCT p.trace_id, p.pid
  FROM process AS p
  JOIN device AS d ON d.trace_id = p.trace_id
)
SELECT graph_id, trace_id, device_trace_id
FROM (
  SELECT
    h.graph_id,
    h.trace_id,
    d.trace_id AS device_trace_id,
    row_number() OVER (
      PARTITION BY h.graph_id ORDER BY p.pid IS NULL, d.trace_id
    ) AS place
  FROM host AS h
  CROSS JOIN counted AS c
  JOIN device AS d
    ON d.rank = h.rank
    OR ((d.rank IS NULL OR h.rank IS NULL) AND c.n_hosts = 1 AND c.n_devices = 1)
  LEFT JOIN process_of AS p ON p.trace_id = d.trace_id AND p.pid = h.pid
)
WHERE place = 1
ORDER BY graph_id
