/* ---
name = "predicted_path"
version = 1
title = "Critical paths of predictions, and of the measured runs they were made from"
help = """
What determined the end of a replay, stored by `tw replay --as`: on a predicted run the path with the
changes, on the measured run that of the replay without changes, at the measured times. Predicted runs
must be in scope; of a measured run with several, the path is that of the first prediction.
"""
grain = ["run_id", "place"]
requires = { schema = ">=23" }
needs = "a prediction in scope: `tw replay --as NAME` stores one, and --run NAME chooses it"
columns = ["run_id", "trace_id", "place", "track_id", "slice_id", "start_ns", "dur_ns", "kind", "name"]

[column]
place = { type = "BIGINT", unit = "count", check = ">= 0", help = "Place on the path, over all ranks" }
track_id.help = "Track"
slice_id = { nullable = true, help = "Slice; of a piece of a thread the call that it begins with" }
start_ns.help = "Start, in the time of the trace"
kind.help = "As in replay_node"

[changes]
1 = "first version"
--- */
SELECT t.run_id, p.trace_id, p.place, p.track_id, p.slice_id, p.ts AS start_ns, p.dur AS dur_ns, p.kind, p.name
FROM prediction_path AS p
JOIN trace AS t ON t.id = p.trace_id
WHERE p.predicted_run_id IN (SELECT run_id FROM trace)
QUALIFY p.predicted_run_id = min(p.predicted_run_id) OVER (PARTITION BY t.run_id)
ORDER BY t.run_id, p.place
