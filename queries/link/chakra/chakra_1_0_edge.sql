/* ---
name = "chakra_1_0_edge"
version = 1
title = "Dependencies of a linked graph by the rules of chakra_trace_link 1.0"
help = """
Reproduces the output of that program including its defects, except for sync: the program follows
only waits of the first step on the longest path, this query follows all waits. inter_thread leads
to all operators until the next pause of a millisecond, from what another thread began last before
the first of them, if that has a lower number. sync leads from the last event with the External id
of the awaited device work to the first operator that begins after any event with the External id of
the wait.
"""
grain = ["from_node_id", "to_node_id", "kind"]
requires = { schema = ">=8", queries = ["timeline_operator@1"] }
scale = "run"
columns = ["from_node_id", "to_node_id", "kind"]

[param.graph_id]
type = "BIGINT"
help = "Linked graph, with its nodes stored"

[column]
kind.help = "control, inter_thread or sync"

[changes]
1 = "first version"
--- */
WITH linked AS (
  SELECT id AS graph_id, device_trace_id FROM graph WHERE id = $graph_id::BIGINT
),
node AS MATERIALIZED (
  SELECT node_id::BIGINT AS node_id, parent_node_id::BIGINT AS parent_node_id, slice_id, record_function_id, device_kind
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
),
host_track AS (
  SELECT t.id AS track_id, h.source_tid
  FROM track AS t
  JOIN thread AS h ON h.id = t.thread_id
  JOIN linked AS l ON l.device_trace_id = t.trace_id
),
op AS MATERIALIZED (
  SELECT
    slice_id,
    thread_key,
    start_ns - base_ns + source_base_ns AS ts,
    start_ns + dur_ns - base_ns + source_base_ns AS end_ts,
    external_id,
    record_function_id,
    n
  FROM timeline_operator(p_trace_id := (SELECT device_trace_id FROM linked)) AS o
  CROSS JOIN (
    SELECT base_ns, source_base_ns FROM trace JOIN linked ON device_trace_id = id
  )
  WHERE o.name NOT LIKE '%ProfilerStep%'
),
-- A pause of more than a millisecond ends a group of operators of a thread. A group waits for what
-- another thread began last before the group began.
first_of_group AS (
  SELECT slice_id, thread_key, ts, n
  FROM (
    SELECT
      *,
      lag(end_ts) OVER (PARTITION BY thread_key ORDER BY n) AS earlier_end_ts
    FROM op
  )
  WHERE earlier_end_ts IS NULL OR ts - earlier_end_ts > 1000000
),
beginning AS (
  SELECT thread_key, ts, min(n) AS n
  FROM op
  GROUP BY thread_key, ts
),
thread_order AS (
  SELECT thread_key, min(n) AS first_n FROM op GROUP BY thread_key
),
waited_for AS (
  SELECT f.slice_id, arg_max(b.n, (b.ts, -t.first_n)) AS n
  FROM (
    SELECT f.slice_id, f.ts, t.thread_key, t.first_n
    FROM first_of_group AS f
    JOIN thread_order AS t ON t.thread_key <> f.thread_key
  ) AS f
  ASOF JOIN beginning AS b ON b.thread_key = f.thread_key AND f.ts > b.ts
  JOIN thread_order AS t ON t.thread_key = b.thread_key
  GROUP BY f.slice_id
),
-- The last number of a group's first operator identifies the group of an operator.
waiting AS (
  SELECT o.slice_id, d.record_function_id
  FROM (
    SELECT
      o.slice_id,
      max(f.n) OVER (PARTITION BY o.thread_key ORDER BY o.n ROWS UNBOUNDED PRECEDING) AS group_n
    FROM op AS o
    LEFT JOIN first_of_group AS f ON f.slice_id = o.slice_id
  ) AS o
  JOIN first_of_group AS f ON f.n = o.group_n
  JOIN waited_for AS w ON w.slice_id = f.slice_id
  JOIN op AS d ON d.n = w.n
  WHERE d.record_function_id IS NOT NULL
),
-- Only nodes with a lower number can be waited for.
inter_thread AS (
  SELECT max(d.node_id) AS from_node_id, n.node_id AS to_node_id
  FROM node AS n
  JOIN waiting AS w ON w.slice_id = n.slice_id
  JOIN node AS d ON d.record_function_id = w.record_function_id AND d.node_id < n.node_id
  WHERE n.device_kind = 'cpu'
    AND d.device_kind = 'cpu'
    AND d.slice_id IS NOT NULL
  GROUP BY n.node_id
),
call AS (
  SELECT l.slice_id, l.ts, l.dur, l.name, l.correlation_id, l.external_id, p.source_tid AS thread_key
  FROM launch AS l
  JOIN host_track AS p ON p.track_id = l.track_id
  WHERE l.category IN ('cuda_runtime', 'cuda_driver')
),
work AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.ts,
    g.stream,
    g.external_id,
    c.ts AS call_ts,
    c.thread_key
  FROM gpu_op AS g
  JOIN linked AS l ON l.device_trace_id = g.trace_id
  LEFT JOIN call AS c ON c.correlation_id = g.correlation_id
  WHERE g.kind <> 'sync'
),
wait AS MATERIALIZED (
  SELECT
    g.slice_id,
    g.sync_kind,
    CASE WHEN g.stream IN (-1, 4294967295) THEN NULL ELSE g.stream END AS stream,
    g.wait_on_stream,
    g.ts + greatest(g.dur, 0) AS end_ts,
    c.ts AS call_ts,
    c.thread_key,
    c.external_id,
    e.ts AS record_ts
  FROM gpu_op AS g
  JOIN linked AS l ON l.device_trace_id = g.trace_id
  JOIN call AS c ON c.correlation_id = g.correlation_id
  LEFT JOIN call AS e
    ON e.correlation_id = g.wait_on_correlation_id AND starts_with(e.name, 'cudaEventRecord')
  WHERE g.kind = 'sync'
),
-- Of work that begins, or is called, at one time, the last in the file comes last.
last_begun AS (
  FROM work QUALIFY row_number() OVER (PARTITION BY stream, ts ORDER BY slice_id DESC) = 1
),
last_called AS (
  FROM work WHERE call_ts IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY stream, call_ts ORDER BY ts DESC, slice_id DESC) = 1
),
first_called AS (
  FROM work WHERE call_ts IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY thread_key, stream, call_ts ORDER BY ts, slice_id) = 1
),
awaited AS (
  SELECT k.external_id AS from_external_id, w.external_id AS to_external_id
  FROM (
    SELECT w.*, s.stream AS on_stream
    FROM wait AS w
    JOIN (SELECT DISTINCT stream FROM work) AS s ON s.stream = coalesce(w.stream, s.stream)
    WHERE w.sync_kind IN ('Stream Sync', 'Context Sync')
  ) AS w
  ASOF JOIN last_begun AS k ON k.stream = w.on_stream AND w.end_ts >= k.ts
  UNION ALL
  SELECT k.external_id, w.external_id
  FROM (SELECT * FROM wait WHERE sync_kind = 'Event Sync' AND record_ts IS NOT NULL) AS w
  ASOF JOIN last_called AS k
    ON k.stream = w.wait_on_stream AND w.record_ts > k.call_ts
  UNION ALL
  SELECT w.from_external_id, k.external_id
  FROM (
    SELECT w.thread_key, w.stream, w.call_ts, k.external_id AS from_external_id
    FROM (SELECT * FROM wait WHERE sync_kind = 'Stream Wait Event' AND record_ts IS NOT NULL) AS w
    ASOF JOIN last_called AS k
      ON k.stream = w.wait_on_stream AND w.record_ts > k.call_ts
  ) AS w
  ASOF JOIN first_called AS k
    ON k.thread_key = w.thread_key AND k.stream = w.stream AND w.call_ts < k.call_ts
),
event AS (
  SELECT ts, external_id, NULL AS work_id, n AS tie FROM op WHERE external_id IS NOT NULL
  UNION ALL
  SELECT ts, external_id, NULL, slice_id FROM call WHERE external_id IS NOT NULL
  UNION ALL
  SELECT g.ts, g.external_id, g.slice_id, g.slice_id
  FROM gpu_op AS g
  JOIN linked ON device_trace_id = g.trace_id
  WHERE g.external_id IS NOT NULL AND g.kind IN ('kernel', 'memcpy')
),
source AS (
  SELECT external_id, arg_max(coalesce(work_id, -1), (ts, tie)) AS work_id
  FROM event
  GROUP BY external_id
),
following AS (
  SELECT ts, arg_min(slice_id, n) AS slice_id FROM op GROUP BY ts
),
target AS (
  SELECT DISTINCT e.external_id, f.slice_id
  FROM (SELECT * FROM event WHERE external_id IN (SELECT to_external_id FROM awaited)) AS e
  ASOF JOIN following AS f ON e.ts < f.ts
),
sync AS (
  SELECT DISTINCT d.node_id AS from_node_id, n.node_id AS to_node_id
  FROM awaited AS a
  JOIN source AS s ON s.external_id = a.from_external_id
  JOIN target AS t ON t.external_id = a.to_external_id
  JOIN node AS d ON d.slice_id = s.work_id AND d.device_kind = 'gpu'
  JOIN node AS n ON n.slice_id = t.slice_id AND n.device_kind = 'cpu'
  WHERE a.from_external_id <> a.to_external_id
)
SELECT from_node_id, to_node_id, kind
FROM (
  SELECT from_node_id, to_node_id, 'inter_thread' AS kind FROM inter_thread
  UNION ALL
  SELECT from_node_id, to_node_id, 'sync' FROM sync
  UNION ALL
  SELECT parent_node_id, node_id, 'control'
  FROM node
  WHERE parent_node_id IN (SELECT node_id FROM node)
    AND parent_node_id <> node_id
)
ORDER BY to_node_id, kind, from_node_id
