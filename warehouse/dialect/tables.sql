-- Perfetto's tables as views of the warehouse: the same columns in the same order.
--
-- ts is the time of the source file in ns (ts + base_ns - source_base_ns), as in trace_processor; a trace
-- without an epoch starts at 0 (display_trace.starts_at_zero). Ids are warehouse ids. arg_set_id is the
-- id of a slice or, if negative, of a process or thread.

CREATE OR REPLACE TEMP VIEW perfetto_shift AS
SELECT
  t.id AS trace_id,
  CASE WHEN coalesce(p.starts_at_zero, false) THEN 0 ELSE t.base_ns - t.source_base_ns END AS shift_ns,
  t.start_ts,
  t.end_ts
FROM trace AS t
LEFT JOIN display_trace AS p ON p.trace_id = t.id;

-- Instants of a process and global instants have separate tracks, with negative ids.
CREATE OR REPLACE TEMP VIEW perfetto_slice AS
SELECT
  s.id,
  s.ts + t.shift_ns AS ts,
  s.dur,
  CASE s.extra_json ->> 's'
    WHEN 'g' THEN -4 * s.trace_id - 1
    WHEN 'p' THEN -4 * (SELECT p.process_id FROM track AS p WHERE p.id = s.track_id) - 2
    ELSE s.track_id
  END AS track_id,
  s.category,
  s.name,
  CASE WHEN (s.extra_json ->> 's') IN ('g', 'p') THEN 0 ELSE CAST(s.depth AS BIGINT) END AS depth,
  CASE WHEN (s.extra_json ->> 's') IN ('g', 'p') THEN NULL ELSE s.parent_id END AS parent_id,
  CASE WHEN s.args_json <> '{}' THEN s.id END AS arg_set_id,
  TRY_CAST(TRY_CAST(s.extra_json ->> 'tts' AS DECIMAL(28, 3)) * 1000 AS BIGINT) AS thread_ts,
  TRY_CAST(TRY_CAST(s.extra_json ->> 'tdur' AS DECIMAL(28, 3)) * 1000 AS BIGINT) AS thread_dur,
  CAST(NULL AS BIGINT) AS thread_instruction_count,
  CAST(NULL AS BIGINT) AS thread_instruction_delta,
  s.category AS cat,
  s.id AS slice_id,
  s.args_json AS "tw args",
  s.depth AS "tw depth"
FROM perfetto_source AS s
JOIN perfetto_shift AS t ON t.trace_id = s.trace_id;

-- Every trace has the idle process and thread with number 0.
CREATE OR REPLACE TEMP VIEW perfetto_process AS
SELECT
  upid,
  upid AS id,
  pid,
  name,
  CAST(NULL AS BIGINT) AS start_ts,
  CAST(NULL AS BIGINT) AS end_ts,
  CAST(NULL AS BIGINT) AS parent_upid,
  CAST(NULL AS BIGINT) AS uid,
  CAST(NULL AS BIGINT) AS android_appid,
  CAST(NULL AS BIGINT) AS android_user_id,
  CAST(NULL AS VARCHAR) AS cmdline,
  arg_set_id,
  0::BIGINT AS machine_id
FROM (
  SELECT
    id AS upid,
    pid,
    coalesce(name, CASE WHEN pid IS NULL THEN source_pid ->> '$' END) AS name,
    CASE WHEN sort_index IS NOT NULL THEN -4 * id - 2 END AS arg_set_id
  FROM process
  UNION ALL
  SELECT 0, 0, NULL, NULL
);

-- The identity of threads: in trace_processor a tid that is zero, negative, or equal to the pid (as a
-- number or a text) is the process's main thread. Threads without events and name, which only metadata
-- mention, are omitted.
CREATE OR REPLACE TEMP VIEW perfetto_thread_identity AS
SELECT
  id,
  CASE WHEN is_main THEN arg_min(id, (is_nominal, id)) OVER (PARTITION BY process_id, is_main)
    ELSE id END AS utid,
  process_id AS upid,
  is_main,
  CASE WHEN is_main THEN pid ELSE tid END AS tid,
  name,
  sort_index
