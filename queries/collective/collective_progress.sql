/* ---
name = "collective_progress"
version = 2
title = "How far each rank has come in each process group"
help = """
From dumps of flight recorders. Collectives of a group have the same number on all ranks: the ranks
that are behind have not called what the others wait for. A rank of a group without a dump has a row
without numbers; of several dumps of a rank the one with the latest call counts. The line is that of
the first collective that has not ended, or of the last call.
Compares the ranks in scope; a time window hides none.
"""
grain = ["run_id", "group_key", "rank"]
requires = { schema = ">=27", queries = ["recorded_group@1", "recorded_operation@1"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "group_key", "group_name", "group_description", "has_dump",
  "n_operations", "first_number", "last_number", "n_behind", "last_completed_number",
  "n_unfinished", "kind", "state", "python_line", "waiting_ns",
]

[column]
trace_id = { nullable = true, help = "Trace of the rank; NULL: no dump" }
rank = { nullable = false, help = "Rank of the group" }
group_name.help = "Process group"
has_dump = { type = "BOOLEAN", unit = "bool", help = "Whether the rank has a dump" }
n_operations = { type = "BIGINT", unit = "count", check = ">= 0", help = "Collectives in the dump" }
first_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the first collective in the dump" }
last_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the last collective that was called" }
n_behind = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Collectives that another rank has called and this one has not" }
last_completed_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the last collective that has ended" }
n_unfinished = { type = "BIGINT", unit = "count", check = ">= 0", help = "Collectives that were called and have not ended" }
kind = { type = "VARCHAR", unit = "text", nullable = true, help = "The first collective that has not ended, or the last" }
state = { type = "VARCHAR", unit = "text", nullable = true, help = "Its state: scheduled, started or completed" }
python_line.help = "Line that called it: file(line): function"
waiting_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Time from its call to the last record of the rank, if it has not ended" }

[changes]
2 = "one row for a rank with several dumps"
1 = "first version"
--- */
WITH operation AS MATERIALIZED (
  FROM recorded_operation() WHERE rank IS NOT NULL AND NOT is_p2p
),
last_call AS (
  SELECT trace_id, max(called_ns) AS last_ns FROM recorded_operation() GROUP BY trace_id
),
of_rank AS (
  SELECT
    o.run_id, o.group_key, o.rank, o.trace_id,
    count(*) AS n_operations,
    min(o.sequence_number) AS first_number,
    max(o.sequence_number) AS last_number,
    max(o.sequence_number) FILTER (o.is_done) AS last_completed_number,
    count(*) FILTER (NOT o.is_done) AS n_unfinished,
    arg_min(
      {'kind': o.kind, 'state': o.state, 'line': o.python_line, 'called_ns': o.called_ns},
      (o.is_done, CASE WHEN o.is_done THEN -o.record_id ELSE o.record_id END)
    ) AS at
  FROM operation AS o
  GROUP BY o.run_id, o.group_key, o.rank, o.trace_id
  QUALIFY row_number() OVER (
    PARTITION BY o.run_id, o.group_key, o.rank ORDER BY max(o.called_ns) DESC, count(*) DESC, o.trace_id
  ) = 1
),
member AS (
  SELECT g.run_id, g.group_key, g.group_name, g.group_description, unnest(g.member_ranks) AS rank
  FROM recorded_group() AS g
  SEMI JOIN operation AS o ON o.run_id = g.run_id AND o.group_key = g.group_key
),
dump AS (
  SELECT run_id, rank, min(id) AS trace_id FROM trace WHERE rank IS NOT NULL GROUP BY run_id, rank
)
SELECT
  m.run_id,
  coalesce(r.trace_id, d.trace_id) AS trace_id,
  m.rank,
  m.group_key,
  m.group_name,
  m.group_description,
  d.trace_id IS NOT NULL AS has_dump,
  coalesce(r.n_operations, 0) AS n_operations,
  r.first_number,
  r.last_number,
  CASE WHEN d.trace_id IS NOT NULL THEN
    max(r.last_number) OVER (PARTITION BY m.run_id, m.group_key)
      - coalesce(r.last_number, min(r.first_number) OVER (PARTITION BY m.run_id, m.group_key) - 1)
  END AS n_behind,
  r.last_completed_number,
  coalesce(r.n_unfinished, 0) AS n_unfinished,
  r.at.kind AS kind,
  r.at.state AS state,
  r.at.line AS python_line,
  CASE WHEN r.n_unfinished > 0 THEN greatest(l.last_ns - r.at.called_ns, 0) END AS waiting_ns
FROM member AS m
LEFT JOIN dump AS d ON d.run_id = m.run_id AND d.rank = m.rank
LEFT JOIN of_rank AS r ON r.run_id = m.run_id AND r.group_key = m.group_key AND r.rank = m.rank
LEFT JOIN last_call AS l ON l.trace_id = r.trace_id
ORDER BY m.run_id, m.group_key, m.rank
