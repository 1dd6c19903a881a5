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
WITH part AS MATERIALIZED (
  SELECT trace_id, range_id, step, kind, slice_id, end_ns - start_ns AS dur_ns
  FROM critical_path_segment($step::BIGINT, $range_name::VARCHAR)
),
-- Conditions that are always true make the estimate of few rows small, so that these are hashed, and not
-- all slices.
few_part AS (
  SELECT *
  FROM part
  WHERE slice_id >= 0 AND slice_id < 9223372036854775807 AND dur_ns > 0
),
named AS (
  SELECT p.trace_id, p.range_id, p.step, p.kind, s.name, count(*) AS n_parts, sum(p.dur_ns) AS total_ns
  FROM whole_slice AS s
  JOIN few_part AS p ON p.slice_id = s.id
  GROUP BY p.trace_id, p.range_id, p.step, p.kind, s.name
  UNION ALL
  SELECT trace_id, range_id, step, kind, NULL, count(*), sum(dur_ns)
  FROM part
  WHERE slice_id IS NULL
  GROUP BY trace_id, range_id, step, kind
),
total AS (
  SELECT
    trace_id, range_id, step, kind, name, sum(n_parts)::BIGINT AS n_parts, sum(total_ns)::BIGINT AS total_ns
  FROM named
  GROUP BY trace_id, range_id, step, kind, name
)
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  p.range_id,
  p.step,
  p.kind,
  p.name,
  p.n_parts,
  p.total_ns,
  p.total_ns / sum(p.total_ns) OVER (PARTITION BY p.trace_id) AS share
FROM total AS p
JOIN trace AS t ON t.id = p.trace_id
ORDER BY t.run_id, p.trace_id, p.total_ns DESC, p.kind, p.name