FROM (
  SELECT
    h.id, h.process_id, h.tid, p.pid, h.sort_index,
    coalesce(h.name, CASE WHEN h.tid IS NULL THEN h.source_tid ->> '$' END) AS name,
    coalesce(h.tid <= 0, false) AS is_nominal,
    coalesce(h.tid <= 0 OR h.tid = p.pid, false)
      OR (h.tid IS NULL AND p.pid IS NULL AND coalesce(h.source_tid = p.source_pid, false))
      AS is_main
  FROM thread AS h
  JOIN process AS p ON p.id = h.process_id
  WHERE
    h.name IS NOT NULL
    OR h.extra_json ->> 'has_events' = 'true'
    OR h.id IN (SELECT thread_id FROM track WHERE thread_id IS NOT NULL)
);

-- Every process has a main thread, and there is an idle thread.
CREATE OR REPLACE TEMP VIEW perfetto_thread AS
SELECT
  utid,
  utid AS id,
  tid,
  name,
  CAST(NULL AS BIGINT) AS start_ts,
  CAST(NULL AS BIGINT) AS end_ts,
  upid,
  CAST(is_main AS BIGINT) AS is_main_thread,
  CAST(utid = 0 AS BIGINT) AS is_idle,
  0::BIGINT AS machine_id,
  arg_set_id
FROM (
  SELECT
    utid, tid, name, upid, is_main,
    CASE WHEN sort_index IS NOT NULL THEN -4 * utid - 3 END AS arg_set_id
  FROM perfetto_thread_identity
  WHERE id = utid
  UNION ALL
  SELECT -4 * id - 2, pid, NULL, id, true, NULL
  FROM process
  WHERE id NOT IN (SELECT upid FROM perfetto_thread_identity WHERE is_main)
  UNION ALL
  SELECT 0, 0, NULL, 0, true, NULL
);

-- Tracks of display_track are children of their parent, or of the group of a device; groups have the
-- negated ids of their devices.
CREATE OR REPLACE TEMP VIEW perfetto_heading AS
SELECT
  k.track_id AS id,
  coalesce(k.parent_track_id, -4 * k.group_device_id) AS parent_id,
  coalesce(k.group_name, d.name) AS heading
FROM display_track AS k
JOIN device AS d ON d.id = k.group_device_id;

CREATE OR REPLACE TEMP VIEW perfetto_all_track AS
SELECT
  t.id,
  CASE WHEN thread_id IS NULL OR kind = 'counter' THEN t.name END AS name,
  CASE
    WHEN kind = 'counter' THEN 'json_counter'
    WHEN thread_id IS NOT NULL THEN 'thread_execution'
    WHEN kind = 'async' THEN 'legacy_async_global_slice'
    ELSE kind
  END AS type,
  coalesce(parent_track_id, g.parent_id) AS parent_id,
  CASE WHEN kind <> 'counter' THEN coalesce(i.utid, thread_id) END AS utid,
  CASE WHEN kind = 'counter' THEN process_id END AS upid,
  unit,
  kind = 'counter' AS is_counter
FROM (
  -- A row of ranges beside its thread is not a row of the thread.
  SELECT * REPLACE (CASE WHEN kind <> 'async' THEN thread_id END AS thread_id) FROM track
) AS t
LEFT JOIN perfetto_thread_identity AS i ON i.id = t.thread_id
LEFT JOIN perfetto_heading AS g ON g.id = t.id
-- as in trace_processor, a thread without slices has no track
WHERE
  t.thread_id IS NULL
  OR t.kind = 'counter'
  OR t.id IN (
    SELECT DISTINCT track_id
    FROM slice
    WHERE extra_json IS NULL OR coalesce((extra_json ->> 's') NOT IN ('g', 'p'), true)
  )
