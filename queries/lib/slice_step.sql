/* ---
name = "slice_step"
version = 1
title = "Step of each slice"
help = """
A host slice belongs to the step during which it begins (step_window defines whose steps count);
device work belongs to the step it was launched in, by its link. Slices outside steps, and waits and
annotations on a device, have no row.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["step_window@1"] }
portable = false
columns = ["slice_id", "trace_id", "step_id", "step"]

[column]
step_id.help = "Slice of the step; a step belongs to itself"

[changes]
1 = "first version"
--- */
SELECT
  s.id AS slice_id,
  s.trace_id,
  w.step_id,
  w.step
FROM slice AS s
JOIN track AS k ON k.id = s.track_id AND k.device_id IS NULL
ASOF JOIN step_window() AS w
  ON w.trace_id = s.trace_id
  AND coalesce(w.process_id, -1) = coalesce(k.process_id, -1)
  AND s.ts >= w.start_ns
WHERE s.ts < w.end_ns
UNION ALL
SELECT
  l.to_id AS slice_id,
  l.trace_id,
  l.from_id AS step_id,
  p.number AS step
FROM link AS l
JOIN step AS p ON p.slice_id = l.from_id
WHERE l.kind = 'step'
  AND l.link_set = 'default'
