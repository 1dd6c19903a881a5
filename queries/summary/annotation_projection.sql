/* ---
name = "annotation_projection"
version = 1
title = "Each annotation on the host as the time on devices of the work it caused"
help = """
A row is one annotation or step and one device, or one stream of it. The work of an annotation is what
was launched in it on its thread, also through nested annotations; the work of a step is what any
thread of its process launched during it. Kineto draws such projections itself
(gpu_user_annotation): one for each stream, of the work whose innermost annotation it is, which
by_stream and only_self show, and wider than the work, by 1 ns at both ends or, in older versions,
1000 ns before and 500 ns after. Its steps leave out what other threads launched. Annotations that
caused no work have no row. Lengths below 0 count 0 ns.
"""
grain = ["annotation_id", "device_id", "stream"]
portable = false
requires = { schema = ">=1", queries = ["annotation_work@1", "device_op@1"] }

[param.by_stream]
type = "BOOLEAN"
default = false
help = "A row for each stream, instead of one for each device"

[param.only_self]
type = "BOOLEAN"
default = false
help = "Leave out work launched in an annotation nested in the one of the row"

[param.name]
type = "VARCHAR"
nullable = true
help = "Only annotations of this name; null: all"

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
name = "annotation_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The annotation"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "is_step"
type = "BOOLEAN"
unit = "bool"
help = "Whether it is a step"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
nullable = true
help = "The device; NULL: work whose device the source does not say"

[[column]]
name = "device"
type = "BIGINT"
unit = "count"
nullable = true
help = "The device's number, as the source counts"

[[column]]
name = "stream"
type = "BIGINT"
unit = "count"
nullable = true
help = "The stream, as the source counts; NULL unless by_stream"

[[column]]
name = "host_start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the annotation, on the scale of slice.ts"

[[column]]
name = "host_dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Length of the annotation"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the first work it caused, on the same scale"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the last work it caused"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From that start to that end"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time of the span in which work it caused runs; overlapping work counts once"

[[column]]
name = "device_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of the durations of that work"

[[column]]
name = "n_device_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Kernels, copies and memsets"

[[column]]
name = "n_self_device_ops"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Those launched in no annotation nested in it"

[changes]
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
  FROM annotation AS a
  LEFT JOIN step AS s ON s.slice_id = a.slice_id
  WHERE a.side = 'host'
    AND ($name::VARCHAR IS NULL OR a.name = $name::VARCHAR)
),
work AS (
  SELECT
    w.annotation_id,
    w.is_self,
    d.device_id,
    CASE WHEN $by_stream::BOOLEAN THEN d.stream END AS stream,
    d.start_ns,
    d.end_ns
  FROM device_op() AS d
  JOIN annotation_work() AS w ON w.slice_id = d.slice_id
  SEMI JOIN chosen AS c ON c.slice_id = w.annotation_id
  WHERE w.is_self OR NOT $only_self::BOOLEAN
),
-- What each piece adds to the time covered by those before it. Annotations are set 2^64 ns apart, so
-- that the work of all of them is one sequence: a window for each takes several times as long.
gain AS (
  SELECT
    annotation_id,
    is_self,
    device_id,
    stream,
    start_ns,
    end_ns,
    greatest(
      annotation_id * 18446744073709551616 + end_ns - greatest(
        annotation_id * 18446744073709551616 + start_ns,
        max(annotation_id * 18446744073709551616 + end_ns) OVER (
          PARTITION BY device_id, stream
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
    stream,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(gain_ns)::BIGINT AS busy_ns,
    sum(end_ns - start_ns)::BIGINT AS device_ns,
    count(*) AS n_device_ops,
    sum(CASE WHEN is_self THEN 1 ELSE 0 END)::BIGINT AS n_self_device_ops
  FROM gain
  GROUP BY annotation_id, device_id, stream
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
ORDER BY
  t.run_id, t.rank, c.trace_id, c.ts, c.dur DESC, p.annotation_id, d.ordinal, p.device_id, p.stream