UNION ALL
SELECT DISTINCT -4 * trace_id - 1, NULL, 'legacy_chrome_global_instants', NULL::BIGINT,
  NULL::BIGINT, NULL::BIGINT, NULL, false
FROM slice
WHERE extra_json IS NOT NULL AND (extra_json ->> 's') = 'g'
UNION ALL
SELECT DISTINCT -4 * t.process_id - 2, NULL, 'chrome_process_instant', NULL::BIGINT,
  NULL::BIGINT, t.process_id, NULL, false
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE s.extra_json IS NOT NULL AND (s.extra_json ->> 's') = 'p'
UNION ALL
SELECT DISTINCT parent_id, heading, 'global_merged_track_event', NULL::BIGINT, NULL::BIGINT,
  NULL::BIGINT, NULL, false
FROM perfetto_heading
WHERE parent_id < 0;

CREATE OR REPLACE TEMP VIEW perfetto_track AS
SELECT
  id, name, type, CAST(NULL AS BIGINT) AS dimension_arg_set_id, parent_id,
  CAST(NULL AS BIGINT) AS source_arg_set_id, 0::BIGINT AS machine_id,
  CAST(NULL AS BIGINT) AS track_group_id
FROM perfetto_all_track;

CREATE OR REPLACE TEMP VIEW perfetto_thread_track AS
SELECT
  id, name, type, parent_id, CAST(NULL AS BIGINT) AS source_arg_set_id,
  0::BIGINT AS machine_id, utid
FROM perfetto_all_track
WHERE utid IS NOT NULL;

CREATE OR REPLACE TEMP VIEW perfetto_process_track AS
SELECT
  id, name, type, parent_id, CAST(NULL AS BIGINT) AS source_arg_set_id,
  0::BIGINT AS machine_id, upid
FROM perfetto_all_track
WHERE upid IS NOT NULL AND NOT is_counter;

CREATE OR REPLACE TEMP VIEW perfetto_counter_track AS
SELECT
  id, name, CAST(NULL AS BIGINT) AS parent_id, type,
  CAST(NULL AS BIGINT) AS dimension_arg_set_id, CAST(NULL AS BIGINT) AS source_arg_set_id,
  0::BIGINT AS machine_id, unit, CAST(NULL AS VARCHAR) AS description
FROM perfetto_all_track
WHERE is_counter;

CREATE OR REPLACE TEMP VIEW perfetto_process_counter_track AS
SELECT
  id, name, type, CAST(NULL AS BIGINT) AS parent_id,
  CAST(NULL AS BIGINT) AS source_arg_set_id, 0::BIGINT AS machine_id, unit,
  CAST(NULL AS VARCHAR) AS description, upid
FROM perfetto_all_track
WHERE is_counter AND upid IS NOT NULL;

CREATE OR REPLACE TEMP VIEW perfetto_counter AS
SELECT
  c.id,
  c.ts + t.shift_ns AS ts,
  c.track_id,
  c.value,
  CAST(NULL AS BIGINT) AS arg_set_id
FROM counter AS c
JOIN perfetto_shift AS t ON t.trace_id = c.trace_id;

CREATE OR REPLACE TEMP VIEW perfetto_counters AS
SELECT c.*, t.name, t.unit
FROM perfetto_counter AS c
JOIN perfetto_counter_track AS t ON t.id = c.track_id;

CREATE OR REPLACE TEMP VIEW perfetto_instant AS
SELECT ts, track_id, name, arg_set_id, "tw args"
FROM perfetto_slice
WHERE dur = 0;

CREATE OR REPLACE TEMP VIEW perfetto_trace_bounds AS
SELECT
  min(start_ts + shift_ns) AS start_ts,
  max(end_ts + shift_ns) AS end_ts
FROM perfetto_shift;

