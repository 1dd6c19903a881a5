/* ---
name = "replay_measured"
version = 1
title = "Measured time of what a replay simulates, by rank"
help = """
Of dPRO trials the mean iteration time of each rank over all steps, from the first operator to the end
of the one that begins last.
"""
grain = ["trace_id", "step"]
requires = { schema = ">=17", queries = ["dpro_iteration@1"] }
portable = false
columns = ["run_id", "trace_id", "rank", "step", "measured_ns"]

[column]
step.help = "Step; NULL: mean of all steps"
measured_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time from the first operator to the end of the last" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  any_value(rank) AS rank,
  NULL::BIGINT AS step,
  avg(dur_ns) AS measured_ns
FROM dpro_iteration()
GROUP BY run_id, trace_id
ORDER BY trace_id
