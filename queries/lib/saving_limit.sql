/* ---
name = "saving_limit"
version = 4
title = "How much changes of a run can save at most, from recorded times"
help = """
What is left is taken to last as long as recorded, and to be done in the same order. Then the run cannot end
before the stream that works longest is done, nor sooner by more than the time in which something goes on that
the change removes:

- skip, no_wait: time in which a thread is in operators, annotations or calls of the name.
- graph_launch: nothing else is known.
- launch_free: time in calls that launch work, and from their start, or the end of the work before on the
  stream, to the start of the work.
- drop of copies: time in their calls, and from the start of the call, or the end of the work before on the
  stream, to their end.
- scale of communication: time in communication.
- typical_steps: time beyond the median of steps longer than 1.5 times it.
- equal_ranks of the rank that others wait for most at collectives: the time by which it came later than the
  last of the others, within what is known of their clocks; communication whose waiting is not known; and the
  time by which it takes longer than all others.

Communication does not count as work of a stream, as it may wait for other ranks; nor do copies, if some are
dropped. Times of ranks add up, as their clocks may differ; time in which several threads or streams of a rank
do what is removed counts once. The extent is that of the longest trace
(query trace_extent).
"""
grain = ["run_id", "what_if", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_wait@1", "launched_op@1", "trace_extent@1"] }
scale = "run"
columns = ["run_id", "what_if", "subject", "rank", "most_ns"]

[param.subjects]
type = "VARCHAR[]"
default = []
help = "Names of what is removed; empty: all"

[column]
what_if = { type = "VARCHAR", unit = "text", help = "Change, in which $subject and $rank stand for these columns" }
subject = { type = "VARCHAR", unit = "text", nullable = true, help = "Name of what is removed; NULL: the change has no name" }
rank.help = "Rank that is changed; NULL: all"
most_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time by which the run ends sooner at most" }

[changes]
4 = "the extent leaves out what PyTorch's profiler records of itself"
3 = "parameter subjects"
2 = "graph_launch"
1 = "first version"
--- */
WITH extent AS (
  SELECT run_id, trace_id, rank, end_ns - start_ns AS extent_ns
  FROM trace_extent()
),
memory_copy AS MATERIALIZED (
  SELECT slice_id, name
  FROM gpu_op
  WHERE kind = 'memcpy'
),
-- Few columns are sorted and kept.
work AS MATERIALIZED (
  SELECT
    trace_id, slice_id, track_id, is_copy, is_communication, start_ns, end_ns, before_end_ns,
    greatest(end_ns - greatest(start_ns, coalesce(work_end_ns, start_ns)), 0) AS work_gain_ns,
    greatest(end_ns - greatest(start_ns, coalesce(other_end_ns, start_ns)), 0) AS other_gain_ns
  FROM (
    SELECT
      *,
      max(end_ns) OVER earlier AS before_end_ns,
      max(CASE WHEN NOT is_communication THEN end_ns END) OVER earlier AS work_end_ns,
      max(CASE WHEN NOT is_communication AND NOT is_copy THEN end_ns END) OVER earlier
        AS other_end_ns
    FROM (
      SELECT
        trace_id, slice_id, track_id,
        kind = 'memcpy' AS is_copy,
        class = 'communication' AS is_communication,
        ts AS start_ns,
        ts + greatest(dur, 0) AS end_ns
      FROM gpu_op
      WHERE kind <> 'sync'
    )
    WINDOW earlier AS (
      PARTITION BY track_id ORDER BY start_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  )
),
-- What is left on a stream: what it does, with and without copies.
stream AS (
  SELECT
    trace_id, track_id,
    sum(work_gain_ns) FILTER (WHERE NOT is_communication) AS work_ns,
    sum(other_gain_ns) FILTER (WHERE NOT is_communication AND NOT is_copy) AS other_ns
  FROM work
  GROUP BY trace_id, track_id
),
call AS (
  SELECT slice_id, min(call_ts) AS start_ns, max(call_ts + greatest(call_dur, 0)) AS end_ns
  FROM launched_op()
  WHERE call_ts IS NOT NULL
  GROUP BY slice_id
),
called AS MATERIALIZED (
  SELECT
    w.trace_id, w.slice_id, w.is_copy, w.start_ns, w.end_ns, c.start_ns AS call_ns, c.end_ns AS call_end_ns,
    -- The call and the work before it may both be later than the work, where clocks or streams are mixed.
    least(greatest(c.start_ns, coalesce(w.before_end_ns, c.start_ns)), w.start_ns) AS ready_ns
  FROM work AS w
  LEFT JOIN call AS c ON c.slice_id = w.slice_id
),
-- Read twice: to keep the names of all of them takes longer.
host AS NOT MATERIALIZED (
  SELECT trace_id, name, ts AS start_ns, ts + dur AS end_ns
  FROM cpu_op
  UNION ALL
  SELECT trace_id, name, ts, ts + dur
  FROM annotation
  WHERE side = 'host'
  UNION ALL
  SELECT trace_id, name, ts, ts + dur
  FROM launch
),
change AS MATERIALIZED (
  SELECT row_number() OVER () AS change_n, what_if, subject
  FROM (
    SELECT DISTINCT 'skip(within = $subject)' AS what_if, name AS subject
    FROM host
    WHERE len($subjects::VARCHAR[]) = 0 OR list_contains($subjects::VARCHAR[], name)
    UNION ALL
    SELECT DISTINCT 'drop(kind = "memcpy", name = $subject)', name
    FROM memory_copy
    WHERE len($subjects::VARCHAR[]) = 0 OR list_contains($subjects::VARCHAR[], name)
    UNION ALL
    VALUES ('launch_free()', NULL), ('scale(class = "communication", ratio = 0)', NULL)
  )
),
-- Conditions that are always true make the estimate of few rows small, so that these are hashed.
skipped AS (
  SELECT change_n, subject
  FROM change
  WHERE what_if = 'skip(within = $subject)' AND change_n > 0 AND change_n < 9223372036854775807
),
dropped AS (
  SELECT change_n, subject
  FROM change
  WHERE what_if = 'drop(kind = "memcpy", name = $subject)' AND change_n > 0 AND change_n < 9223372036854775807
),
-- A number stands for the trace and the change, as what follows sorts all times.
removed AS (
  SELECT (n.trace_id << 32) + c.change_n AS part, n.start_ns, n.end_ns
  FROM host AS n
  JOIN skipped AS c ON c.subject IS NOT DISTINCT FROM n.name
  UNION ALL
  SELECT (w.trace_id << 32) + c.change_n, w.call_ns, w.call_end_ns
  FROM called AS w
  JOIN memory_copy AS y ON y.slice_id = w.slice_id
  JOIN dropped AS c ON c.subject IS NOT DISTINCT FROM y.name
  WHERE w.is_copy AND w.call_ns IS NOT NULL
  UNION ALL
  SELECT (w.trace_id << 32) + c.change_n, coalesce(w.ready_ns, w.start_ns), w.end_ns
  FROM called AS w
  JOIN memory_copy AS y ON y.slice_id = w.slice_id
  JOIN dropped AS c ON c.subject IS NOT DISTINCT FROM y.name
  WHERE w.is_copy
  UNION ALL
  -- Most device work is ready before its call ends.
  SELECT
    (w.trace_id << 32) + c.change_n, w.call_ns,
    CASE WHEN w.ready_ns <= w.call_end_ns THEN greatest(w.call_end_ns, w.start_ns) ELSE w.call_end_ns END
  FROM called AS w
  JOIN change AS c ON c.what_if = 'launch_free()'
  WHERE w.call_ns IS NOT NULL
  UNION ALL
  SELECT (w.trace_id << 32) + c.change_n, w.ready_ns, w.start_ns
  FROM called AS w
  JOIN change AS c ON c.what_if = 'launch_free()'
  WHERE w.ready_ns > w.call_end_ns
  UNION ALL
  SELECT (w.trace_id << 32) + c.change_n, w.start_ns, w.end_ns
  FROM work AS w
  JOIN change AS c ON c.what_if = 'scale(class = "communication", ratio = 0)'
  WHERE w.is_communication
),
gain AS (
  SELECT
    part, greatest(end_ns - greatest(start_ns, coalesce(max(end_ns) OVER past, start_ns)), 0) AS gain_ns
  FROM removed
  WHERE end_ns > start_ns
  WINDOW past AS (PARTITION BY part ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
by_trace AS (
  SELECT g.part >> 32 AS trace_id, c.what_if, c.subject, g.removed_ns
  FROM (SELECT part, sum(gain_ns)::BIGINT AS removed_ns FROM gain GROUP BY part) AS g
  JOIN change AS c ON c.change_n = (g.part & 4294967295)
),
longest AS (
  SELECT
    e.run_id,
    max(e.extent_ns) AS extent_ns,
    coalesce(max(b.work_ns), 0)::BIGINT AS work_ns,
    coalesce(max(b.other_ns), 0)::BIGINT AS other_ns
  FROM extent AS e
  LEFT JOIN stream AS b ON b.trace_id = e.trace_id
  GROUP BY e.run_id
),
by_run AS MATERIALIZED (
  SELECT t.run_id, b.what_if, b.subject, sum(b.removed_ns)::BIGINT AS removed_ns
  FROM by_trace AS b
  JOIN trace AS t ON t.id = b.trace_id
  GROUP BY t.run_id, b.what_if, b.subject
),
timed AS (
  SELECT
    t.run_id, s.slice_id, s.dur,
    median(s.dur) OVER (PARTITION BY s.trace_id) AS median_ns,
    count(*) OVER (PARTITION BY s.trace_id) AS n_steps
  FROM whole_step AS s
  JOIN trace AS t ON t.id = s.trace_id
  WHERE s.dur > 0
),
wait AS MATERIALIZED (
  SELECT
    w.run_id, w.trace_id, w.instance_id, w.slice_id, w.wait_ns, w.last_trace_id, w.last_rank, w.margin_ns,
    greatest(s.dur, 0) AS dur, c.uncertainty_ns
  FROM collective_wait() AS w
  JOIN whole_slice AS s ON s.id = w.slice_id
  JOIN trace AS t ON t.id = w.trace_id
  LEFT JOIN clock AS c ON c.id = t.clock_id
),
-- As in finding_straggler.
late AS (
  SELECT run_id, last_trace_id AS trace_id, any_value(last_rank) AS rank
  FROM (SELECT DISTINCT run_id, instance_id, last_trace_id, last_rank, margin_ns FROM wait)
  GROUP BY run_id, last_trace_id
  QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY sum(margin_ns) DESC, any_value(last_rank)) = 1
),
-- By how much the rank may have come later than the last of the others, at each collective.
margin AS (
  SELECT
    a.run_id, a.instance_id,
    min(CASE WHEN a.uncertainty_ns + o.uncertainty_ns IS NULL THEN o.dur
      ELSE least(o.dur, greatest(o.wait_ns - a.wait_ns + a.uncertainty_ns + o.uncertainty_ns, 0))
    END) AS most_ns
  FROM late AS l
  JOIN wait AS a ON a.trace_id = l.trace_id
  JOIN wait AS o ON o.instance_id = a.instance_id AND o.trace_id <> a.trace_id
  GROUP BY a.run_id, a.instance_id
),
-- Communication whose waiting is not known may be all waiting; what the rank does last, others may not wait for.
beside AS (
  SELECT
    l.run_id, l.rank, max(e.extent_ns) AS extent_ns, coalesce(sum(u.dur_ns), 0) AS unknown_ns
  FROM late AS l
  JOIN extent AS e ON e.run_id = l.run_id AND e.trace_id <> l.trace_id
  LEFT JOIN (
    SELECT w.trace_id, sum(w.end_ns - w.start_ns) AS dur_ns
    FROM work AS w
    ANTI JOIN wait AS a ON a.slice_id = w.slice_id
    WHERE w.is_communication
    GROUP BY w.trace_id
  ) AS u ON u.trace_id = e.trace_id
  WHERE l.rank IS NOT NULL
  GROUP BY l.run_id, l.rank
),
found AS (
  SELECT run_id, what_if, subject, NULL::BIGINT AS rank, removed_ns FROM by_run
  UNION ALL
  SELECT b.run_id, 'no_wait(name = $subject)', b.subject, NULL, b.removed_ns
  FROM by_run AS b
  SEMI JOIN (
    SELECT DISTINCT t.run_id, l.name FROM launch AS l JOIN trace AS t ON t.id = l.trace_id
  ) AS l ON l.run_id = b.run_id AND l.name = b.subject
  WHERE b.what_if = 'skip(within = $subject)'
  UNION ALL
  SELECT l.run_id, 'graph_launch()', NULL, NULL, l.extent_ns
  FROM longest AS l
  SEMI JOIN by_run AS b ON b.run_id = l.run_id AND b.what_if = 'launch_free()'
  UNION ALL
  SELECT run_id, 'typical_steps()', NULL, NULL, ceil(sum(dur - median_ns))::BIGINT
  FROM timed
  SEMI JOIN step AS k ON k.slice_id = timed.slice_id
  WHERE n_steps >= 3 AND dur > 1.5 * median_ns
  GROUP BY run_id
)
SELECT
  f.run_id, f.what_if, f.subject, f.rank,
  greatest(
    least(f.removed_ns, l.extent_ns - CASE WHEN f.what_if LIKE 'drop%' THEN l.other_ns ELSE l.work_ns END), 0
  ) AS most_ns
FROM found AS f
JOIN longest AS l ON l.run_id = f.run_id
UNION ALL
SELECT
  b.run_id, 'equal_ranks(rank = $rank)', NULL, b.rank,
  greatest(least(m.most_ns + b.unknown_ns + l.extent_ns - b.extent_ns, l.extent_ns), 0)::BIGINT
FROM beside AS b
JOIN longest AS l ON l.run_id = b.run_id
JOIN (SELECT run_id, ceil(sum(most_ns)) AS most_ns FROM margin GROUP BY run_id) AS m ON m.run_id = b.run_id
ORDER BY run_id, what_if, subject, rank
