/* ---
name = "timeline_operator"
version = 1
title = "What a profiler recorded of operators and named ranges on the host, in its order"
help = """Operators and annotations of host threads are one sequence: nodes of an execution trace are
either. They are taken in order of start; where starts are equal, in the order in which the profiler
numbered them (Ev Idx), which is that of their beginnings."""
grain = ["slice_id"]

[param.trace_id]
type = "BIGINT"
help = "The trace"

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The operator or range"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "Its thread"

[[column]]
name = "thread_key"
type = "VARCHAR"
unit = "json"
nullable = true
help = "The thread id as the source wrote it"

[[column]]
name = "parent_id"
type = "BIGINT"
unit = "ref slice.id"
nullable = true
help = "The innermost slice, of any category, that contains it"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start as the file states it, on the clock of the file"

[[column]]
name = "dur_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Duration; 0 where the file states none"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name"

[[column]]
name = "external_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The profiler's id of the call"

[[column]]
name = "record_function_id"
type = "BIGINT"
unit = "source id"
nullable = true
help = "The id an execution trace knows it by; 0 where no execution trace was recorded"

[[column]]
name = "n"
type = "BIGINT"
unit = "count"
check = ">= 1"
help = "Its place in the sequence of the whole trace"

[changes]
1 = "first version"
--- */
SELECT
  r.slice_id,
  r.track_id,
  h.source_tid AS thread_key,
  r.parent_id,
  t.base_ns - t.source_base_ns + r.ts AS start_ns,
  greatest(r.dur, 0) AS dur_ns,
  r.name,
  r.external_id,
  r.record_function_id,
  row_number() OVER (ORDER BY r.ts, r.event_index, r.dur DESC, r.slice_id) AS n
FROM (
  SELECT
    o.slice_id,
    o.trace_id,
    o.track_id,
    s.parent_id,
    o.ts,
    o.dur,
    o.name,
    o.external_id,
    o.record_function_id,
    o.event_index
  FROM slice AS s
  JOIN cpu_op AS o ON o.slice_id = s.id
  WHERE o.trace_id = $trace_id::BIGINT
    AND s.trace_id = $trace_id::BIGINT
  UNION ALL
  SELECT
    a.slice_id,
    a.trace_id,
    a.track_id,
    s.parent_id,
    a.ts,
    a.dur,
    a.name,
    a.external_id,
    TRY_CAST(json_extract_string(s.args_json, '$."Record function id"') AS BIGINT),
    TRY_CAST(json_extract_string(s.args_json, '$."Ev Idx"') AS BIGINT)
  FROM slice AS s
  JOIN annotation AS a ON a.slice_id = s.id
  WHERE a.trace_id = $trace_id::BIGINT
    AND s.trace_id = $trace_id::BIGINT
    AND a.side = 'host'
) AS r
JOIN trace AS t ON t.id = r.trace_id
JOIN track AS k ON k.id = r.track_id
LEFT JOIN thread AS h ON h.id = k.thread_id
