/* ---
name = "annotation_projection"
version = 2
title = "Host annotations projected onto the device work they caused"
help = """
One row per annotation or step and device, or stream of a device. The work of an annotation was
launched in it on its thread, also through nested annotations; the work of a step was launched
during it by any thread of its process. Kineto records such projections itself
(gpu_user_annotation): one per stream, of the work whose innermost annotation it is, as with
by_stream and only_self, but wider than the work, by 1 ns at both ends or, in older versions, 1000
ns before and 500 ns after; its steps exclude work launched by other threads. Annotations without
work have no row. Negative durations count as 0 ns. A time window contains the rows whose annotation
or projection reaches into it, whole.
"""
grain = ["annotation_id", "device_id", "track_id", "stream"]
requires = { schema = ">=1", queries = ["annotation_work@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "annotation_id", "name", "is_step", "device_id", "device",
  "track_id", "stream", "host_start_ns", "host_dur_ns", "start_ns", "end_ns", "span_ns", "busy_ns",
  "device_ns", "n_device_ops", "n_self_device_ops",
]

[param.by_stream]
type = "BOOLEAN"
default = false
help = "Return one row per stream instead of one per device"

[param.only_self]
type = "BOOLEAN"
default = false
help = "Exclude work launched in nested annotations"

[param.name]
type = "VARCHAR"
nullable = true
help = "Restrict to annotations with this name; null: all"

[column]
annotation_id = { type = "BIGINT", unit = "ref slice.id", help = "Annotation" }
is_step = { type = "BOOLEAN", unit = "bool", help = "Whether it is a step" }
track_id = { nullable = true, help = "Track of the stream; NULL unless by_stream" }
stream.help = "Stream or queue number, as recorded; NULL unless by_stream"
host_start_ns = { type = "BIGINT", unit = "ns", help = "Start of the annotation, on the time axis of slice.ts" }
host_dur_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Duration of the annotation" }
start_ns.help = "Start of the first work it caused, on the time axis of slice.ts"
end_ns.help = "End of the last work it caused"
span_ns.help = "Time from start_ns to end_ns"
busy_ns.help = "Part of the span in which the device work runs; overlapping work counts once"
n_device_ops = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of kernels, copies and memsets" }

[column.n_self_device_ops]
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Number of these launched outside nested annotations"

[changes]
2 = "streams of different processes and contexts are separate, identified by track_id"
1 = "first version"
--- */
WITH chosen AS (
  SELECT
    a.slice_id,
    a.trace_id,
    a.name,
    a.ts,
    a.dur,
    s.slice_id IS NOT NULL AS is_step
  FROM whole_annotation AS a
  LEFT JOIN whole_step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host'
    AND ($name::VARCHAR IS NULL OR a.name = $name::VARCHAR)
),
work AS (
  SELECT
    w.annotation_id,
    w.is_self,
    d.device_id,
    CASE WHEN $by_stream::BOOLEAN THEN d.track_id END AS track_id,
    CASE WHEN $by_stream::BOOLEAN THEN d.stream END AS stream,
    d.ts AS start_ns,
    d.ts + greatest(d.dur, 0) AS end_ns
  FROM whole_gpu_op AS d
  JOIN annotation_work() AS w ON w.slice_id = d.slice_id
  SEMI JOIN chosen AS c ON c.slice_id = w.annotation_id
  WHERE d.kind <> 'sync' AND (w.is_self OR NOT $only_self::BOOLEAN)
),
-- The time each piece adds to that covered by the pieces before it. Annotations are set 2^64 ns
-- apart, so the work of all of them is one sequence: a window per annotation takes several times as
-- long.
gain AS (
  SELECT
    annotation_id,
    is_self,
    device_id,
    track_id,
    stream,
    start_ns,
    end_ns,
    greatest(
      annotation_id * 18446744073709551616 + end_ns - greatest(
        annotation_id * 18446744073709551616 + start_ns,
        max(annotation_id * 18446744073709551616 + end_ns) OVER (
          PARTITION BY device_id, track_id, stream
          ORDER BY annotation_id, start_ns
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
      ),
      0
    )::BIGINT AS gain_ns
  FROM work
),
projected AS (
  SELECT
    annotation_id,
    device_id,
    track_id,
    stream,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(gain_ns)::BIGINT AS busy_ns,
    sum(end_ns - start_ns)::BIGINT AS device_ns,
    count(*) AS n_device_ops,
    sum(CASE WHEN is_self THEN 1 ELSE 0 END)::BIGINT AS n_self_device_ops
  FROM gain
  GROUP BY annotation_id, device_id, track_id, stream
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  p.annotation_id,
  c.name,
  c.is_step,
  p.device_id,
  d.ordinal AS device,
  p.track_id,
  p.stream,
  c.ts AS host_start_ns,
  greatest(c.dur, 0) AS host_dur_ns,
  p.start_ns,
  p.end_ns,
  p.end_ns - p.start_ns AS span_ns,
  p.busy_ns,
  p.device_ns,
  p.n_device_ops,
  p.n_self_device_ops
FROM projected AS p
JOIN chosen AS c ON c.slice_id = p.annotation_id
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN device AS d ON d.id = p.device_id
CROSS JOIN time_window AS w
WHERE (
    c.ts < w.to_ns AND (c.ts >= w.from_ns OR c.ts + c.dur > w.from_ns OR c.dur = -1)
  )
  OR (p.start_ns < w.to_ns AND (p.start_ns >= w.from_ns OR p.end_ns > w.from_ns))
ORDER BY
  t.run_id, t.rank, c.trace_id, c.ts, c.dur DESC, p.annotation_id, d.ordinal, p.device_id, p.stream, p.track_id
