/* ---
name = "cuda_memcpy_async"
version = 1
title = "Asynchronous copies that pageable memory makes synchronous"
help = """
Copies of calls with Async in their name, from or to pageable memory of the host: these go through a
staging buffer and hold the caller. Pinned memory would not. Longest first.
The rule cuda_memcpy_async of `nsys analyze` has those of them that calls of the runtime started; here
calls of the driver count too.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }

[param.top]
type = "BIGINT"
unit = "count"
default = 50
nullable = true
min = 1
help = "Only so many rows of each trace, the longest; null: all"

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
help = "The trace's rank, if known"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The operation"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length on the device; unfinished operations have 0"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start on the device, on the scale of slice.ts"

[[column]]
name = "source_memory_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The memory it reads: Pageable, Pinned, Device, ..."

[[column]]
name = "destination_memory_kind"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The memory it writes"

[[column]]
name = "bytes"
type = "BIGINT"
unit = "byte"
nullable = true
help = "Bytes copied or set"

[[column]]
name = "pid"
type = "BIGINT"
unit = "count"
nullable = true
help = "Process of the call"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "context_id"
type = "BIGINT"
unit = "count"
nullable = true
help = "Context"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "Stream"

[[column]]
name = "call"
type = "VARCHAR"
unit = "text"
help = "The function that was called"

[changes]
1 = "first version"
--- */
WITH found AS (
  SELECT
    g.trace_id, g.slice_id, greatest(g.dur, 0) AS dur_ns, g.ts, g.bytes, g.device_id, g.context_id,
    g.stream, l.name AS call, l.track_id AS call_track_id,
    coalesce(g.source_memory_kind, nullif(regexp_extract(g.name, '\((\w+) -> ', 1), ''))
      AS source_memory_kind,
    coalesce(g.destination_memory_kind, nullif(regexp_extract(g.name, ' -> (\w+)\)', 1), ''))
      AS destination_memory_kind,
    row_number() OVER (
      PARTITION BY g.trace_id ORDER BY greatest(g.dur, 0) DESC, g.ts, g.slice_id
    ) AS place
  FROM gpu_op AS g
  JOIN link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  JOIN launch AS l ON l.slice_id = k.from_id
  WHERE g.kind = 'memcpy'
    AND regexp_matches(l.name, '^(cuda|cu|hip)Memcpy.*Async')
    AND ('Pageable' IN (g.source_memory_kind, g.destination_memory_kind)
      OR contains(g.name, 'Pageable'))
)
SELECT
  t.run_id,
  f.trace_id,
  t.rank,
  f.slice_id,
  f.dur_ns,
  f.ts AS start_ns,
  f.source_memory_kind,
  f.destination_memory_kind,
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
