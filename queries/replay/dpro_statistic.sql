/* ---
name = "dpro_statistic"
version = 1
title = "Durations of the operators, stages and messages of a dPRO trial, by name"
help = """
What dPRO prints with `--option statistic`: over all steps. The deviation is that of the population, and the
median of an even number the upper of the middle two, as in dPRO.
"""
grain = ["run_id", "process", "name"]
requires = { schema = ">=17", queries = ["dpro_event@1", "dpro_message@1"] }
scale = "run"
needs = "a dPRO trial"
columns = [
  "run_id", "process", "name", "category", "n_events", "min_ns", "max_ns", "mean_ns", "deviation_ns",
  "median_ns",
]

[column]
process = { type = "VARCHAR", unit = "text", help = "Rank, link or thread of a server in dPRO, such as host0.rank1" }
name.nullable = false
category = { nullable = false, help = "operator.FW, Comm.SEND, ServerOp, ... as in dPRO" }
n_events = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of events" }
min_ns = { type = "DOUBLE", unit = "ns" }
max_ns = { type = "DOUBLE", unit = "ns" }
median_ns = { help = "Median duration; of an even number the upper of the middle two" }
deviation_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Standard deviation" }

[changes]
1 = "first version"
--- */
WITH recorded AS (
  SELECT run_id, process, name, phase, stage, dur_ns::DOUBLE AS dur_ns
  FROM dpro_event()
  UNION ALL
  SELECT run_id, process, name, 'Comm', stage, dur_ns
  FROM dpro_message()
)
SELECT
  run_id,
  process,
  name,
  CASE
    WHEN any_value(stage) IN ('COPY_FIRST', 'SUM', 'COPY_MERGED') THEN 'ServerOp'
    WHEN any_value(stage) IN ('SEND', 'RECV', 'PUSH_REQ', 'PUSH_RES', 'PULL_REQ', 'PULL_RES')
      THEN 'Comm.' || any_value(stage)
    WHEN any_value(phase) = 'Comm' THEN 'Comm.other'
    WHEN any_value(phase) LIKE 'I/O%' THEN 'I/O'
    ELSE 'operator.' || rtrim(any_value(phase), '_')
  END AS category,
  count(*) AS n_events,
  min(dur_ns) AS min_ns,
  max(dur_ns) AS max_ns,
  sum(dur_ns) / count(*) AS mean_ns,
  stddev_pop(dur_ns) AS deviation_ns,
  list_sort(list(dur_ns))[count(*) // 2 + 1] AS median_ns
FROM recorded
GROUP BY run_id, process, name
ORDER BY run_id, process, name