-- Recorded flows, from each end or waypoint back to the latest waypoint or start before it; in a trace
-- without flows, the links. A point belongs to the innermost slice of its track at that time.
--
-- Most flows have one start and no waypoint: their ends are joined on the name alone, and only the
-- points of other flows are sorted. Most points lie where a slice begins: only the others need a search
-- for the slice before them.
CREATE OR REPLACE TEMP VIEW perfetto_arrow_start AS
SELECT
  trace_id, category, name, flow_key,
  min(id) AS id, min(ts) AS ts, count(*) = 1 AND min(phase) = 's' AS is_single
FROM flow_point
WHERE phase IN ('s', 't')
GROUP BY trace_id, category, name, flow_key;

CREATE OR REPLACE TEMP VIEW perfetto_arrow_pair AS
SELECT e.id, s.id AS start_id, s.is_single
FROM flow_point AS e
JOIN perfetto_arrow_start AS s
  ON s.trace_id = e.trace_id
  AND s.flow_key IS NOT DISTINCT FROM e.flow_key
  AND s.name IS NOT DISTINCT FROM e.name
  AND s.category IS NOT DISTINCT FROM e.category
WHERE NOT s.is_single OR (e.phase = 'f' AND s.ts <= e.ts);

CREATE OR REPLACE TEMP VIEW perfetto_flow AS
WITH pair AS MATERIALIZED (
  FROM perfetto_arrow_pair
),
point AS MATERIALIZED (
  SELECT id, track_id, ts, slice_id
  FROM flow_point
  WHERE id IN (SELECT id FROM pair UNION ALL SELECT start_id FROM pair WHERE is_single)
),
beginning AS MATERIALIZED (
  SELECT p.id, arg_max(s.id, s.depth) AS slice_id
  FROM point AS p
  JOIN slice AS s ON s.track_id = p.track_id AND s.ts = p.ts
  WHERE p.slice_id IS NULL
  GROUP BY p.id
),
inside AS MATERIALIZED (
  SELECT id, track_id, ts
  FROM point
  WHERE slice_id IS NULL AND id NOT IN (SELECT id FROM beginning)
),
bound AS MATERIALIZED (
  SELECT id, slice_id FROM point WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT id, slice_id FROM beginning
  UNION ALL
  SELECT p.id, s.id
  FROM inside AS p
  ASOF JOIN (
    SELECT track_id, ts, arg_max(id, depth) AS id, arg_max(dur, depth) AS dur
    FROM slice
    WHERE track_id IN (SELECT track_id FROM inside)
    GROUP BY track_id, ts
  ) AS s ON s.track_id = p.track_id AND s.ts <= p.ts
  WHERE s.ts + greatest(s.dur, 0) >= p.ts
),
ordered AS (
  SELECT
    p.id,
    p.phase,
    b.slice_id AS slice_in,
    last_value(CASE WHEN p.phase IN ('s', 't') THEN b.slice_id END IGNORE NULLS) OVER (
      PARTITION BY p.trace_id, p.category, p.name, p.flow_key ORDER BY p.ts, p.phase = 'f', p.id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS slice_out
  FROM flow_point AS p
  JOIN bound AS b ON b.id = p.id
  WHERE p.id IN (SELECT id FROM pair WHERE NOT is_single)
)
SELECT
  id, slice_out, slice_in, CAST(NULL AS BIGINT) AS trace_id, CAST(NULL AS BIGINT) AS arg_set_id
FROM (
  SELECT p.id, o.slice_id AS slice_out, i.slice_id AS slice_in
  FROM pair AS p
  JOIN bound AS o ON o.id = p.start_id
  JOIN bound AS i ON i.id = p.id
  WHERE p.is_single
  UNION ALL
  SELECT id, slice_out, slice_in
  FROM ordered
  WHERE phase IN ('t', 'f') AND slice_out IS NOT NULL
)
UNION ALL
SELECT id, from_id, to_id, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)
FROM link
WHERE
  link_set = 'default'
  AND (trace_id IS NULL OR trace_id NOT IN (SELECT trace_id FROM flow_point));

