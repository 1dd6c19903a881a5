/* ---
name = "finding_recompilation"
version = 2
title = "Finding: code is compiled during the run"
help = """
Time of host threads in slices that TorchDynamo records while it compiles (dynamo, entire_..._compile,
... (dynamo_timed)), by the name of the outermost. Of the ranks the one with most counts. A compile id A/B
with B above 0 compiles code again. In a time window the parts of slices inside it count.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", rows = ["cpu_op | annotation"] }
scale = "run"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'recompilation'"
subject.help = "Name of the outermost slices of compiling"
location.help = "Compile ids of up to ten, in order of time; NULL: not recorded"
n_events.help = "Number of slices on the rank with most time in them"
bound_ns.help = "Time in the slices"

[changes]
2 = "a time window cuts the slices"
1 = "first version"
--- */
-- Names are compared, not those of each slice. (By an aggregate: the database would compare these first.)
WITH compiling_name AS (
  SELECT name
  FROM (
    SELECT name FROM cpu_op
    UNION ALL
    SELECT name FROM annotation WHERE side = 'host'
  )
  GROUP BY name
  HAVING regexp_matches(any_value(name), '^(dynamo|entire_(frame|backward)_compile)$|\(dynamo_timed\)$')
),
compiling AS (
  SELECT slice_id, trace_id, track_id, name, is_op, ts AS start_ns, ts + dur AS end_ns
  FROM (
    SELECT slice_id, trace_id, track_id, name, ts, dur, true AS is_op FROM cpu_op
    UNION ALL
    SELECT slice_id, trace_id, track_id, name, ts, dur, false FROM annotation WHERE side = 'host'
  ) AS s
  SEMI JOIN compiling_name AS c ON c.name = s.name
  WHERE dur > 0
),
outermost AS (
  SELECT slice_id, trace_id, track_id, name, is_op, start_ns, end_ns
  FROM (
    SELECT
      *,
      max(end_ns) OVER (
        PARTITION BY track_id ORDER BY start_ns, end_ns DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS reached_ns
    FROM compiling
  )
  WHERE reached_ns IS NULL OR start_ns >= reached_ns
),
-- Slices tell their compile id in an annotation inside them: dynamo_data: compile_id=0/1.
identified AS (
  SELECT o.slice_id, min(regexp_extract(a.name, 'compile_id=([^, ]+)', 1)) AS compile_id
  FROM outermost AS o
  JOIN whole_annotation AS a
    ON a.track_id = o.track_id AND a.ts >= o.start_ns AND a.ts < o.end_ns
  WHERE a.side = 'host' AND a.name LIKE '%compile_id=%'
  GROUP BY o.slice_id
),
by_trace AS (
  SELECT
    t.run_id, o.trace_id, o.name, count(*) AS n_slices, bool_or(o.is_op) AS is_op,
    sum(greatest(least(o.end_ns, w.to_ns) - greatest(o.start_ns, w.from_ns), 0))::BIGINT AS dur_ns,
    list(i.compile_id ORDER BY o.start_ns, o.slice_id) FILTER (WHERE i.compile_id IS NOT NULL) AS ids
  FROM outermost AS o
  CROSS JOIN time_window AS w
  JOIN trace AS t ON t.id = o.trace_id
  LEFT JOIN identified AS i ON i.slice_id = o.slice_id
  GROUP BY t.run_id, o.trace_id, o.name
)
SELECT
  run_id,
  'recompilation' AS finding,
  name AS subject,
  NULL::BIGINT AS rank,
  'compile ids ' || array_to_string(max_by(ids, (dur_ns, trace_id))[:10], ', ') AS location,
  max_by(n_slices, (dur_ns, trace_id)) AS n_events,
  max(dur_ns) AS bound_ns,
  NULL::DOUBLE AS coverage,
  'skip(within = $subject)' AS what_if,
  CASE WHEN bool_or(is_op) THEN 'op_summary' ELSE 'annotation_summary' END AS evidence,
  'Code is compiled during the run' AS sentence,
  'Warm up before measuring; see what changes with TORCH_LOGS=recompiles: pad to few shapes, or compile with dynamic=True' AS remedy
FROM by_trace
GROUP BY run_id, name
ORDER BY run_id, bound_ns DESC, subject
