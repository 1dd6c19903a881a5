/* ---
name = "recorded_group"
version = 1
title = "Process groups of the operations that flight recorders keep, with their ranks"
help = """
Libraries that do not record members (gloo) have those ranks that called an operation of the group, in
the default group all ranks of the run. A time window hides none.
"""
grain = ["run_id", "group_key"]
requires = { schema = ">=27", queries = ["recorded_operation@1"] }
scale = "run"
columns = ["run_id", "group_key", "group_name", "group_description", "member_ranks"]

[column]
group_name.help = "Process group"
member_ranks = { type = "BIGINT[]", unit = "count", help = "Ranks of the group, as far as they are known" }

[changes]
1 = "first version"
--- */
WITH of_run AS (
  SELECT run_id, list_sort(list(DISTINCT rank)) AS ranks
  FROM trace
  WHERE id IN (
    SELECT trace_id FROM process_group_status
    UNION
    SELECT trace_id FROM whole_recorded_collective
  )
  GROUP BY run_id
),
called AS (
  SELECT
    run_id, group_key,
    any_value(group_name) AS group_name,
    any_value(group_description) AS group_description,
    any_value(trace_id) AS trace_id,
    list_sort(list(DISTINCT rank)) AS ranks
  FROM recorded_operation()
  WHERE rank IS NOT NULL
  GROUP BY run_id, group_key
)
SELECT
  c.run_id,
  c.group_key,
  c.group_name,
  c.group_description,
  coalesce(
    any_value(TRY_CAST(g.ranks_json AS BIGINT[])),
    CASE WHEN c.group_description = 'default_pg' THEN any_value(r.ranks) ELSE any_value(c.ranks) END
  ) AS member_ranks
FROM called AS c
JOIN of_run AS r ON r.run_id = c.run_id
LEFT JOIN process_group AS g
  ON g.trace_id = c.trace_id AND g.name = c.group_name AND g.graph_id IS NULL
GROUP BY c.run_id, c.group_key, c.group_name, c.group_description
ORDER BY c.run_id, c.group_key
