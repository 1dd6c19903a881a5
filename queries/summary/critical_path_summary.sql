/* ---
name = "critical_path_summary"
version = 1
title = "What the critical path of one step consists of, by kind and name"
help = """
The parts of critical_path added up; the rows of a trace add up to the length of its step.
"""
grain = ["trace_id", "kind", "name"]
portable = false
requires = { queries = ["critical_path_segment@1"] }

[param.step]
type = "BIGINT"
nullable = true
help = "Number of the step; of several with this number, the first. NULL: the longest of each trace"

[param.range_name]
type = "VARCHAR"
nullable = true
help = "Instead of steps: the host annotations of this name, numbered from 0 in order of time"

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
help = "Rank of the trace"

[[column]]
name = "range_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step, or the annotation"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Its number; NULL where the step has none"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "host, launch_delay, device, device_gap, stream_wait, sync or hand_over"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name of the slices whose time it is; NULL on host threads outside of all slices"

[[column]]
name = "n_parts"
type = "BIGINT"
unit = "count"
check = ">= 1"
help = "Parts of the path"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Their length"

[[column]]
name = "share"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "Their length / the step's"

[changes]
1 = "first version"
--- */
WITH total AS (
  SELECT
    p.trace_id,
    p.range_id,
    p.step,
    p.kind,
    s.name,
    count(*) AS n_parts,
    sum(p.end_ns - p.start_ns)::BIGINT AS total_ns
  FROM critical_path_segment($step::BIGINT, $range_name::VARCHAR) AS p
  LEFT JOIN slice AS s ON s.id = p.slice_id
  GROUP BY p.trace_id, p.range_id, p.step, p.kind, s.name
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
