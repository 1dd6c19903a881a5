/* ---
name = "device_gap"
version = 1
title = "Every gap of each stream or device, with its cause"
help = """
A gap is the time from when all earlier operations have ended until the next one starts, so the gaps
of a stream add up to its idle time between its first and its last operation. What ended it is the
next operation, and the call that launched that tells the cause:
host_sync: it began after the stream had run dry, and its thread was in a call that waits for the
device when the gap began, or for more than half of the time until the call; host: it began after the
stream had run dry, for any other reason; launch: it was under way when the gap began; stream_wait:
it had returned, its thread had told the stream to wait (for an event) since its launch before, and
work of another stream ended during the gap; kernel: it had returned, and the gap is not longer than
short_ns, which the device needs from one operation to the next; other: it had returned, and no
reason is known; unknown: no call is known. Operations of one call follow each other without a new
launch. Where the source says which stream a wait is for, only waits of the stream itself count.
"""
grain = ["trace_id", "device_id", "stream", "start_ns"]
requires = { schema = ">=1", queries = ["device_op@1", "blocked_host@1"] }
portable = false

[param.per_device]
type = "BOOLEAN"
help = "Gaps of whole devices instead of streams"

[param.short_ns]
type = "BIGINT"
unit = "ns"
min = 0
help = "A gap that is not longer, and was not caused by the host, is the device's own pace"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: operations whose device the source does not say"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream or queue; NULL with per_device, or where the source does not say"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "When the last of the earlier operations ended, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "When the next one started"

[[column]]
name = "gap_ns"
type = "BIGINT"
unit = "ns"
check = "> 0"
help = "Length"

[[column]]
name = "cause"
type = "VARCHAR"
unit = "text"
check = "IN ('host_sync', 'host', 'launch', 'stream_wait', 'kernel', 'other', 'unknown')"
help = "Why nothing ran"

[[column]]
name = "before_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap before the launching call began; NULL without a call"

[[column]]
name = "blocked_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of before_launch_ns in which the launching thread waited for a device"

[[column]]
name = "in_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap during the launching call"

[[column]]
name = "after_launch_ns"
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Part of the gap after the launching call had returned"

[[column]]
name = "next_op_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The operation that ended the gap"

[[column]]
name = "launch_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The call that launched it"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    d.slice_id,
    d.trace_id,
    d.device_id,
    d.stream,
    CASE WHEN $per_device::BOOLEAN THEN NULL ELSE d.stream END AS lane,
    d.start_ns,
    d.end_ns,
    k.from_id AS launch_id
  FROM device_op() AS d
  LEFT JOIN link AS k
    ON k.to_id = d.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
),
reach AS (
  SELECT
    *,
    max(end_ns) OVER past AS reach_ns,
    lag(launch_id) OVER (
      PARTITION BY trace_id, device_id, lane
      ORDER BY start_ns, end_ns, slice_id
    ) AS earlier_launch_id
  FROM op
  WINDOW past AS (
    PARTITION BY trace_id, device_id, lane
    ORDER BY start_ns, end_ns, slice_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
gap AS (
  SELECT
    r.slice_id,
    r.trace_id,
    r.device_id,
    r.stream,
    r.lane,
    r.reach_ns AS start_ns,
    r.start_ns AS end_ns,
    r.launch_id,
    r.launch_id = r.earlier_launch_id AS is_same_call,
    l.track_id,
    -- greatest() passes over a NULL, so gaps without a call are kept apart.
    CASE WHEN l.ts IS NOT NULL THEN least(greatest(l.ts, r.reach_ns), r.start_ns) END
      AS launch_start_ns,
    CASE
      WHEN l.ts IS NOT NULL
        THEN least(greatest(l.ts + greatest(l.dur, 0), r.reach_ns), r.start_ns)
    END AS launch_end_ns,
    coalesce(l.ts > r.reach_ns, false) AS is_late,
    coalesce(l.ts + greatest(l.dur, 0) > r.reach_ns, false) AS is_under_way
  FROM reach AS r
  LEFT JOIN launch AS l ON l.slice_id = r.launch_id
  WHERE r.start_ns > r.reach_ns
),
blocked AS (
  SELECT track_id, start_ns, end_ns, before_ns
  FROM blocked_host()
),
-- How long the launching thread had waited for devices up to the start of the gap, and up to the
-- launch: the last wait that began by then, and the sum of those before it.
waited AS (
  SELECT
    g.slice_id,
    coalesce(a.end_ns > g.start_ns, false) AS is_blocked,
    coalesce(
      b.before_ns + least(b.end_ns, g.launch_start_ns) - b.start_ns, 0
    ) - coalesce(
      a.before_ns + least(a.end_ns, g.start_ns) - a.start_ns, 0
    ) AS blocked_ns
  FROM gap AS g
  ASOF LEFT JOIN blocked AS a
    ON a.track_id = g.track_id AND g.start_ns >= a.start_ns
  ASOF LEFT JOIN blocked AS b
    ON b.track_id = g.track_id AND g.launch_start_ns >= b.start_ns
  WHERE g.is_late
),
wait_call AS (
  SELECT w.slice_id, w.track_id, w.ts, g.slice_id IS NOT NULL AS is_recorded, g.stream
  FROM launch AS w
  LEFT JOIN link AS k
    ON k.from_id = w.slice_id AND k.kind = 'sync_call' AND k.link_set = 'default'
  LEFT JOIN gpu_op AS g ON g.slice_id = k.to_id
  WHERE w.name ILIKE '%streamwaitevent%'
),
call AS (
  SELECT o.launch_id, o.stream, l.track_id, l.ts
  FROM op AS o
  JOIN launch AS l ON l.slice_id = o.launch_id
),
-- The next launch of the thread after each wait it gave: on that stream, where the stream is known.
told AS (
  SELECT c.launch_id
  FROM wait_call AS w
  ASOF JOIN call AS c ON c.track_id = w.track_id AND w.ts <= c.ts
  WHERE NOT w.is_recorded
  UNION
  SELECT c.launch_id
  FROM wait_call AS w
  ASOF JOIN call AS c ON c.track_id = w.track_id AND c.stream = w.stream AND w.ts <= c.ts
  WHERE w.is_recorded
),
ended AS (
  SELECT g.slice_id, e.end_ns > g.start_ns AS is_after_other
  FROM gap AS g
  SEMI JOIN told AS t ON t.launch_id = g.launch_id
  ASOF JOIN op AS e
    ON e.trace_id = g.trace_id
    AND coalesce(e.device_id, -1) = coalesce(g.device_id, -1)
    AND g.end_ns >= e.end_ns
)
SELECT
  g.trace_id,
  g.device_id,
  g.lane AS stream,
  g.start_ns,
  g.end_ns,
  g.end_ns - g.start_ns AS gap_ns,
  CASE
    WHEN g.launch_id IS NULL THEN 'unknown'
    WHEN g.is_late AND (w.is_blocked OR 2 * w.blocked_ns > g.launch_start_ns - g.start_ns)
      THEN 'host_sync'
    WHEN g.is_late THEN 'host'
    WHEN g.is_under_way AND NOT coalesce(g.is_same_call, false) THEN 'launch'
    WHEN e.is_after_other THEN 'stream_wait'
    WHEN g.end_ns - g.start_ns <= $short_ns::BIGINT THEN 'kernel'
    ELSE 'other'
  END AS cause,
  g.launch_start_ns - g.start_ns AS before_launch_ns,
  CASE WHEN g.launch_id IS NOT NULL THEN coalesce(w.blocked_ns, 0) END AS blocked_ns,
  g.launch_end_ns - g.launch_start_ns AS in_launch_ns,
  g.end_ns - g.launch_end_ns AS after_launch_ns,
  g.slice_id AS next_op_id,
  g.launch_id
FROM gap AS g
LEFT JOIN waited AS w ON w.slice_id = g.slice_id
LEFT JOIN ended AS e ON e.slice_id = g.slice_id
