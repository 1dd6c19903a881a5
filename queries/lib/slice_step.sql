/* ---
name = "slice_step"
version = 1
title = "The step each slice belongs to"
help = """
A slice on the host belongs to the step during which it begins (step_window says whose steps count);
device work to the step it was launched in, as its link says. What belongs to no step has no row.
Neither do waits and annotations on a device.
"""
grain = ["slice_id"]
portable = false
requires = { schema = ">=1", queries = ["step_window@1"] }

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The slice"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "step_id"
type = "BIGINT"
unit = "ref slice.id"
help = "The step's slice; a step belongs to itself"

[[column]]
name = "step"
type = "BIGINT"
unit = "count"
nullable = true
help = "Number of the step, as the source counts"

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
