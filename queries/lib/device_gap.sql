/* ---
name = "device_gap"
version = 7
title = "Idle gaps of each stream or device, with their causes"
help = """
A gap lasts from the end of all earlier operations to the start of the next one, so the gaps of a
stream add up to its idle time between its first and last operation. The idle cause is derived from
the call that launched the next operation:

- host_sync: the call began after the stream ran dry, and its thread was in a call that waits for
  the device when the gap began, or for more than half of the time until the call.
- host: the call began after the stream ran dry, for any other reason.
- launch: the call was in progress when the gap began.
- stream_wait: the call had returned, its thread had made the stream wait (for an event) since its
  previous launch, and work of another stream ended during the gap.
- kernel: the call had returned, and the gap is at most short_ns, the time the device needs between
  operations.
- communication: the call had returned, and communication on another stream of the device ended
  during the gap.
- unknown: the call had returned, and no other cause applies; or the call is not recorded, so that
  before_launch_ns is NULL.

Operations of one call follow each other without a new launch. If the source records which stream a
wait applies to, only waits of the stream itself count.

Gaps and causes are those of the whole trace; a time window contains the gaps that reach into it,
whole, and the columns inside_... are of the parts in it.
"""
grain = ["trace_id", "device_id", "track_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["blocked_host@1", "launched_op@1"] }
scale = "trace"
computed_once = true
columns = [
  "trace_id", "device_id", "track_id", "stream", "start_ns", "end_ns", "gap_ns", "cause",
  "before_launch_ns", "blocked_ns", "in_launch_ns", "after_launch_ns", "inside_ns",
  "inside_before_launch_ns", "inside_blocked_ns", "inside_in_launch_ns", "inside_after_launch_ns",
  "next_op_id", "launch_id",
]

[param.per_device]
type = "BOOLEAN"
default = true
help = "Compute gaps of whole devices instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
default = 5000
min = 0
help = "Longest gap attributed to the device itself (cause kernel) if the host did not cause it"

[param.top]
type = "BIGINT"
unit = "count"
nullable = true
min = 1
help = "Maximum number of gaps per device, longest first; null: all"

[column]
track_id = { nullable = true, help = "Track of the stream; NULL with per_device" }
stream.help = "Stream or queue number; NULL with per_device, or if not recorded"
start_ns.help = "End of the last of the earlier operations, on the time axis of slice.ts"
end_ns.help = "Start of the next operation"
launch_id.help = "Call that launched next_op_id"

inside_ns = { check = "> 0", help = "Part of the gap inside the time window" }
inside_before_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of before_launch_ns inside the time window" }
inside_blocked_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of blocked_ns inside the time window" }
inside_in_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of in_launch_ns inside the time window" }
inside_after_launch_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Part of after_launch_ns inside the time window" }

[changes]
7 = "of calls of a thread that begin at one time after a wait, the first"
6 = "default values: gaps of devices, short_ns 5000"
5 = "cause other is unknown"
4 = "new cause communication, which was other"
3 = "new columns inside_...: parts of the gap inside the time window"
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
-- Numbers instead of up to four columns: what follows sorts all operations.
WITH numbered_queue AS MATERIALIZED (
  SELECT
    *,
    row_number() OVER () AS queue_n,
    dense_rank() OVER (ORDER BY trace_id, device_id) AS device_n,
    dense_rank() OVER (ORDER BY trace_id, device_id, lane_id, lane) AS lane_n,
    CASE WHEN stream IS NOT NULL THEN dense_rank() OVER (ORDER BY stream_track_id, stream) END AS stream_n
  FROM (
    SELECT DISTINCT
      trace_id,
      device_id,
      track_id AS stream_track_id,
      stream,
      CASE WHEN $per_device::BOOLEAN THEN NULL ELSE track_id END AS lane_id,
      CASE WHEN $per_device::BOOLEAN THEN NULL ELSE stream END AS lane
    FROM whole_gpu_op
    WHERE kind <> 'sync'
  )
),
op AS MATERIALIZED (
  SELECT
    d.slice_id,
    p.queue_n,
    p.lane_n,
    p.device_n,
    p.stream_n,
    d.ts AS start_ns,
    d.ts + greatest(d.dur, 0) AS end_ns,
    CASE WHEN d.call_ts IS NOT NULL THEN d.launch_id END AS launch_id,
    d.call_track_id AS track_id,
    d.call_ts AS call_start_ns,
    d.call_ts + greatest(d.call_dur, 0) AS call_end_ns
  FROM launched_op() AS d
  JOIN numbered_queue AS p
    ON p.stream_track_id = d.track_id
    AND p.trace_id = d.trace_id
    AND p.device_id IS NOT DISTINCT FROM d.device_id
    AND p.stream IS NOT DISTINCT FROM d.stream
),
reach AS (
  SELECT
    slice_id,
    queue_n,
    device_n,
    start_ns,
    launch_id,
    track_id,
    call_start_ns,
    call_end_ns,
    max(end_ns) OVER past AS reach_ns,
    lag(launch_id) OVER (
      PARTITION BY lane_n
      ORDER BY start_ns, end_ns, slice_id
    ) AS earlier_launch_id
  FROM op
  WINDOW past AS (
    PARTITION BY lane_n
    ORDER BY start_ns, end_ns, slice_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
-- Gaps that reach into the time window.
wide AS (
  SELECT r.*, w.from_ns, w.to_ns
  FROM reach AS r
  CROSS JOIN time_window AS w
  WHERE r.start_ns > r.reach_ns
    AND r.start_ns > w.from_ns
    AND r.reach_ns < w.to_ns
),
-- Finds the longest among lengths only, before whole rows are sorted.
least_length AS (
  SELECT device_n, min(gap_ns) AS gap_ns
  FROM (
    SELECT
      device_n,
      start_ns - reach_ns AS gap_ns,
      row_number() OVER (
        PARTITION BY device_n
        ORDER BY start_ns - reach_ns DESC
      ) AS place
    FROM wide
    WHERE $top::BIGINT IS NOT NULL
  )
  WHERE place <= $top::BIGINT
  GROUP BY device_n
),
placed AS (
  SELECT
    r.*,
    row_number() OVER (
      PARTITION BY r.device_n
      ORDER BY r.start_ns - r.reach_ns DESC, r.reach_ns, p.lane, p.lane_id
    ) AS place
  FROM wide AS r
  JOIN numbered_queue AS p ON p.queue_n = r.queue_n
  LEFT JOIN least_length AS t ON t.device_n = r.device_n
  WHERE $top::BIGINT IS NULL
    OR r.start_ns - r.reach_ns >= t.gap_ns
),
gap AS MATERIALIZED (
  SELECT
    slice_id,
    queue_n,
    device_n,
    reach_ns AS start_ns,
    start_ns AS end_ns,
    greatest(reach_ns, from_ns) AS inside_start_ns,
    least(start_ns, to_ns) AS inside_end_ns,
    launch_id,
    track_id,
    -- greatest() ignores NULL, so gaps without a call are handled separately.
    CASE WHEN launch_id IS NOT NULL THEN least(greatest(call_start_ns, reach_ns), start_ns) END
      AS launch_start_ns,
    CASE WHEN launch_id IS NOT NULL THEN least(greatest(call_end_ns, reach_ns), start_ns) END
      AS launch_end_ns,
    CASE
      WHEN launch_id IS NULL THEN 'unknown'
      WHEN call_start_ns > reach_ns THEN 'host'
      WHEN call_end_ns > reach_ns AND launch_id IS DISTINCT FROM earlier_launch_id THEN 'launch'
      ELSE 'device'
    END AS side
  FROM placed
  WHERE $top::BIGINT IS NULL OR place <= $top::BIGINT
),
blocked AS MATERIALIZED (
  SELECT track_id, start_ns, end_ns, before_ns
  FROM blocked_host()
),
-- How long the launching thread waited for devices between the start of the gap and the launch:
-- waits up to the last one that began before the launch, minus waits before the gap.
late AS (
  SELECT
    g.slice_id,
    g.track_id,
    g.start_ns,
    b.start_ns AS wait_start_ns,
    b.end_ns AS wait_end_ns,
    b.before_ns,
    b.before_ns + least(b.end_ns, g.launch_start_ns) - b.start_ns AS waited_ns
  FROM gap AS g
  ASOF JOIN blocked AS b
    ON b.track_id = g.track_id AND g.launch_start_ns >= b.start_ns
  WHERE g.side = 'host'
),
waited AS (
  SELECT
    slice_id,
    wait_end_ns > start_ns AS is_blocked,
    waited_ns - (before_ns + least(wait_end_ns, start_ns) - wait_start_ns) AS blocked_ns
  FROM late
  WHERE wait_start_ns <= start_ns
    AND wait_end_ns > start_ns
  UNION ALL
  SELECT
    l.slice_id,
    coalesce(a.end_ns > l.start_ns, false) AS is_blocked,
    l.waited_ns - coalesce(a.before_ns + least(a.end_ns, l.start_ns) - a.start_ns, 0)
      AS blocked_ns
  FROM late AS l
  ASOF LEFT JOIN blocked AS a
    ON a.track_id = l.track_id AND l.start_ns >= a.start_ns
  WHERE l.wait_start_ns > l.start_ns
),
-- The same for the part inside the time window of gaps that cross its borders: waits before the end
-- of that part, or the launch, minus waits before its start.
cut_part AS (
  SELECT
    slice_id,
    track_id,
    unnest([inside_start_ns, least(launch_start_ns, inside_end_ns)]) AS at_ns,
    unnest([-1, 1]) AS sign
  FROM gap
  WHERE side = 'host'
    AND (start_ns < inside_start_ns OR end_ns > inside_end_ns)
    AND launch_start_ns > inside_start_ns
),
cut_waited AS (
  SELECT
    p.slice_id,
    sum(p.sign * coalesce(b.before_ns + least(b.end_ns, p.at_ns) - b.start_ns, 0))::BIGINT
      AS blocked_ns
  FROM cut_part AS p
  ASOF LEFT JOIN blocked AS b ON b.track_id = p.track_id AND p.at_ns >= b.start_ns
  GROUP BY p.slice_id
),
wait_call AS MATERIALIZED (
  SELECT w.slice_id, w.track_id, w.ts, g.slice_id IS NOT NULL AS is_recorded, p.stream_n
  FROM whole_launch AS w
  LEFT JOIN whole_link AS k
    ON k.from_id = w.slice_id AND k.kind = 'sync_call' AND k.link_set = 'default'
  LEFT JOIN whole_gpu_op AS g ON g.slice_id = k.to_id
  LEFT JOIN (SELECT DISTINCT stream_track_id, stream, stream_n FROM numbered_queue) AS p
    ON p.stream_track_id = g.track_id AND p.stream = g.stream
  WHERE w.name ILIKE '%streamwaitevent%'
),
-- The next launch of the thread after each wait it issued, on the same stream if it is known.
issued_wait AS (
  SELECT c.launch_id
  FROM wait_call AS w
  ASOF JOIN (
    SELECT min(launch_id) AS launch_id, track_id, call_start_ns
    FROM op
    WHERE track_id IN (SELECT track_id FROM wait_call WHERE NOT is_recorded)
    GROUP BY track_id, call_start_ns
  ) AS c ON c.track_id = w.track_id AND w.ts <= c.call_start_ns
  WHERE NOT w.is_recorded
  UNION
  SELECT c.launch_id
  FROM wait_call AS w
  ASOF JOIN (
    SELECT min(launch_id) AS launch_id, track_id, stream_n, call_start_ns
    FROM op
    WHERE stream_n IN (SELECT stream_n FROM wait_call WHERE is_recorded)
      AND track_id IN (SELECT track_id FROM wait_call WHERE is_recorded)
    GROUP BY track_id, stream_n, call_start_ns
  ) AS c
    ON c.track_id = w.track_id
    AND c.stream_n = w.stream_n
    AND w.ts <= c.call_start_ns
  WHERE w.is_recorded
),
wait_gap AS MATERIALIZED (
  SELECT slice_id, device_n, start_ns, end_ns
  FROM gap
  WHERE side = 'device'
    AND launch_id IN (SELECT launch_id FROM issued_wait)
),
-- Only ends near such a gap are sorted: with buckets as long as the longest of these gaps, each gap
-- overlaps at most two.
near AS (
  SELECT device_n, start_ns // b.length_ns AS bucket
  FROM wait_gap, (SELECT max(end_ns - start_ns) AS length_ns FROM wait_gap) AS b
  UNION
  SELECT device_n, end_ns // b.length_ns
  FROM wait_gap, (SELECT max(end_ns - start_ns) AS length_ns FROM wait_gap) AS b
),
near_end AS (
  SELECT o.device_n, o.end_ns
  FROM op AS o
  CROSS JOIN (SELECT max(end_ns - start_ns) AS length_ns FROM wait_gap) AS b
  SEMI JOIN near AS n
    ON n.bucket = o.end_ns // b.length_ns
    AND n.device_n = o.device_n
),
ended AS (
  SELECT g.slice_id
  FROM wait_gap AS g
  ASOF JOIN near_end AS e
    ON e.device_n = g.device_n AND g.end_ns >= e.end_ns
  WHERE e.end_ns > g.start_ns
),
-- Of the stream itself, communication that lasts ends before the gap or after it.
communicated AS (
  SELECT g.slice_id
  FROM (
    SELECT slice_id, device_n, start_ns, end_ns
    FROM gap
    WHERE side = 'device'
      AND end_ns - start_ns > $short_ns::BIGINT
  ) AS g
  ASOF JOIN (
    SELECT p.device_n, c.ts + c.dur AS end_ns
    FROM whole_gpu_op AS c
    JOIN (SELECT DISTINCT trace_id, device_id, device_n FROM numbered_queue) AS p
      ON p.trace_id = c.trace_id AND p.device_id IS NOT DISTINCT FROM c.device_id
    WHERE c.class = 'communication'
      AND c.kind <> 'sync'
      AND c.dur > 0
  ) AS e
    ON e.device_n = g.device_n AND g.end_ns >= e.end_ns
  WHERE e.end_ns > g.start_ns
)
SELECT
  p.trace_id,
  p.device_id,
  p.lane_id AS track_id,
  p.lane AS stream,
  g.start_ns,
  g.end_ns,
  g.end_ns - g.start_ns AS gap_ns,
  CASE
    WHEN g.side = 'host'
      AND (w.is_blocked OR 2 * w.blocked_ns > g.launch_start_ns - g.start_ns) THEN 'host_sync'
    WHEN g.side <> 'device' THEN g.side
    WHEN e.slice_id IS NOT NULL THEN 'stream_wait'
    WHEN g.end_ns - g.start_ns <= $short_ns::BIGINT THEN 'kernel'
    WHEN c.slice_id IS NOT NULL THEN 'communication'
    ELSE 'unknown'
  END AS cause,
  g.launch_start_ns - g.start_ns AS before_launch_ns,
  CASE WHEN g.launch_id IS NOT NULL THEN coalesce(w.blocked_ns, 0) END AS blocked_ns,
  g.launch_end_ns - g.launch_start_ns AS in_launch_ns,
  g.end_ns - g.launch_end_ns AS after_launch_ns,
  g.inside_end_ns - g.inside_start_ns AS inside_ns,
  CASE WHEN g.launch_id IS NOT NULL THEN greatest(
    least(g.launch_start_ns, g.inside_end_ns) - g.inside_start_ns, 0
  ) END AS inside_before_launch_ns,
  CASE
    WHEN g.launch_id IS NULL THEN NULL
    WHEN g.start_ns < g.inside_start_ns OR g.end_ns > g.inside_end_ns
      THEN coalesce(k.blocked_ns, 0)
    ELSE coalesce(w.blocked_ns, 0)
  END AS inside_blocked_ns,
  CASE WHEN g.launch_id IS NOT NULL THEN greatest(
    least(g.launch_end_ns, g.inside_end_ns) - greatest(g.launch_start_ns, g.inside_start_ns), 0
  ) END AS inside_in_launch_ns,
  CASE WHEN g.launch_id IS NOT NULL THEN greatest(
    g.inside_end_ns - greatest(g.launch_end_ns, g.inside_start_ns), 0
  ) END AS inside_after_launch_ns,
  g.slice_id AS next_op_id,
  g.launch_id
  --+ , (SELECT count(*) FROM wide) AS n_without_top
FROM gap AS g
JOIN numbered_queue AS p ON p.queue_n = g.queue_n
LEFT JOIN waited AS w ON w.slice_id = g.slice_id
LEFT JOIN cut_waited AS k ON k.slice_id = g.slice_id
LEFT JOIN ended AS e ON e.slice_id = g.slice_id
LEFT JOIN communicated AS c ON c.slice_id = g.slice_id
