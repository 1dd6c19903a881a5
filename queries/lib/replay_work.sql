/* ---
name = "replay_work"
version = 1
title = "Work that threads queue for others: on streams of a device, or by a communication library"
help = """
Work of duration 0 never delays anything and has no row. Times are on the time axis of slice.ts.
"""
grain = ["slice_id"]
requires = { schema = ">=17", rows = ["whole_gpu_op | whole_collective"], queries = ["replay_trace@1"] }
scale = "run"
computed_once = true
columns = [
  "slice_id", "trace_id", "run_id", "track_id", "device_id", "kind", "name", "start_ns", "end_ns",
  "bytes", "link_id", "call_id", "call_track_id", "call_ns", "before_id", "before_end_ns",
]

[column]
slice_id.help = "Slice of the work"
track_id.help = "Stream, or thread of the library"
device_id.help = "Device; NULL: work of a host library"
kind.help = "kernel, memcpy, memset or collective"
start_ns.help = "Start"
end_ns.help = "End"
bytes.help = "Bytes copied, set, or of the message"
link_id = { type = "BIGINT", unit = "ref link.id", nullable = true, help = "Link to the call" }
call_id = { nullable = true, help = "Call that queued it" }
call_track_id = { type = "BIGINT", unit = "ref track.id", nullable = true, help = "Thread of the call" }
call_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Start of the call; NULL: none, or later than the work" }
before_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Work before it on its stream" }
before_end_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "End of that" }

[changes]
1 = "first version"
--- */
WITH cause AS (
  SELECT id, from_id, to_id, kind
  FROM whole_link
  WHERE kind IN ('launch', 'enqueue') AND link_set = 'default'
),
queued AS (
  SELECT g.slice_id, g.trace_id, g.track_id, g.device_id, g.stream,
    CASE WHEN v.slice_id IS NULL THEN g.kind ELSE 'collective' END AS kind, g.name, g.ts, g.dur,
    coalesce(g.bytes, v.input_bytes, v.output_bytes) AS bytes, c.id AS link_id, c.from_id AS call_id
  FROM whole_gpu_op AS g
  LEFT JOIN cause AS c ON c.to_id = g.slice_id AND c.kind = 'launch'
  LEFT JOIN whole_collective AS v ON v.slice_id = g.slice_id
  WHERE g.dur > 0 AND g.kind <> 'sync'
  UNION ALL
  SELECT v.slice_id, v.trace_id, v.track_id, NULL, NULL, 'collective', v.name, v.ts, v.dur, v.input_bytes,
    c.id, c.from_id
  FROM whole_collective AS v
  JOIN cause AS c ON c.to_id = v.slice_id AND c.kind = 'enqueue'
  WHERE v.dur > 0 AND v.side = 'host'
),
placed AS (
  SELECT
    q.*,
    t.run_id,
    s.ts AS call_ns,
    s.track_id AS call_track_id,
    coalesce(k.process_id, -1) AS process_id,
    min(k.process_id) OVER callers < max(k.process_id) OVER callers AS is_several
  FROM queued AS q
  JOIN replay_trace() AS t ON t.trace_id = q.trace_id
  LEFT JOIN whole_slice AS s ON s.id = q.call_id AND s.ts <= q.ts
  LEFT JOIN track AS k ON k.id = s.track_id
  WINDOW callers AS (PARTITION BY q.trace_id)
),
-- Kineto shows the streams of all processes on one track each: if several processes make calls,
-- work of one does not follow that of another.
work AS MATERIALIZED (
  SELECT
    * EXCLUDE (process_id, is_several),
    coalesce(stream, -1) AS stream_key,
    CASE WHEN is_several THEN process_id ELSE -1 END AS caller_id
  FROM placed
),
-- The last to end on a stream; of work that ends at the same time, the longest.
stream_end AS (
  SELECT
    track_id, caller_id, stream_key, ts + dur AS end_ns, min_by(slice_id, (ts, slice_id)) AS slice_id
  FROM work
  GROUP BY ALL
)
SELECT
  w.slice_id,
  w.trace_id,
  w.run_id,
  w.track_id,
  w.device_id,
  w.kind,
  w.name,
  w.ts AS start_ns,
  w.ts + w.dur AS end_ns,
  w.bytes,
  w.link_id,
  w.call_id,
  w.call_track_id,
  w.call_ns,
  p.slice_id AS before_id,
  p.end_ns AS before_end_ns
FROM work AS w
ASOF LEFT JOIN stream_end AS p
  ON p.track_id = w.track_id
  AND p.caller_id = w.caller_id
  AND p.stream_key = w.stream_key
  AND p.end_ns <= w.ts
ORDER BY w.slice_id
