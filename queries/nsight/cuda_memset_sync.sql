/* ---
name = "cuda_memset_sync"
version = 2
title = "Memsets that block the host"
help = """
Host memory (pinned) or managed memory set by calls without Async in their name, which block the
host. Longest first. Sources without recorded memory kinds have no rows. The rule cuda_memset_sync
of `nsys analyze` has the same runtime calls.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "dur_ns", "start_ns", "memory_kind", "bytes", "pid",
  "device", "context_id", "stream", "call",
]

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Maximum number of rows per trace, longest first; null: all"

[column]
slice_id.help = "Operation"
dur_ns.help = "Duration on the device; 0 if unfinished"
start_ns.help = "Start on the device, on the time axis of slice.ts"
memory_kind = { type = "VARCHAR", unit = "text", help = "Kind of the memory set: Pinned or Managed" }
pid.help = "Process of the call"
call = { nullable = false, help = "Name of the calling function" }

[changes]
2 = "a time window contains memsets whose call lies outside of it"
1 = "first version"
--- */
WITH found AS (
  SELECT
    g.trace_id, g.slice_id, greatest(g.dur, 0) AS dur_ns, g.ts, g.bytes, g.device_id, g.context_id,
    g.stream, l.name AS call, l.track_id AS call_track_id,
    g.source_memory_kind AS memory_kind,
    row_number() OVER (
      PARTITION BY g.trace_id ORDER BY greatest(g.dur, 0) DESC, g.ts, g.slice_id
    ) AS place
  FROM gpu_op AS g
  JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  JOIN whole_launch AS l ON l.slice_id = k.from_id
  WHERE g.kind = 'memset'
    AND regexp_matches(l.name, '^(cuda|cu|hip)Memset')
    AND NOT contains(lower(l.name), 'async')
    AND g.source_memory_kind IN ('Pinned', 'Managed')
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.slice_id,
  f.dur_ns,
  f.ts AS start_ns,
  f.memory_kind,
  f.bytes,
  p.pid,
  d.ordinal AS device,
  f.context_id,
  f.stream,
  f.call
FROM found AS f
JOIN trace AS t ON t.id = f.trace_id
LEFT JOIN track AS k ON k.id = f.call_track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
LEFT JOIN process AS p ON p.id = h.process_id
LEFT JOIN device AS d ON d.id = f.device_id
WHERE $top::BIGINT IS NULL OR f.place <= $top::BIGINT
ORDER BY t.run_id, t.rank, f.trace_id, f.place
