/* ---
name = "module_tree"
version = 1
title = "Tree of nn.Modules with host time, and device time of forward and backward"
help = """
One row per path from an outermost module; calls with equal paths, including those of all steps,
share a row. Rows are in order of first calls, a module before those in it. Times are as in
module_summary. In a time window a call counts if it runs in it or its device work does: sums are of
the parts inside the window, so disjoint windows add up to the whole.
"""
grain = ["trace_id", "path"]
requires = { schema = ">=1", queries = ["module_time@2"], rows = ["whole_python_call"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "depth", "tree", "path", "class", "n_calls", "self_ns", "total_ns",
  "self_device_ns", "total_device_ns", "self_backward_device_ns", "total_backward_device_ns",
]

[column]
depth.help = "Number of enclosing modules"
tree = { type = "VARCHAR", unit = "text", help = "Module, indented by two spaces per depth" }
path.help = "Modules, outermost first, separated by /"
class.help = "Class of the module"
n_calls.help = "Number of calls with this path"
self_ns.help = "Sum of the self times of the calls, excluding nested module calls"
total_ns.help = "Sum of the host times"
self_device_ns.help = "Device self time of forward"
total_device_ns.help = "Device time of forward"

[changes]
1 = "first version"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT * FROM module_time()
),
walk AS (
  SELECT slice_id, instance AS path, NULL::VARCHAR AS above_path, 0::BIGINT AS depth
  FROM call
  WHERE above_id IS NULL
  UNION ALL
  SELECT c.slice_id, concat(w.path, '/', c.instance), w.path, w.depth + 1
  FROM call AS c
  JOIN walk AS w ON w.slice_id = c.above_id
),
node AS MATERIALIZED (
  SELECT
    c.trace_id,
    w.path,
    w.above_path,
    w.depth,
    c.instance,
    c.class,
    min(c.start_ns) AS first_ns,
    count(*) AS n_calls,
    sum(c.self_ns)::BIGINT AS self_ns,
    sum(c.inside_ns)::BIGINT AS total_ns,
    sum(c.self_device_ns)::BIGINT AS self_device_ns,
    sum(c.device_ns)::BIGINT AS total_device_ns,
    sum(c.self_backward_device_ns)::BIGINT AS self_backward_device_ns,
    sum(c.backward_device_ns)::BIGINT AS total_backward_device_ns
  FROM walk AS w
  JOIN call AS c ON c.slice_id = w.slice_id
  GROUP BY c.trace_id, w.path, w.above_path, w.depth, c.instance, c.class
),
-- Sorts rows by the positions of first calls among siblings, from the outermost down.
sibling AS MATERIALIZED (
  SELECT
    trace_id,
    path,
    above_path,
    lpad(
      (row_number() OVER (
        PARTITION BY trace_id, above_path
        ORDER BY first_ns, instance
      ))::VARCHAR,
      10,
      '0'
    ) AS place
  FROM node
),
placed AS (
  SELECT trace_id, path, place
  FROM sibling
  WHERE above_path IS NULL
  UNION ALL
  SELECT s.trace_id, s.path, concat(p.place, s.place)
  FROM sibling AS s
  JOIN placed AS p ON p.trace_id = s.trace_id AND p.path = s.above_path
)
SELECT
  t.run_id,
  n.trace_id,
  t.rank,
  n.depth,
  concat(repeat('  ', n.depth), n.instance) AS tree,
  n.path,
  n.class,
  n.n_calls,
  n.self_ns,
  n.total_ns,
  n.self_device_ns,
  n.total_device_ns,
  n.self_backward_device_ns,
  n.total_backward_device_ns
FROM node AS n
JOIN placed AS p ON p.trace_id = n.trace_id AND p.path = n.path
JOIN trace AS t ON t.id = n.trace_id
ORDER BY t.run_id, t.rank, n.trace_id, p.place
