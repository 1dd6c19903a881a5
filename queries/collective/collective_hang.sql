/* ---
name = "collective_hang"
version = 1
title = "Where each process group is stuck: ranks that are missing or differ, and who waits"
help = """
From dumps of flight recorders. Of each group: the first collective with a problem
(collective_mismatch), with the ranks that have the gravest one, or else the first that has not ended on all ranks; of sends and receives the
first message that only one side has called, or the two call differently. Groups without either have
no problem. collective_progress has the ranks one by one. A group that waits for another group's
collective shows up with the line at which its missing ranks are. Compares the ranks in scope; a time
window hides none.
"""
grain = ["run_id", "group_key", "is_p2p"]
requires = { schema = ">=27", queries = ["recorded_group@1", "recorded_mismatch@1", "recorded_operation@1"] }
scale = "run"
columns = [
  "run_id", "group_description", "verdict", "problem", "ranks", "waiting_ranks",
  "ranks_without_dump", "sequence_number", "last_common_number", "n_members", "expected",
  "expected_line", "python_line", "group_name", "is_p2p", "group_key",
]

[column]
group_name.help = "Process group"
is_p2p.help = "Whether the row is of sends and receives"
verdict = { type = "VARCHAR", unit = "text", help = "What is wrong, as a sentence; lines without folders" }
problem = { type = "VARCHAR", unit = "text", nullable = true, check = "IN ('missing', 'order', 'operation', 'size', 'type', 'state', 'not completed')", help = "As in collective_mismatch; not completed: all ranks have called it alike; NULL: none" }
sequence_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the collective with the problem; of a message its position between the two ranks" }
last_common_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Last collective that all ranks with a dump have called; NULL: none" }
n_members = { type = "BIGINT", unit = "count", check = ">= 0", help = "Ranks of the group, as far as they are known" }
ranks = { type = "BIGINT[]", unit = "count", help = "Ranks that are missing or differ" }
waiting_ranks = { type = "BIGINT[]", unit = "count", help = "Other ranks that have called it, where it has not ended" }
ranks_without_dump = { type = "BIGINT[]", unit = "count", help = "Ranks of the group without a dump" }
expected = { type = "VARCHAR", unit = "text", nullable = true, help = "Operation that the other ranks called" }
expected_line.help = "Line of its call on the lowest of them"
python_line.help = "Line of the call on the lowest rank that differs, or of the last call of the lowest that is missing"

[changes]
1 = "first version"
--- */
WITH operation AS MATERIALIZED (
  SELECT *, kind IN ('send', 'recv') OR is_p2p AS of_messages
  FROM recorded_operation()
  WHERE rank IS NOT NULL
),
process_groups AS (
  SELECT o.run_id, o.group_key, o.is_p2p, g.group_name, g.group_description, g.member_ranks
  FROM (SELECT DISTINCT run_id, group_key, of_messages AS is_p2p FROM operation) AS o
  JOIN recorded_group() AS g ON g.run_id = o.run_id AND g.group_key = o.group_key
),
dump AS (
  SELECT run_id, list_sort(list(DISTINCT rank)) AS ranks
  FROM trace
  WHERE rank IS NOT NULL
  GROUP BY run_id
),
common AS (
  SELECT run_id, group_key, min(last_number) AS last_number, count(*) AS n
  FROM (
    SELECT run_id, group_key, rank, max(sequence_number) AS last_number
    FROM operation
    WHERE NOT of_messages
    GROUP BY run_id, group_key, rank
  )
  GROUP BY run_id, group_key
),
mismatch AS (
  SELECT *
  FROM (
    SELECT
      run_id, group_key, is_p2p, sequence_number, problem, expected, expected_line, python_line,
      list_sort(list(rank) OVER same) AS ranks,
      row_number() OVER (
        PARTITION BY run_id, group_key, is_p2p
        ORDER BY
          sequence_number,
          list_position(['missing', 'order', 'operation', 'size', 'type', 'state'], problem),
          rank
      ) AS place
    FROM recorded_mismatch()
    WHERE is_first
    WINDOW same AS (PARTITION BY run_id, group_key, is_p2p, sequence_number, problem)
  )
  WHERE place = 1
),
-- The first operation that has not ended.
pending AS (
  SELECT
    run_id, group_key, of_messages AS is_p2p,
    min(sequence_number) AS sequence_number,
    arg_min(concat_ws(' ', kind, state), (sequence_number, rank)) AS shown,
    arg_min(python_line, (sequence_number, rank)) AS python_line
  FROM operation
  WHERE NOT is_done
  GROUP BY run_id, group_key, of_messages
),
stuck AS (
  SELECT
    g.*,
    coalesce(m.problem, CASE WHEN p.run_id IS NOT NULL THEN 'not completed' END) AS problem,
    CASE WHEN m.problem IS NULL THEN p.sequence_number ELSE m.sequence_number END AS sequence_number,
    coalesce(m.expected, p.shown) AS expected,
    coalesce(m.expected_line, CASE WHEN m.problem IS NULL THEN p.python_line END) AS expected_line,
    m.python_line,
    list_distinct(coalesce(m.ranks, [])) AS ranks,
    list_filter(g.member_ranks, lambda r: NOT list_contains(coalesce(u.ranks, []), r)) AS ranks_without_dump
  FROM process_groups AS g
  LEFT JOIN mismatch AS m
    ON m.run_id = g.run_id AND m.group_key = g.group_key AND m.is_p2p = g.is_p2p
  LEFT JOIN pending AS p
    ON p.run_id = g.run_id AND p.group_key = g.group_key AND p.is_p2p = g.is_p2p
  LEFT JOIN dump AS u ON u.run_id = g.run_id
),
waiting AS (
  SELECT s.run_id, s.group_key, s.is_p2p, list_sort(list(DISTINCT o.rank)) AS ranks
  FROM stuck AS s
  JOIN operation AS o
    ON o.run_id = s.run_id AND o.group_key = s.group_key AND o.of_messages = s.is_p2p
    AND NOT o.is_done AND (s.is_p2p OR o.sequence_number = s.sequence_number)
    AND NOT list_contains(s.ranks, o.rank)
  GROUP BY s.run_id, s.group_key, s.is_p2p
),
shortened AS (
  SELECT
    *,
    concat_ws(
      ' ', regexp_extract(expected, CASE WHEN is_p2p THEN '^(send|recv)( for (send|recv))?' ELSE '^[^ ]+' END),
      CASE WHEN NOT is_p2p THEN 'number ' || sequence_number END
    ) AS short_expected,
    regexp_replace(expected_line, '^.*/', '') AS short_expected_line,
    regexp_replace(python_line, '^.*/', '') AS short_line
  FROM stuck
)
SELECT
  s.run_id,
  s.group_description,
  concat(
    CASE
      WHEN s.problem IS NULL AND len(s.ranks_without_dump) > 0 THEN 'nothing is wrong in the dumps'
      WHEN s.problem IS NULL THEN 'all operations in the dumps have ended'
      WHEN s.problem = 'not completed' THEN concat(
        CASE WHEN s.is_p2p THEN 'both sides' ELSE 'all ranks' END, ' have called ', s.short_expected,
        ', which has not ended on ',
        CASE WHEN len(w.ranks) = 1 THEN 'rank ' ELSE 'ranks ' END,
        array_to_string(w.ranks[:8], ', '),
        CASE WHEN len(w.ranks) > 8 THEN concat(' and ', len(w.ranks) - 8, ' others') ELSE '' END,
        ', called at ' || s.short_expected_line
      )
      ELSE concat(
        CASE WHEN len(s.ranks) = 1 THEN 'rank ' ELSE 'ranks ' END,
        array_to_string(s.ranks[:8], ', '),
        CASE WHEN len(s.ranks) > 8 THEN concat(' and ', len(s.ranks) - 8, ' others') ELSE '' END,
        CASE s.problem
          WHEN 'missing' THEN CASE WHEN len(s.ranks) = 1 THEN ' has not called ' ELSE ' have not called ' END
          WHEN 'order' THEN ' called operations in another order than '
          WHEN 'state' THEN ' reached another state than '
          ELSE concat(' called another ', s.problem, ' than ')
        END,
        s.short_expected,
        ', called at ' || s.short_expected_line,
        CASE WHEN s.problem = 'missing' THEN '; last at ' ELSE '; called at ' END || s.short_line
      )
    END,
    CASE
      WHEN len(s.ranks_without_dump) = 0 THEN ''
      ELSE concat(
        '; ', len(s.ranks_without_dump),
        CASE WHEN len(s.ranks_without_dump) = 1 THEN ' rank has no dump: ' ELSE ' ranks have no dump: ' END,
        array_to_string(s.ranks_without_dump[:8], ', '),
        CASE WHEN len(s.ranks_without_dump) > 8 THEN ', ...' ELSE '' END
      )
    END
  ) AS verdict,
  s.problem,
  s.ranks,
  coalesce(w.ranks, []) AS waiting_ranks,
  s.ranks_without_dump,
  s.sequence_number,
  -- A rank that has called none has no row there.
  CASE WHEN NOT s.is_p2p AND c.n >= len(s.member_ranks) - len(s.ranks_without_dump) THEN c.last_number END
    AS last_common_number,
  len(s.member_ranks) AS n_members,
  s.expected,
  s.expected_line,
  s.python_line,
  s.group_name,
  s.is_p2p,
  s.group_key
FROM shortened AS s
LEFT JOIN common AS c ON c.run_id = s.run_id AND c.group_key = s.group_key
LEFT JOIN waiting AS w
  ON w.run_id = s.run_id AND w.group_key = s.group_key AND w.is_p2p = s.is_p2p
ORDER BY s.run_id, s.group_key, s.is_p2p
