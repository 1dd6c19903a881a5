/* ---
name = "step_launches"
version = 1
title = "Number of calls that launched the work of each step on each device"
help = """
A graph launch is one call, however many operations it causes. Steps without work that has a known
call have no row. A time window contains the steps that run in it on the host, with all their work,
whenever that runs.
"""
grain = ["device_id", "step_id"]
requires = { schema = ">=1", queries = ["whole_device_op@1"] }
scale = "trace"
computed_once = "reports"
columns = ["device_id", "step_id", "n_launches"]

[column]
step_id.help = "Step, by links of kind step"

[column.n_launches]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of calls that launched operations of the step"

[changes]
1 = "first version"
--- */
SELECT
  d.device_id,
  k.from_id AS step_id,
  count(DISTINCT c.from_id) AS n_launches
FROM whole_device_op() AS d
JOIN whole_link AS k ON k.to_id = d.slice_id AND k.kind = 'step' AND k.link_set = 'default'
SEMI JOIN step AS s ON s.slice_id = k.from_id
JOIN whole_link AS c ON c.to_id = d.slice_id AND c.kind = 'launch' AND c.link_set = 'default'
GROUP BY d.device_id, k.from_id
