/* ---
name = "compare_notes"
version = 2
title = "What a comparison leaves out, and what makes its sides differ before any measurement"
help = """
not_compared: one side lacks a subject (compare_unit). not_included: traces that lack it while others
of their side have it. per_trace: the subject is compared per recording, though both sides have
steps. cut_steps: steps that are not whole (compare_step), each counted for one reason: it did not end,
else the time window cuts it, else the recording ended before its device work. durations: records of
negative or missing duration, which count as 0. sides: other ranks, formats or kinds of run, a kind of
device work that only one side of another format has, or no name of device work in common.
"""
grain = ["topic", "subject", "side", "note"]
requires = { schema = ">=13", queries = ["compare_side@1", "compare_size@2", "compare_step@1", "compare_unit@1"] }
columns = ["topic", "subject", "side", "n", "note"]

[param.a]
type = "VARCHAR"
unit = "side"
help = "Baseline: a run (name or id), a trace (RUN/TRACE, each a name or id), tag:NAME or latest"

[param.b]
type = "VARCHAR"
unit = "side"
help = "Candidate: a run, trace, tag:NAME or latest, as for a"

[column]
subject.help = "What it is about"
side = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('a', 'b')", help = "a or b; NULL: both" }
n = { type = "BIGINT", unit = "count", nullable = true, help = "Number of records, steps or traces; NULL: not a number" }
note = { type = "VARCHAR", unit = "text", help = "The note as a sentence without a full stop" }

[column.topic]
type = "VARCHAR"
unit = "text"
check = "IN ('not_compared', 'not_included', 'per_trace', 'cut_steps', 'durations', 'sides')"
help = "not_compared, not_included, per_trace, cut_steps, durations or sides"

[changes]
2 = "steps that a time window cuts, or whose device work is not recorded, are notes of their own"
1 = "first version"
--- */
WITH side AS (
  SELECT c.side, c.trace_id, t.format, t.rank, r.kind AS run_kind
  FROM compare_side($a::VARCHAR, $b::VARCHAR) AS c
  JOIN trace AS t ON t.id = c.trace_id
  LEFT JOIN run AS r ON r.id = t.run_id
),
unit AS (
  SELECT u.*, upper(u.side) AS label
  FROM compare_unit($a::VARCHAR, $b::VARCHAR) AS u
),
size AS (
  SELECT n_ranks_a, n_ranks_b, basis
  FROM compare_size($a::VARCHAR, $b::VARCHAR)
),
cut AS (
  SELECT
    c.side,
    CASE
      WHEN s.dur > 0 AND (s.ts < w.from_ns OR s.ts + s.dur > w.to_ns) THEN 2
      WHEN s.dur > 0 THEN 3
      ELSE 1
    END AS reason,
    count(*) AS n
  FROM step AS s
  JOIN side AS c ON c.trace_id = s.trace_id
  CROSS JOIN time_window AS w
  ANTI JOIN compare_step($a::VARCHAR, $b::VARCHAR) AS k ON k.side = c.side AND k.step_id = s.slice_id
  GROUP BY c.side, reason
),
-- Records whose duration is negative, among them those that did not end (-1).
unknown AS (
  SELECT trace_id, 'device work' AS subject FROM gpu_op WHERE dur < 0 AND kind <> 'sync'
  UNION ALL
  SELECT trace_id, 'operators' FROM cpu_op WHERE dur < 0
),
work_kind AS (
  SELECT s.side, s.format, g.kind, g.name
  FROM side AS s
  JOIN gpu_op AS g ON g.trace_id = s.trace_id
  WHERE g.kind <> 'sync'
  GROUP BY s.side, s.format, g.kind, g.name
),
format AS (
  SELECT
    string_agg(DISTINCT CASE WHEN side = 'a' THEN format END, ', ' ORDER BY CASE WHEN side = 'a' THEN format END)
      AS format_a,
    string_agg(DISTINCT CASE WHEN side = 'b' THEN format END, ', ' ORDER BY CASE WHEN side = 'b' THEN format END)
      AS format_b,
    max(CASE WHEN side = 'a' AND run_kind <> 'measured' THEN run_kind END) AS kind_a,
    max(CASE WHEN side = 'b' AND run_kind <> 'measured' THEN run_kind END) AS kind_b
  FROM side
),
note AS (
  SELECT DISTINCT 1 AS place, 'not_compared' AS topic, subject, NULL AS side, NULL::BIGINT AS n,
    not_compared AS note
  FROM unit
  WHERE not_compared IS NOT NULL AND subject <> 'operator_device'
  UNION ALL
  SELECT 2, 'not_included', subject, side, count(*),
    label || ' has ' || count(*) || CASE WHEN count(*) = 1 THEN ' trace' ELSE ' traces' END
      || ' without ' || not_included
  FROM unit
  WHERE not_compared IS NULL AND not_included IS NOT NULL AND subject <> 'operator_device'
  GROUP BY subject, side, label, not_included
  UNION ALL
  SELECT DISTINCT 3, 'per_trace', u.subject, NULL, NULL,
    'Device work is compared per recording: without launch events its steps are not known'
  FROM unit AS u
  CROSS JOIN size AS z
  WHERE u.basis = 'trace' AND z.basis = 'step' AND u.subject = 'device'
  UNION ALL
  SELECT 4, 'cut_steps', 'steps', side, n,
    upper(side) || ' has ' || n || CASE WHEN n = 1 THEN ' step ' ELSE ' steps ' END
      || CASE reason
        WHEN 1 THEN 'that did not end or have no duration'
        WHEN 2 THEN 'that the time window cuts'
        ELSE 'whose device work is not recorded to the end'
      END
  FROM cut
  UNION ALL
  SELECT 5, 'durations', u.subject, s.side, count(*),
    upper(s.side) || ' has ' || count(*) || CASE WHEN count(*) = 1 THEN ' record' ELSE ' records' END
      || ' of ' || u.subject || ' with a negative or missing duration, counted as 0'
  FROM unknown AS u
  JOIN side AS s ON s.trace_id = u.trace_id
  GROUP BY u.subject, s.side
  UNION ALL
  SELECT 6, 'sides', 'ranks', NULL, NULL,
    'A has ' || n_ranks_a || CASE WHEN n_ranks_a = 1 THEN ' rank' ELSE ' ranks' END || ', B has '
      || n_ranks_b
  FROM size
  WHERE n_ranks_a <> n_ranks_b
  UNION ALL
  SELECT 7, 'sides', 'format', NULL, NULL,
    'A was recorded as ' || format_a || ', B as ' || format_b
  FROM format
  WHERE format_a <> format_b
  UNION ALL
  SELECT 8, 'sides', 'kind of run', 'a', NULL, 'A is ' || kind_a FROM format WHERE kind_a IS NOT NULL
  UNION ALL
  SELECT 8, 'sides', 'kind of run', 'b', NULL, 'B is ' || kind_b FROM format WHERE kind_b IS NOT NULL
  UNION ALL
  SELECT 9, 'sides', kind, max(CASE WHEN side = 'a' THEN 'b' ELSE 'a' END), NULL,
    max(CASE WHEN side = 'a' THEN 'B' ELSE 'A' END) || ' has no ' || kind
      || ' records, perhaps because its profiler did not record them'
  FROM work_kind
  CROSS JOIN format
  WHERE format_a <> format_b
    AND (SELECT count(DISTINCT side) FROM work_kind) = 2
  GROUP BY kind
  HAVING count(DISTINCT side) = 1
  UNION ALL
  SELECT 10, 'sides', 'device work', NULL, NULL, 'No name of device work is on both sides'
  FROM (
    SELECT name, count(DISTINCT side) AS n_sides
    FROM work_kind
    GROUP BY name
  )
  HAVING max(n_sides) = 1 AND (SELECT count(DISTINCT side) FROM work_kind) = 2
)
SELECT topic, subject, side, n, note
FROM note
ORDER BY place, subject, side, note
