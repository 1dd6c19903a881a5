/* ---
name = "kernel_launch"
version = 2
title = "Kernels with their launching calls and launch delays"
help = """
From links of kind launch. A kernel that starts before its call returns was not queued. Graphs
recorded as a whole are not kernels.
"""
grain = ["slice_id"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "slice_id", "trace_id", "pid", "tid", "track_id", "device", "call", "call_start_ns", "call_ns",
  "queue_start_ns", "queue_ns", "kernel_start_ns", "kernel_ns", "whole_ns", "grid_x", "grid_y",
  "grid_z", "block_x", "block_y", "block_z", "kernel",
]

[column]
track_id.help = "Track of the calling thread"

[changes]
2 = "new column track_id"
1 = "first version"
--- */
SELECT
  g.slice_id,
  g.trace_id,
  p.pid,
  h.tid,
  l.track_id,
  d.ordinal AS device,
  l.name AS call,
  l.ts AS call_start_ns,
  greatest(l.dur, 0) AS call_ns,
  CASE WHEN g.ts >= l.ts + greatest(l.dur, 0) THEN l.ts + greatest(l.dur, 0) END AS queue_start_ns,
  CASE WHEN g.ts >= l.ts + greatest(l.dur, 0) THEN g.ts - l.ts - greatest(l.dur, 0) END AS queue_ns,
  g.ts AS kernel_start_ns,
  greatest(g.dur, 0) AS kernel_ns,
  greatest(l.ts + greatest(l.dur, 0), g.ts + greatest(g.dur, 0)) - l.ts AS whole_ns,
  g.grid_x,
  g.grid_y,
  g.grid_z,
  g.block_x,
  g.block_y,
  g.block_z,
  g.name AS kernel
FROM gpu_op AS g
JOIN whole_link AS k ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
JOIN whole_launch AS l ON l.slice_id = k.from_id
LEFT JOIN device AS d ON d.id = g.device_id
LEFT JOIN track AS r ON r.id = l.track_id
LEFT JOIN thread AS h ON h.id = r.thread_id
LEFT JOIN process AS p ON p.id = h.process_id
WHERE g.kind = 'kernel'
  AND (g.graph_id IS NULL OR g.grid_x IS NOT NULL)
