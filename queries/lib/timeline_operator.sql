/* ---
name = "timeline_operator"
version = 1
title = "Host operators and named ranges of a profiler, in recording order"
help = """
Operators and annotations of host threads form one sequence: nodes of an execution trace are either.
They are ordered by start; equal starts are ordered by the profiler's number (Ev Idx), which is the
order in which they began.
"""
grain = ["slice_id"]
scale = "trace"
columns = [
  "slice_id", "track_id", "thread_key", "parent_id", "start_ns", "dur_ns", "name", "external_id",
  "record_function_id", "n",
]

[param.trace_id]
type = "BIGINT"
help = "Trace"

[column]
slice_id.help = "Operator or range"
track_id.help = "Thread track"
thread_key = { type = "VARCHAR", unit = "json", nullable = true, help = "Thread id as recorded" }
parent_id.help = "Innermost slice of any category that contains it"
start_ns.help = "Start as recorded, on the clock of the file"
dur_ns.help = "Duration; 0 if not recorded"
external_id = { type = "BIGINT", unit = "source id", nullable = true, help = "External id of the call" }
n.help = "Position in the sequence of the whole trace"

[column.record_function_id]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Record function id of the execution trace; 0 if no execution trace was recorded"

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
