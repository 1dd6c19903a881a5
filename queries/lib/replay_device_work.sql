/* ---
name = "replay_device_work"
version = 1
title = "Class and stream of device work that a replay simulates"
help = """
What-ifs select nodes of replay_node by it.
"""
grain = ["slice_id"]
requires = { schema = ">=17" }
scale = "trace"
columns = ["trace_id", "slice_id", "class", "stream"]

[column]
slice_id.help = "Slice of the work"
class = { type = "VARCHAR", unit = "text", nullable = true, help = "compute, communication or memory" }
stream = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the stream" }

[changes]
1 = "first version"
--- */
SELECT trace_id, slice_id, class, stream
FROM whole_gpu_op
ORDER BY slice_id
