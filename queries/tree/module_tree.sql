/* ---
name = "module_tree"
version = 1
title = "The tree of nn.Modules, with host time and device time of forward and backward"
help = """
A row is a module as it is reached from the outermost one; calls by the same way are one row, those of
all steps too. Rows come in the order of first calls, a module before those in it. Times are as in
module_summary.
"""
grain = ["trace_id", "path"]
portable = false
requires = { schema = ">=1", queries = ["module_time@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "depth"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Modules above it"

[[column]]
name = "tree"
type = "VARCHAR"
unit = "text"
help = "The module, indented by two spaces for each depth"

[[column]]
name = "path"
type = "VARCHAR"
unit = "text"
help = "The modules from the outermost, with / between them"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
help = "Class of the module"

[[column]]
name = "n_calls"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Calls by this way"

[[column]]
name = "self_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times without module calls right below"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the host times"

[[column]]
name = "self_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of forward, own"

[[column]]
name = "total_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of forward"

[[column]]
name = "self_backward_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of backward, own"

[[column]]
name = "total_backward_device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of backward"

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
    sum(c.dur_ns)::BIGINT AS total_ns,
    sum(c.self_device_ns)::BIGINT AS self_device_ns,
    sum(c.device_ns)::BIGINT AS total_device_ns,
    sum(c.self_backward_device_ns)::BIGINT AS self_backward_device_ns,
    sum(c.backward_device_ns)::BIGINT AS total_backward_device_ns
  FROM walk AS w
  JOIN call AS c ON c.slice_id = w.slice_id
  GROUP BY c.trace_id, w.path, w.above_path, w.depth, c.instance, c.class
),
-- Rows are put in order by the places of first calls among siblings, from the outermost down.
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
