/* ---
name = "chakra_1_0_node"
version = 1
title = "Nodes of a linked graph by the rules of chakra_trace_link 1.0"
help = """
Reproduces the output of that program including its defects: threads are distinguished by id only;
of several operators with one record function id the last counts; device work is placed under the
latest operator before its call that has its External id, else under the latest operator, and is
missing if its call is missing or is not in any list. Where the program would stop with an error,
chakra_1_0_refusal has a row.
"""
grain = ["node_id"]
requires = { schema = ">=8", queries = ["timeline_operator@1"] }
scale = "run"
columns = [
  "node_id", "parent_node_id", "of_node_id", "slice_id", "name", "device_kind", "start_ns",
  "dur_ns", "exclusive_us", "link_rule", "unlinked_reason",
]

[param.graph_id]
type = "BIGINT"
help = "Execution trace: a graph"

[param.device_trace_id]
type = "BIGINT"
help = "Timeline to link it with"

[column]
node_id = { type = "BIGINT", unit = "source id", check = ">= 0", help = "Node number in the linked graph, from 0" }
slice_id = { nullable = true, help = "Slice on the timeline; NULL: not linked" }
name.help = "Name of the node; for device work, of its slice"
device_kind = { nullable = false, help = "cpu or gpu" }
start_ns = { nullable = true, help = "Start as recorded in the timeline" }
dur_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Recorded duration; 0 if not recorded" }

[column.exclusive_us]
help = "Self time in double precision, with nested durations subtracted one by one, rounded as by that program"

[column.link_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "For host nodes: record_function_id, none; for device work: external_id, latest"

[column.unlinked_reason]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Reason a host node has no slice; NULL otherwise"

[changes]
1 = "first version"
--- */
WITH RECURSIVE origin AS (
  SELECT base_ns - source_base_ns AS ns FROM trace WHERE id = $device_trace_id::BIGINT
),
-- Times are doubles of microseconds, as parsed from the file: below 2^53 the quotient of two exact
-- doubles is the nearest double; above, only whole microseconds and texts are.
op AS MATERIALIZED (
  SELECT
    *,
    start_us + dur_us AS end_us,
    row_number() OVER (ORDER BY thread_key, start_us, dur_us, n) AS place
  FROM (
    SELECT
      slice_id,
      thread_key,
      start_ns,
      dur_ns,
      CASE
        WHEN start_ns % 1000 = 0 THEN (start_ns // 1000)::DOUBLE
        WHEN start_ns < 9007199254740992 THEN start_ns::DOUBLE / 1000
        ELSE concat(start_ns // 1000, '.', lpad((start_ns % 1000)::VARCHAR, 3, '0'))::DOUBLE
      END AS start_us,
      dur_ns::DOUBLE / 1000 AS dur_us,
      name,
      coalesce(external_id, -1) AS external_id,
      record_function_id,
      n
    FROM timeline_operator(p_trace_id := $device_trace_id::BIGINT)
    WHERE name NOT LIKE '%ProfilerStep%'
  )
),
-- The contents of an operator: all following ones on its thread, in order of (start, duration), up
-- to its end, that end no later. Subtraction is in order of start, which determines the last bits
-- of the result.
last_start AS (
  SELECT thread_key, start_us, max(place) AS place
  FROM op
  GROUP BY thread_key, start_us
),
inside AS (
  SELECT a.place AS around, b.place, b.start_us, b.end_us
  FROM (
    SELECT o.place, o.end_us, unnest(range(o.place + 1, l.place + 1)) AS inner_place
    FROM op AS o
    ASOF JOIN last_start AS l ON l.thread_key = o.thread_key AND o.end_us >= l.start_us
  ) AS a
  JOIN op AS b ON b.place = a.inner_place
  WHERE b.end_us <= a.end_us
),
covered AS (
  SELECT around, region, min(start_us) AS start_us, max(end_us) AS end_us
  FROM (
    SELECT
      *,
      count(CASE WHEN earlier_end_us IS NULL OR earlier_end_us < start_us THEN 1 END) OVER (
        PARTITION BY around ORDER BY place ROWS UNBOUNDED PRECEDING
      ) AS region
    FROM (
      SELECT
        *,
        max(end_us) OVER (
          PARTITION BY around ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS earlier_end_us
      FROM inside
    )
  )
  GROUP BY around, region
),
parts AS (
  SELECT around, list(end_us - start_us ORDER BY region) AS us
  FROM covered
  GROUP BY around
),
exclusive AS (
  SELECT
    o.slice_id,
    coalesce(list_reduce(list_prepend(o.dur_us, p.us), lambda rest, part: rest - part), o.dur_us) AS us
  FROM op AS o
  LEFT JOIN parts AS p ON p.around = o.place
),
call AS (
  SELECT coalesce(l.correlation_id, -1) AS correlation_id, h.source_tid AS thread_key, l.ts
  FROM launch AS l
  JOIN track AS k ON k.id = l.track_id
  JOIN thread AS h ON h.id = k.thread_id
  WHERE l.trace_id = $device_trace_id::BIGINT
    AND l.category IN ('cuda_runtime', 'cuda_driver')
    AND l.name IN (
      'cuLaunchKernel', 'cuLaunchKernelEx', 'cudaLaunchKernel', 'cudaLaunchKernelExC', 'cudaMemcpy',
      'cudaMemcpyAsync', 'cudaMemcpyFromSymbol', 'cudaMemcpyToSymbol',
      'cudaLaunchCooperativeKernel', 'hipLaunchKernel', 'hipExtLaunchKernel',
      'hipExtModuleLaunchKernel', 'hipModuleLaunchKernel', 'hipMemcpyWithStream', 'hipMemcpyAsync'
    )
),
work AS MATERIALIZED (
  SELECT
    s.id AS slice_id,
    s.name,
    o.ns + s.ts AS start_ns,
    greatest(s.dur, 0) AS dur_ns,
    coalesce(g.external_id, -1) AS external_id,
    g.correlation_id,
    c.thread_key,
    o.ns + c.ts AS call_ns,
    contains(lower(s.name), 'nccl') AS is_nccl
  FROM gpu_op AS g
  JOIN slice AS s ON s.id = g.slice_id
  JOIN call AS c ON c.correlation_id = coalesce(g.correlation_id, -1)
  CROSS JOIN origin AS o
  WHERE g.trace_id = $device_trace_id::BIGINT
    AND s.trace_id = $device_trace_id::BIGINT
    AND s.category IN ('kernel', 'gpu_memcpy')
),
-- The operator that device work is placed under: of those that began before the call, on its
-- thread, the latest with the work's own External id, or else the latest; it need not contain the
-- call.
candidate AS (
  SELECT thread_key, external_id, start_ns, n, name = 'nccl:coalesced' AS is_passed_by
  FROM op
),
candidate_of AS (
  SELECT thread_key, external_id, start_ns, for_nccl, max(n) AS n
  FROM (
    SELECT *, unnest(CASE WHEN is_passed_by THEN [false] ELSE [true, false] END) AS for_nccl
    FROM candidate
  )
  GROUP BY thread_key, external_id, start_ns, for_nccl
),
latest_of AS (
  SELECT thread_key, start_ns, for_nccl, max(n) AS n
  FROM candidate_of
  GROUP BY thread_key, start_ns, for_nccl
),
by_id AS (
  SELECT w.slice_id, c.n
  FROM work AS w
  ASOF JOIN candidate_of AS c
    ON c.thread_key = w.thread_key
    AND c.external_id = w.external_id
    AND c.for_nccl = w.is_nccl
    AND w.call_ns > c.start_ns
),
by_time AS (
  SELECT w.slice_id, c.n
  FROM work AS w
  ASOF JOIN latest_of AS c
    ON c.thread_key = w.thread_key
    AND c.for_nccl = w.is_nccl
    AND w.call_ns > c.start_ns
),
-- Work is grouped by the External id of that operator.
grouped AS (
  SELECT
    w.*,
    o.external_id AS group_id,
    CASE WHEN i.n IS NOT NULL THEN 'external_id' ELSE 'latest' END AS link_rule
  FROM work AS w
  JOIN by_time AS t ON t.slice_id = w.slice_id
  LEFT JOIN by_id AS i ON i.slice_id = w.slice_id
  JOIN op AS o ON o.n = coalesce(i.n, t.n)
),
node AS (
  SELECT id, node_id, parent_node_id, name, record_function_id
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
),
-- Nodes unreachable from the root are written but not linked.
unreachable AS (
  SELECT n.node_id
  FROM node AS n
  ANTI JOIN node AS p ON p.node_id = n.parent_node_id
  WHERE n.node_id <> 1
  UNION
  SELECT n.node_id
  FROM node AS n
  JOIN unreachable AS u ON u.node_id = n.parent_node_id
),
host AS MATERIALIZED (
  SELECT
    n.id,
    n.node_id,
    n.parent_node_id,
    n.name,
    o.slice_id,
    o.external_id,
    o.start_ns,
    o.dur_ns,
    e.us AS exclusive_us,
    n.record_function_id
  FROM node AS n
  LEFT JOIN unreachable AS u ON u.node_id = n.node_id
  LEFT JOIN (
    SELECT record_function_id, max(n) AS n
    FROM op
    WHERE record_function_id IS NOT NULL
    GROUP BY record_function_id
  ) AS l ON l.record_function_id = n.record_function_id AND u.node_id IS NULL
  LEFT JOIN op AS o ON o.n = l.n
  LEFT JOIN exclusive AS e ON e.slice_id = o.slice_id
),
numbered AS (
  SELECT
    *,
    row_number() OVER (
      ORDER BY host_node_id, device_kind, start_ns, correlation_id, slice_id
    ) - 1 AS node_id
  FROM (
    SELECT
      id AS of_node_id,
      node_id AS host_node_id,
      parent_node_id AS above_node_id,
      slice_id,
      name,
      'cpu' AS device_kind,
      start_ns,
      dur_ns,
      exclusive_us,
      NULL AS correlation_id,
      CASE WHEN slice_id IS NOT NULL THEN 'record_function_id' ELSE 'none' END AS link_rule,
      CASE
        WHEN slice_id IS NOT NULL THEN NULL
        WHEN record_function_id IS NULL THEN 'it has no record function id'
        ELSE 'no operator of the timeline has its record function id'
      END AS unlinked_reason
    FROM host
    UNION ALL
    SELECT
      h.id,
      h.node_id,
      h.node_id,
      g.slice_id,
      g.name,
      'gpu',
      g.start_ns,
      g.dur_ns,
      g.dur_ns::DOUBLE / 1000,
      g.correlation_id,
      g.link_rule,
      NULL
    FROM host AS h
    JOIN grouped AS g ON g.group_id = h.external_id
  )
),
-- A missing parent gets a number after all others.
number_of AS (
  SELECT host_node_id, node_id FROM numbered WHERE device_kind = 'cpu'
  UNION ALL
  SELECT above_node_id, max(c.n) + row_number() OVER (ORDER BY above_node_id) - 1
  FROM (
    SELECT DISTINCT above_node_id
    FROM numbered
    WHERE above_node_id NOT IN (SELECT node_id FROM node)
  )
  CROSS JOIN (SELECT count(*) AS n FROM numbered) AS c
  GROUP BY above_node_id
)
SELECT
  n.node_id,
  p.node_id AS parent_node_id,
  n.of_node_id,
  n.slice_id,
  n.name,
  n.device_kind,
  n.start_ns,
  n.dur_ns,
  n.exclusive_us,
  n.link_rule,
  n.unlinked_reason
FROM numbered AS n
LEFT JOIN number_of AS p ON p.host_node_id = n.above_node_id
ORDER BY n.node_id
