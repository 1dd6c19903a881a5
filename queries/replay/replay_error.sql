/* ---
name = "replay_error"
version = 1
title = "How far the replays of predicted runs were from what was measured"
help = """
Of the replay without changes, when the prediction was stored, for the slowest rank. Predicted changes that
are smaller are not significant; a prediction without changes differs from the measured run by as much.
"""
grain = ["run_id"]
requires = { schema = ">=18" }
scale = "run"
needs = "a prediction: `tw replay --as NAME` stores one"
columns = ["run_id", "engine", "measured_ns", "replayed_ns", "error_ns", "replay_error"]

[column]
run_id.help = "Predicted run"
engine.help = "Simulation"
measured_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Measured time" }
replayed_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time of the replay without changes" }
error_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "replayed_ns - measured_ns" }
replay_error = { type = "DOUBLE", unit = "ratio", nullable = true, help = "replayed_ns / measured_ns - 1" }

[changes]
1 = "first version"
--- */
SELECT
  run_id,
  engine,
  measured_ns,
  replayed_ns,
  replayed_ns - measured_ns AS error_ns,
  replayed_ns / nullif(measured_ns, 0) - 1 AS replay_error
FROM prediction
ORDER BY run_id
