/* ---
name = "dpro_category"
version = 1
title = "Time of a dPRO trial by category, with the longest operator of each"
help = """
The categories of dPRO: operators by phase, communication by stage, operations of servers. Sums are
over all ranks, links and steps; the longest is that of the greatest mean duration.
"""
grain = ["run_id", "category"]
requires = { schema = ">=17", queries = ["dpro_statistic@1"] }
scale = "run"
needs = "a dPRO trial"
columns = [
  "run_id", "category", "total_ns", "n_events", "n_names", "mean_ns", "longest_ns", "longest_name",
]

[column]
category = { nullable = false, help = "operator.FW, Comm.SEND, ServerOp, ... as in dPRO" }
total_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Sum of durations" }
n_events = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of events" }
n_names = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of names in all ranks" }
mean_ns = { help = "Mean duration of an event" }
longest_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean duration of the longest name" }
longest_name = { type = "VARCHAR", unit = "text", help = "Its rank and name, as host0.rank0->BW.name" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  category,
  sum(mean_ns * n_events) AS total_ns,
  sum(n_events)::BIGINT AS n_events,
  count(*) AS n_names,
  sum(mean_ns * n_events) / sum(n_events) AS mean_ns,
  max(mean_ns) AS longest_ns,
  arg_min(process || '->' || name, (-mean_ns, process, name)) AS longest_name
FROM dpro_statistic()
GROUP BY run_id, category
ORDER BY run_id, total_ns DESC, category
