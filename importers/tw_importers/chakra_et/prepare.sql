-- Converts the nodes of the file to stored nodes and edges; without any lock.
-- In: `raw_node` (read.py). Out: `event`, `node`, `edge`, `origin`, `unused`, `problem`.
-- Tensors and process groups are those of all graphs (tw_importers/graph).

-- If an id occurs twice, dependencies refer to its first node.
CREATE TABLE first_node AS
SELECT id AS node_id, min(seq) AS seq, count(*) AS n_nodes
FROM raw_node
GROUP BY id;

-- Control dependencies stand before data dependencies, each in the order of the file.
CREATE TABLE dependency AS
SELECT
  seq AS to_seq,
  'control' AS kind,
  unnest(ctrl_deps) AS node_id,
  generate_subscripts(ctrl_deps, 1) - 1 AS ordinal
FROM raw_node
UNION ALL
SELECT
  seq,
  'data',
  unnest(data_deps),
  len(ctrl_deps) + generate_subscripts(data_deps, 1) - 1
FROM raw_node;

CREATE TABLE edge AS
SELECT p.seq AS from_seq, d.to_seq, d.kind, d.ordinal
FROM dependency AS d
JOIN first_node AS p ON p.node_id = d.node_id
ORDER BY d.to_seq, d.ordinal;

-- What has no column is kept under its name: dependencies, where some are on nodes that the file does
-- not hold; microseconds that do not fit a BIGINT of nanoseconds; unknown fields.
CREATE TABLE dangling AS
SELECT d.to_seq AS seq
FROM dependency AS d
ANTI JOIN first_node AS p ON p.node_id = d.node_id
GROUP BY d.to_seq;

CREATE MACRO nanoseconds(micros) AS TRY_CAST(micros::HUGEINT * 1000 AS BIGINT);
CREATE MACRO kept(name, text) AS '"' || name || '":' || text;

CREATE TABLE node AS
SELECT
  *,
  '{' || nullif(concat_ws(
    ',',
    CASE WHEN is_dangling THEN kept('ctrl_deps', to_json(ctrl_deps)::VARCHAR) END,
    CASE WHEN is_dangling THEN kept('data_deps', to_json(data_deps)::VARCHAR) END,
    CASE WHEN start_ns IS NULL THEN kept('start_time_micros', start_time_micros) END,
    CASE WHEN dur_ns IS NULL THEN kept('duration_micros', duration_micros) END,
    kept('unknown', others)
  ), '') || '}' AS extra
FROM (
  SELECT
    n.*,
    n.ctrl_deps[1] AS parent_node_id,
    nanoseconds(n.start_time_micros) AS start_ns,
    nanoseconds(n.duration_micros) AS dur_ns,
    d.seq IS NOT NULL AS is_dangling
  FROM raw_node AS n
  LEFT JOIN dangling AS d ON d.seq = n.seq
)
ORDER BY seq;

-- One row a node read. A graph has no timeline.
CREATE VIEW event AS SELECT seq FROM raw_node;

CREATE TABLE origin AS SELECT 0::BIGINT AS first_ns, 0::BIGINT AS last_ns;

CREATE TABLE unused (reason VARCHAR, n BIGINT);

CREATE TABLE problem AS
SELECT 'dangling_control' AS kind, 'note' AS severity, count(*) AS count,
  'control dependencies on missing nodes; kept with the node' AS meaning
FROM dependency AS d
ANTI JOIN first_node AS p ON p.node_id = d.node_id
WHERE d.kind = 'control'
UNION ALL
SELECT 'dangling_data', 'warning', count(*),
  'data dependencies on missing nodes; a simulator cannot run these nodes'
FROM dependency AS d
ANTI JOIN first_node AS p ON p.node_id = d.node_id
WHERE d.kind = 'data'
UNION ALL
SELECT 'repeated_node_id', 'warning', coalesce(sum(n_nodes - 1), 0)::BIGINT,
  'nodes with the id of an earlier node; dependencies refer to the earlier one'
FROM first_node
UNION ALL
SELECT 'unknown_node_type', 'warning', count(*), 'nodes of an unknown type'
FROM raw_node
WHERE type NOT LIKE '%_NODE'
UNION ALL
SELECT 'duration_out_of_range', 'warning', count(*),
  'times of more than 292 years; kept with the node'
FROM node
WHERE start_ns IS NULL OR dur_ns IS NULL;
