-- The graph to write for each rank: the graph linked by the requested rules, else the execution trace
-- (which may itself be linked, as ET+ files are), else the imported Chakra file.
WITH candidate AS (
  SELECT
    g.id,
    g.trace_id,
    g.kind,
    t.name AS trace_name,
    r.name AS run_name,
    t.run_id,
    t.rank,
    coalesce(t.rank, -t.id) AS place,
    CASE g.kind WHEN 'linked' THEN 0 WHEN 'execution_trace' THEN 1 ELSE 2 END AS preference,
    coalesce(o.attributes_json, g.attributes_json) AS attributes_json
  FROM graph AS g
  JOIN trace AS t ON t.id = g.trace_id
  JOIN run AS r ON r.id = t.run_id
  LEFT JOIN graph AS o ON o.id = g.of_graph_id
  WHERE g.kind IN ('execution_trace', 'chakra') OR (g.kind = 'linked' AND g.link_set = $link_set)
)
SELECT
  id,
  trace_id,
  kind,
  trace_name,
  run_name,
  rank,
  attributes_json,
  count(*) OVER (PARTITION BY run_id, place, preference) AS n_alike
FROM candidate
QUALIFY row_number() OVER (PARTITION BY run_id, place ORDER BY preference, id DESC) = 1
ORDER BY run_id, rank NULLS LAST, trace_id
