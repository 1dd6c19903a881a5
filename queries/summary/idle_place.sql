/* ---
name = "idle_place"
version = 2
title = "Idle time of devices by the operator, module and Python line the host was in"
help = """
Idle time of each device before the calls that ended it began (before_launch_ns of idle_gap with per_device), by
the outermost operator that the calling thread was in meanwhile. Its module and Python function are those it
was called from. Outside of operators, it is the innermost Python function around all of that time between two
operators. In a time window, sums are of the parts inside it.
"""
grain = ["trace_id", "device_id", "cpu_op", "module", "python"]
requires = { schema = ">=13", queries = ["idle_host@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "cpu_op", "module", "python", "n_gaps", "idle_ns",
  "idle_share",
]

[column]
cpu_op.help = "Outermost operator of the thread; NULL: none"
module = { type = "VARCHAR", unit = "text", nullable = true, help = "Module that called the operator; NULL: not recorded" }
python = { type = "VARCHAR", unit = "text", nullable = true, help = "Python function, with file and line, that called the operator, or around the time outside of operators; NULL: not recorded" }
n_gaps = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of gaps with such time" }
idle_ns = { check = "> 0", help = "Idle time while the thread was there" }
idle_share = { nullable = false, help = "Share of the idle time of the device before calls" }

[changes]
2 = "Python functions outside of operators"
1 = "first version"
--- */
WITH summed AS (
  SELECT
    trace_id, device_id, name AS cpu_op, module, python,
    count(DISTINCT gap_start_ns) AS n_gaps,
    sum(inside_ns)::BIGINT AS idle_ns
  FROM idle_host(true, 5000, false)
  WHERE inside_ns > 0
  GROUP BY trace_id, device_id, name, module, python
)
SELECT
  t.run_id,
  s.trace_id,
  t.rank,
  s.device_id,
  d.ordinal AS device,
  s.cpu_op,
  s.module,
  s.python,
  s.n_gaps,
  s.idle_ns,
  s.idle_ns / sum(s.idle_ns) OVER (PARTITION BY s.trace_id, s.device_id) AS idle_share
FROM summed AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN device AS d ON d.id = s.device_id
ORDER BY
  t.run_id, t.rank, s.trace_id, d.ordinal, s.device_id, s.idle_ns DESC, s.cpu_op, s.module, s.python
