/* ---
name = "critical_path_summary"
version = 3
title = "Critical path of one step by kind and name"
help = """
Sums of the parts of critical_path; the rows of a trace add up to the length of its step. A time
window chooses among the steps that run in it; the path of a step is whole.
"""
grain = ["trace_id", "kind", "name"]
requires = { queries = ["critical_path_segment@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "range_id", "step", "kind", "name", "n_parts", "total_ns", "share",
]

[param.step]
type = "BIGINT"
nullable = true
help = "Step number; the first step that has it. NULL: the longest step of each trace, or the whole of a trace without steps"

[param.range_name]
type = "VARCHAR"
nullable = true
help = "Analyze the host annotations with this name, numbered from 0 in order of time, instead of steps"

[column]
range_id = { nullable = true, help = "Step or annotation; NULL: the whole trace" }
step.help = "Step number; NULL if the step has none"
kind.help = "host, launch_delay, device, device_gap, stream_wait, sync or hand_over"
name.help = "Name of the slices whose time it is; NULL on host threads outside slices"
n_parts = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of parts of the path" }
total_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Length of the parts" }
share = { type = "DOUBLE", unit = "ratio", check = "between 0 and 1", help = "total_ns / length of the step" }

[changes]
3 = "also leads through communication on threads of the host"
2 = "traces without steps have a path over the whole trace"
1 = "first version"
--- */
-- A number stands for the name: to keep the names of all slices takes more memory than all else.
WITH name AS MATERIALIZED (
  SELECT row_number() OVER () AS name_n, name
  FROM (SELECT DISTINCT name FROM whole_slice WHERE name IS NOT NULL)
),
named AS (
  SELECT s.id, n.name_n
  FROM whole_slice AS s
  JOIN name AS n ON n.name = s.name
),
total AS (
  SELECT
    p.trace_id,
    p.range_id,
    p.step,
    p.kind,
    s.name_n,
    count(*) AS n_parts,
    sum(p.end_ns - p.start_ns)::BIGINT AS total_ns
  FROM critical_path_segment($step::BIGINT, $range_name::VARCHAR) AS p
  LEFT JOIN named AS s ON s.id = p.slice_id
  GROUP BY p.trace_id, p.range_id, p.step, p.kind, s.name_n
)
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  p.range_id,
  p.step,
  p.kind,
  n.name,
  p.n_parts,
  p.total_ns,
  p.total_ns / sum(p.total_ns) OVER (PARTITION BY p.trace_id) AS share
FROM total AS p
JOIN trace AS t ON t.id = p.trace_id
LEFT JOIN name AS n ON n.name_n = p.name_n
ORDER BY t.run_id, p.trace_id, p.total_ns DESC, p.kind, n.name
