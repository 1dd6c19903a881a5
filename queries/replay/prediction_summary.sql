/* ---
name = "prediction_summary"
version = 1
title = "Predicted runs: what was changed, and measured, replayed and predicted time"
help = """
Times are those of the slowest rank when the prediction was stored: the mean of all steps of a dPRO trial,
of other formats the whole trace. Changes smaller than replay_error are not significant.
"""
grain = ["run_id"]
requires = { schema = ">=18" }
scale = "run"
needs = "a prediction: `tw replay --as NAME` stores one"
columns = [
  "run_id", "run", "measured_run", "what_ifs", "engine", "measured_ns", "replayed_ns",
  "predicted_ns", "change", "replay_error", "created_at",
]

[column]
run_id = { type = "BIGINT", unit = "id", help = "Predicted run" }
measured_run = { type = "VARCHAR", unit = "text", nullable = true, help = "Run that was replayed" }
what_ifs = { type = "VARCHAR", unit = "text", help = "Changes in their order; empty: none" }
engine.help = "Simulation"
measured_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Measured time" }
replayed_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time of the replay without changes" }
predicted_ns = { type = "DOUBLE", unit = "ns", nullable = true, help = "Time of the replay with the changes" }
change = { type = "DOUBLE", unit = "ratio", nullable = true, help = "predicted_ns / replayed_ns - 1" }
replay_error = { type = "DOUBLE", unit = "ratio", nullable = true, help = "replayed_ns / measured_ns - 1" }
created_at = { type = "TIMESTAMP", unit = "UTC", help = "When it was stored" }

[changes]
1 = "first version"
--- */
SELECT
  p.run_id,
  r.name AS run,
  f.measured_run,
  array_to_string(from_json(p.what_ifs_json, '["VARCHAR"]'), ' + ') AS what_ifs,
  p.engine,
  p.measured_ns,
  p.replayed_ns,
  p.predicted_ns,
  p.predicted_ns / nullif(p.replayed_ns, 0) - 1 AS change,
  p.replayed_ns / nullif(p.measured_ns, 0) - 1 AS replay_error,
  p.created_at
FROM prediction AS p
JOIN run AS r ON r.id = p.run_id
LEFT JOIN (
  SELECT
    t.run_id,
    min(regexp_extract(f.path, '^prediction of (.*)/' || replace(t.name, '/', '.') || '$', 1)) AS measured_run
  FROM source_file AS f
  JOIN trace AS t ON t.id = f.trace_id
  WHERE f.role = 'prediction'
  GROUP BY t.run_id
) AS f ON f.run_id = p.run_id
ORDER BY p.run_id