CREATE OR REPLACE TEMP VIEW perfetto_thread_slice AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name,
  h.name AS thread_name, h.utid, h.tid, h.is_main_thread, p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur, s."tw args"
FROM perfetto_slice AS s
JOIN perfetto_thread_track AS k ON k.id = s.track_id
JOIN perfetto_thread AS h ON h.utid = k.utid
LEFT JOIN perfetto_process AS p ON p.upid = h.upid;

CREATE OR REPLACE TEMP VIEW perfetto_process_slice AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name,
  p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts,
  s.thread_dur, s."tw args"
FROM perfetto_slice AS s
JOIN perfetto_process_track AS k ON k.id = s.track_id
JOIN perfetto_process AS p ON p.upid = k.upid;

CREATE OR REPLACE TEMP VIEW perfetto_thread_or_process_slice AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid,
  pid, depth, parent_id, arg_set_id, "tw args"
FROM perfetto_thread_slice
UNION ALL
SELECT
  id, ts, dur, category, name, track_id, track_name, NULL, NULL, NULL, process_name, upid, pid,
  depth, parent_id, arg_set_id, "tw args"
FROM perfetto_process_slice;

-- Neither scheduling nor states of threads are recorded; the tables exist, without rows.
CREATE OR REPLACE TEMP VIEW perfetto_sched_slice AS
SELECT
  s.id, s.ts, s.dur, 0::BIGINT AS cpu, 0::BIGINT AS utid, '' AS end_state, 0::BIGINT AS priority,
  0::BIGINT AS ucpu
FROM perfetto_slice AS s
WHERE false;

CREATE OR REPLACE TEMP VIEW perfetto_sched AS
SELECT *, ts + dur AS ts_end FROM perfetto_sched_slice;

CREATE OR REPLACE TEMP VIEW perfetto_thread_state AS
SELECT
  s.id, s.ts, s.dur, 0::BIGINT AS cpu, 0::BIGINT AS utid, '' AS state, 0::BIGINT AS io_wait,
  '' AS blocked_function, 0::BIGINT AS waker_utid, 0::BIGINT AS waker_id, 0::BIGINT AS irq_context,
  0::BIGINT AS ucpu
FROM perfetto_slice AS s
WHERE false;

CREATE OR REPLACE TEMP VIEW perfetto_metadata AS
SELECT
  row_number() OVER (ORDER BY trace_id, name) - 1 AS id, name, 'single' AS key_type, int_value,
  str_value, CAST(NULL AS BIGINT) AS machine_id, trace_id
FROM (
  SELECT
    id AS trace_id, 'trace_type' AS name, CAST(NULL AS BIGINT) AS int_value,
    -- only Trace Event JSON has a style of times
    CASE WHEN ts_style IS NOT NULL THEN 'json' ELSE format END AS str_value
  FROM trace
  UNION ALL
  SELECT trace_id, 'trace_size_bytes', CAST(sum(n_content_bytes) AS BIGINT), NULL
  FROM source_file
  GROUP BY trace_id
);

-- Problems of imports. What trace_processor counts as well has its name.
CREATE OR REPLACE TEMP VIEW perfetto_stats AS
SELECT
  CASE name WHEN 'unreadable_counter_value' THEN 'json_parser_failure' ELSE name END AS name,
  CAST(NULL AS BIGINT) AS idx,
  severity,
  'analysis' AS source,
  value,
  description
FROM (
  SELECT
    kind AS name,
    CASE severity WHEN 'note' THEN 'info' WHEN 'warning' THEN 'data_loss' ELSE 'error' END
      AS severity,
    CAST(sum(count) AS BIGINT) AS value,
    any_value(meaning) AS description
  FROM import_problem
  GROUP BY kind, import_problem.severity
  UNION ALL
  SELECT detail, 'data_loss', CAST(sum(value) AS BIGINT), 'records without a row: ' || detail
  FROM import_stat
  WHERE name = 'unused' AND detail IS NOT NULL
  GROUP BY detail
);
