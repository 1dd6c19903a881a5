/* ---
name = "linked_edge"
version = 2
title = "Dependencies of a linked graph"
help = """
control leads from a node to its children. inter_thread leads to an operator that begins more than a
millisecond after everything before it on its thread has ended, from what another thread began last
before it. sync leads from device work that a call waited for to the next operator of the thread the
call returned to, or to the next work of a stream that waited: from wait records on every stream
they name, or without records from links of kind wait. stream_order and group_order lead from device
work to the next work of its stream and of its process group. All but control lead forward in time,
from an earlier start to a later one, or among equal starts in launch order.
"""
grain = ["from_node_id", "to_node_id", "kind"]
requires = { schema = ">=8" }
scale = "run"
columns = ["from_node_id", "to_node_id", "kind"]

[param.graph_id]
type = "BIGINT"
help = "Linked graph, with its nodes stored"

[column]
kind.help = "control, inter_thread, sync, stream_order or group_order"

[changes]
2 = "of work that began or was launched at one time, the last is waited for, and the first waits"
1 = "first version"
--- */
WITH linked AS (
  SELECT id AS graph_id, device_trace_id FROM graph WHERE id = $graph_id::BIGINT
),
node AS MATERIALIZED (
  SELECT node_id::BIGINT AS node_id, parent_node_id::BIGINT AS parent_node_id, slice_id, device_kind, start_ns, dur_ns
  FROM graph_node
  WHERE graph_id = $graph_id::BIGINT
),
op AS MATERIALIZED (
  SELECT
    n.node_id,
    s.track_id,
    s.ts,
    s.ts + n.dur_ns AS end_ts,
    row_number() OVER (PARTITION BY s.track_id ORDER BY s.ts, n.node_id) AS place
  FROM node AS n
  JOIN slice AS s ON s.id = n.slice_id
  WHERE n.device_kind = 'cpu'
),
beginning AS MATERIALIZED (
  SELECT track_id, ts, node_id
  FROM (
    SELECT *, row_number() OVER (PARTITION BY track_id, ts ORDER BY node_id) AS at_once FROM op
  )
  WHERE at_once = 1
),
-- After a pause of more than a millisecond an operator waits for what another thread began last.
after_pause AS (
  SELECT node_id, track_id, ts
  FROM (
    SELECT
      *,
      max(end_ts) OVER (
        PARTITION BY track_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS earlier_end_ts
    FROM op
  )
  WHERE earlier_end_ts IS NULL OR ts - earlier_end_ts > 1000000
),
inter_thread AS (
  SELECT arg_max(b.node_id, (b.ts, -b.node_id)) AS from_node_id, a.node_id AS to_node_id
  FROM (
    SELECT a.node_id, a.ts, t.track_id
    FROM after_pause AS a
    JOIN (SELECT DISTINCT track_id FROM op) AS t ON t.track_id <> a.track_id
  ) AS a
  ASOF JOIN beginning AS b ON b.track_id = a.track_id AND a.ts > b.ts
  GROUP BY a.node_id
),
work AS MATERIALIZED (
  SELECT
    n.node_id,
    g.slice_id,
    g.ts,
    coalesce(g.device_id, -1) AS device_id,
    g.stream,
    g.correlation_id,
    c.ts AS call_ts,
    c.track_id AS call_track_id
  FROM gpu_op AS g
  JOIN linked AS t ON t.device_trace_id = g.trace_id
  JOIN node AS n ON n.slice_id = g.slice_id AND n.device_kind = 'gpu'
  LEFT JOIN link AS l
    ON l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
  LEFT JOIN launch AS c ON c.slice_id = l.from_id
),
-- Of work that begins at one time the last, and of that launched at one time the last and the first.
begun AS (
  SELECT device_id, stream, ts, max(node_id) AS node_id
  FROM work
  GROUP BY device_id, stream, ts
),
last_launched AS (
  SELECT stream, call_ts, max_by(node_id, (ts, node_id)) AS node_id, max(ts) AS ts
  FROM work
  WHERE call_ts IS NOT NULL
  GROUP BY stream, call_ts
),
first_launched AS (
  SELECT call_track_id, stream, call_ts, min_by(node_id, (ts, node_id)) AS node_id, min(ts) AS ts
  FROM work
  WHERE call_ts IS NOT NULL
  GROUP BY call_track_id, stream, call_ts
),
-- The work a wait record refers to: all work of a stream or device up to its end, or work launched
-- on a stream before an event was recorded. The last work of a stream represents all of it.
record AS MATERIALIZED (
  SELECT
    c.slice_id AS call_id,
    g.sync_kind,
    coalesce(g.device_id, -1) AS device_id,
    CASE WHEN g.stream IN (-1, 4294967295) OR g.sync_kind = 'Context Sync' THEN NULL
      ELSE g.stream
    END AS stream,
    g.wait_on_stream,
    g.ts + greatest(g.dur, 0) AS end_ts,
    c.ts AS call_ts,
    c.track_id AS call_track_id,
    e.ts AS record_ts
  FROM gpu_op AS g
  JOIN linked AS t ON t.device_trace_id = g.trace_id
  JOIN link AS l ON l.to_id = g.slice_id AND l.kind = 'sync_call' AND l.link_set = 'default'
  JOIN launch AS c ON c.slice_id = l.from_id
  LEFT JOIN launch AS e
    ON e.trace_id = g.trace_id
    AND e.correlation_id = g.wait_on_correlation_id
    AND e.name LIKE '%EventRecord%'
  WHERE g.kind = 'sync'
),
used_stream AS (
  SELECT DISTINCT device_id, stream FROM work WHERE stream IS NOT NULL
),
blocked AS (
  SELECT w.call_id, k.node_id
  FROM (
    SELECT r.call_id, r.end_ts, p.device_id, p.stream
    FROM record AS r
    JOIN used_stream AS p
      ON p.stream = coalesce(r.stream, p.stream)
      AND (p.device_id = r.device_id OR r.device_id = -1)
    WHERE r.sync_kind IN ('Stream Sync', 'Context Sync')
  ) AS w
  ASOF JOIN begun AS k
    ON k.device_id = w.device_id AND k.stream = w.stream AND w.end_ts >= k.ts
  UNION
  SELECT w.call_id, k.node_id
  FROM (SELECT * FROM record WHERE sync_kind = 'Event Sync' AND record_ts IS NOT NULL) AS w
  ASOF JOIN last_launched AS k ON k.stream = w.wait_on_stream AND w.record_ts > k.call_ts
  UNION
  -- Without records, derived from the names of calls and the ends of work.
  SELECT l.to_id, k.node_id
  FROM link AS l
  JOIN linked AS t ON t.device_trace_id = l.trace_id
  JOIN work AS k ON k.slice_id = l.from_id
  ANTI JOIN record AS r ON r.call_id = l.to_id
  WHERE l.kind = 'wait'
    AND l.link_set = 'default'
),
-- The thread continues with the next operator, but not before the work it waited for began.
resumed AS (
  SELECT k.node_id AS from_node_id, b.node_id AS to_node_id, b.ts, k.ts AS work_ts
  FROM (
    SELECT w.node_id, c.track_id, c.ts + greatest(c.dur, 0) AS end_ts, k.ts
    FROM blocked AS w
    JOIN launch AS c ON c.slice_id = w.call_id
    JOIN work AS k ON k.node_id = w.node_id
  ) AS k
  ASOF JOIN beginning AS b ON b.track_id = k.track_id AND k.end_ts <= b.ts
),
-- One stream waits for another: the next work launched on it waits for work launched before the
-- event.
stream_wait AS (
  SELECT w.node_id AS from_node_id, k.node_id AS to_node_id, k.ts, w.ts AS work_ts
  FROM (
    SELECT r.call_track_id, r.stream, r.device_id, r.call_ts, k.node_id, k.ts
    FROM (
      SELECT * FROM record WHERE sync_kind = 'Stream Wait Event' AND record_ts IS NOT NULL
    ) AS r
    ASOF JOIN last_launched AS k ON k.stream = r.wait_on_stream AND r.record_ts > k.call_ts
  ) AS w
  ASOF JOIN first_launched AS k
    ON k.call_track_id = w.call_track_id AND k.stream = w.stream AND w.call_ts < k.call_ts
),
sync AS (
  SELECT DISTINCT from_node_id, to_node_id
  FROM (SELECT * FROM resumed UNION ALL SELECT * FROM stream_wait)
  WHERE work_ts < ts
    AND from_node_id <> to_node_id
),
stream_order AS (
  SELECT
    lag(node_id) OVER (PARTITION BY device_id, stream ORDER BY ts, correlation_id, node_id)
      AS from_node_id,
    node_id AS to_node_id
  FROM work
  WHERE stream IS NOT NULL
),
group_order AS (
  SELECT
    lag(w.node_id) OVER (PARTITION BY c.group_name ORDER BY w.ts, w.correlation_id, w.node_id)
      AS from_node_id,
    w.node_id AS to_node_id
  FROM collective AS c
  JOIN work AS w ON w.slice_id = c.slice_id
  WHERE c.side = 'device'
    AND c.group_name IS NOT NULL
)
SELECT from_node_id, to_node_id, kind
FROM (
  SELECT parent_node_id AS from_node_id, node_id AS to_node_id, 'control' AS kind
  FROM node
  UNION ALL
  SELECT from_node_id, to_node_id, 'inter_thread' FROM inter_thread
  UNION ALL
  SELECT from_node_id, to_node_id, 'sync' FROM sync
  UNION ALL
  SELECT from_node_id, to_node_id, 'stream_order' FROM stream_order
  UNION ALL
  SELECT from_node_id, to_node_id, 'group_order' FROM group_order
)
WHERE from_node_id IS NOT NULL
  AND from_node_id <> to_node_id
ORDER BY to_node_id, kind, from_node_id
