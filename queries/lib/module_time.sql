/* ---
name = "module_time"
version = 2
title = "Calls of nn.Modules: host time, and device time of forward and backward"
help = """
A module call is a Python frame that the profiler names nn.Module: CLASS_NUMBER. Self times exclude
the module calls nested directly in it, across any slices in between. The backward of a call is the
device work launched in the operators that compute the gradients of its operators (links of kind
forward_backward). Work in one such operator nested in another counts for the inner one only; work
of modules called in one, as in checkpointing that reruns forward, counts for these modules only. A
module called in a backward operator is an outermost module. Durations are summed, so overlapping
work counts twice. Negative durations count as 0 ns. In a time window there is a row for each call
that runs in it or whose device work does: dur_ns is that of the whole call, all other times are of
the parts inside the window. Work of a replayed graph is self time of the module in which it was captured,
and not of the one in which the graph was launched.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["host_device_time@1"] }
scale = "trace"
computed_once = "reports"
columns = [
  "slice_id", "trace_id", "above_id", "instance", "class", "start_ns", "dur_ns", "inside_ns",
  "self_ns", "device_ns", "self_device_ns", "backward_device_ns", "self_backward_device_ns",
]

[column]
slice_id.help = "Call of the module"
instance = { type = "VARCHAR", unit = "text", help = "Module name as recorded: class and number" }
class.help = "Class of the module"
start_ns.help = "Start, on the time axis of slice.ts"
dur_ns.help = "Duration on the host"
self_ns.help = "Duration minus nested module calls"
device_ns.help = "Device time launched in or below the call"
self_device_ns.help = "Device time launched in it, excluding nested module calls"
self_backward_device_ns.help = "Device time of the backward of operators called in it, excluding nested module calls"

[column.above_id]
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "Nearest enclosing module call; NULL: none"

[column.backward_device_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Device time of the backward of this call and of nested module calls"

[changes]
2 = "new column inside_ns; module calls below that overlap each other are subtracted once from self_ns"
1 = "first version"
--- */
WITH RECURSIVE module AS MATERIALIZED (
  SELECT slice_id, trace_id, ts, dur, substr(name, 12) AS instance
  FROM whole_python_call
  WHERE name LIKE 'nn.Module: %'
),
device AS MATERIALIZED (
  SELECT slice_id, device_ns FROM host_device_time(p_only_with_python := true)
),
gradient AS MATERIALIZED (
  SELECT l.to_id AS slice_id, min(m.from_id) AS module_id, any_value(l.trace_id) AS trace_id
  FROM whole_link AS l
  JOIN whole_link AS m ON m.to_id = l.from_id AND m.kind = 'module' AND m.link_set = 'default'
  WHERE l.kind = 'forward_backward'
    AND l.link_set = 'default'
  GROUP BY l.to_id
),
-- Work that a call replays, by module: it belongs to the operators that were captured.
replay AS MATERIALIZED (
  SELECT
    c.from_id AS slice_id,
    any_value(g.trace_id) AS trace_id,
    sum(greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0))::BIGINT
      AS device_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN whole_link AS d
    ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.rule = 'graph_capture'
    AND d.link_set = 'default'
  JOIN whole_link AS c ON c.to_id = g.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
  WHERE g.kind <> 'sync'
  GROUP BY c.from_id
),
beside_replay AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL
    AND trace_id IN (SELECT trace_id FROM replay)
),
replay_above AS (
  SELECT slice_id AS at_id, device_ns FROM replay
  UNION ALL
  SELECT s.parent_id, r.device_ns
  FROM replay_above AS r
  JOIN beside_replay AS s ON s.id = r.at_id
  WHERE r.at_id NOT IN (SELECT slice_id FROM module)
),
replayed AS (
  SELECT at_id AS slice_id, sum(device_ns)::BIGINT AS device_ns
  FROM replay_above
  WHERE at_id IN (SELECT slice_id FROM module)
  GROUP BY at_id
),
-- From module calls and backward operators up to the nearest of either.
node AS MATERIALIZED (
  SELECT slice_id, trace_id, false AS is_gradient FROM module
  UNION ALL
  SELECT slice_id, trace_id, true FROM gradient
),
-- Slices that can be met when climbing, and the nodes; of traces without any, no slices are read.
container AS (
  SELECT DISTINCT parent_id AS id
  FROM whole_slice
  WHERE parent_id IS NOT NULL
    AND trace_id IN (SELECT trace_id FROM node)
  UNION ALL
  SELECT slice_id FROM node
),
around AS MATERIALIZED (
  SELECT s.id, s.parent_id
  FROM whole_slice AS s
  SEMI JOIN container AS c ON c.id = s.id
  WHERE s.parent_id IS NOT NULL
),
search AS (
  SELECT s.id AS slice_id, s.parent_id AS at_id, a.is_gradient
  FROM around AS s
  SEMI JOIN node AS n ON n.slice_id = s.id
  LEFT JOIN node AS a ON a.slice_id = s.parent_id
  UNION ALL
  SELECT r.slice_id, s.parent_id, a.is_gradient
  FROM around AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN node AS a ON a.slice_id = s.parent_id
  WHERE r.is_gradient IS NULL
),
above AS MATERIALIZED (
  SELECT slice_id, at_id AS above_id, is_gradient AS is_above_gradient
  FROM search
  WHERE is_gradient IS NOT NULL
),
-- A backward operator may rerun forward (checkpointing): that time belongs to the called modules.
gradient_inside AS (
  SELECT a.above_id AS slice_id, sum(d.device_ns)::BIGINT AS device_ns
  FROM above AS a
  JOIN device AS d ON d.slice_id = a.slice_id
  WHERE a.is_above_gradient
  GROUP BY a.above_id
),
backward AS (
  SELECT
    g.module_id AS slice_id,
    sum(d.device_ns - coalesce(i.device_ns, 0))::BIGINT AS device_ns
  FROM gradient AS g
  JOIN device AS d ON d.slice_id = g.slice_id
  LEFT JOIN gradient_inside AS i ON i.slice_id = g.slice_id
  GROUP BY g.module_id
),
figure AS MATERIALIZED (
  SELECT
    m.slice_id,
    m.trace_id,
    a.above_id,
    m.instance,
    m.ts,
    greatest(m.dur, 0) AS dur_ns,
    greatest(m.ts, w.from_ns) AS inside_start_ns,
    least(m.ts + greatest(m.dur, 0), w.to_ns) AS inside_end_ns,
    d.slice_id IS NOT NULL
    OR (m.ts < w.to_ns AND (m.ts >= w.from_ns OR m.ts + m.dur > w.from_ns OR m.dur = -1))
      AS is_chosen,
    coalesce(d.device_ns, 0) AS device_ns,
    coalesce(b.device_ns, 0) AS backward_ns
  FROM module AS m
  CROSS JOIN time_window AS w
  LEFT JOIN above AS a ON a.slice_id = m.slice_id AND NOT a.is_above_gradient
  LEFT JOIN device AS d ON d.slice_id = m.slice_id
  LEFT JOIN backward AS b ON b.slice_id = m.slice_id
),
ancestor AS (
  SELECT slice_id, above_id, backward_ns
  FROM figure
  WHERE backward_ns > 0
  UNION ALL
  SELECT f.slice_id, f.above_id, c.backward_ns
  FROM figure AS f
  JOIN ancestor AS c ON c.above_id = f.slice_id
),
backward_total AS (
  SELECT slice_id, sum(backward_ns)::BIGINT AS backward_ns
  FROM ancestor
  GROUP BY slice_id
),
-- Of the module calls directly below, the time beyond those before them.
nested AS (
  SELECT
    above_id AS slice_id,
    sum(greatest(inside_end_ns - greatest(inside_start_ns, coalesce(reach_ns, inside_start_ns)), 0))
      ::BIGINT AS inside_ns,
    sum(device_ns)::BIGINT AS device_ns
  FROM (
    SELECT
      *,
      max(inside_end_ns) OVER (
        PARTITION BY above_id
        ORDER BY inside_start_ns, inside_end_ns
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reach_ns
    FROM figure
    WHERE above_id IS NOT NULL
  )
  GROUP BY above_id
)
SELECT
  f.slice_id,
  f.trace_id,
  f.above_id,
  f.instance,
  regexp_replace(f.instance, '_[0-9]+$', '') AS class,
  f.ts AS start_ns,
  f.dur_ns,
  greatest(f.inside_end_ns - f.inside_start_ns, 0) AS inside_ns,
  greatest(f.inside_end_ns - f.inside_start_ns, 0) - coalesce(n.inside_ns, 0) AS self_ns,
  f.device_ns,
  f.device_ns - coalesce(n.device_ns, 0) - coalesce(r.device_ns, 0) AS self_device_ns,
  coalesce(t.backward_ns, 0) AS backward_device_ns,
  f.backward_ns AS self_backward_device_ns
FROM figure AS f
LEFT JOIN nested AS n ON n.slice_id = f.slice_id
LEFT JOIN replayed AS r ON r.slice_id = f.slice_id
LEFT JOIN backward_total AS t ON t.slice_id = f.slice_id
WHERE f.is_chosen
  OR t.backward_ns > 0
