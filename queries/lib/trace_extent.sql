/* ---
name = "trace_extent"
version = 1
title = "Extent of each trace without what its profiler records of itself"
help = """
From the first start to the last end of the slices in scope, which a time window does not cut. The profiler of
PyTorch records the time in which it was on as a slice of category Trace, and its own start and end as instants
without a category: neither counts. A trace with nothing else has no row.
"""
grain = ["trace_id"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "start_ns", "end_ns"]

[column]
start_ns.help = "First start, on the time axis of slice.ts"
end_ns.help = "Last end; slices that did not end count with their start"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  min(s.ts) AS start_ns,
  max(s.ts + greatest(s.dur, 0)) AS end_ns
FROM slice AS s
JOIN trace AS t ON t.id = s.trace_id
WHERE t.format <> 'kineto' OR coalesce(s.category, 'Trace') <> 'Trace'
GROUP BY t.run_id, s.trace_id, t.rank
ORDER BY s.trace_id
