/* ---
name = "tf_session"
version = 2
title = "Sessions of TensorFlow"
help = """
A session is a run of the graph (Session.run, a step). Sessions are numbered from 1 in the order of
their ends; operators and device work count for the session in which they end. A time window contains the
sessions that run in it, and of operators and device work those that run in it.
"""
grain = ["step_id"]
requires = { schema = ">=1", queries = ["tf_session_of@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "step_id", "session", "start_ns", "dur_ns", "n_ops", "op_ns",
  "n_device_ops", "device_ns",
]

[column]
step_id = { nullable = false, help = "Slice of the session" }
session = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of the session, from 1" }
start_ns.help = "Start of the session"
dur_ns.help = "Duration of the session"
n_ops = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of operators that end in it" }
op_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Sum of their durations" }
n_device_ops.help = "Number of kernels, copies and memsets that end in it"
device_ns.help = "Sum of their durations"

[changes]
2 = "a time window excludes sessions that end where it begins"
1 = "first version"
--- */
WITH numbered AS (
  SELECT
    s.slice_id, s.trace_id, s.ts, s.dur,
    row_number() OVER (PARTITION BY s.trace_id ORDER BY s.ts + s.dur, s.slice_id) AS session
  FROM whole_step AS s
  WHERE s.dur >= 0
),
host AS (
  SELECT o.trace_id, i.session, count(*) AS n_ops, sum(o.dur)::BIGINT AS op_ns
  FROM cpu_op AS o
  JOIN tf_session_of() AS i ON i.slice_id = o.slice_id
  GROUP BY o.trace_id, i.session
),
device AS (
  SELECT g.trace_id, i.session, count(*) AS n_device_ops, sum(g.dur)::BIGINT AS device_ns
  FROM gpu_op AS g
  JOIN tf_session_of() AS i ON i.slice_id = g.slice_id
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, i.session
)
SELECT
  t.run_id,
  n.trace_id,
  t.rank,
  n.slice_id AS step_id,
  n.session,
  n.ts AS start_ns,
  n.dur AS dur_ns,
  coalesce(h.n_ops, 0) AS n_ops,
  coalesce(h.op_ns, 0) AS op_ns,
  coalesce(d.n_device_ops, 0) AS n_device_ops,
  coalesce(d.device_ns, 0) AS device_ns
FROM numbered AS n
JOIN trace AS t ON t.id = n.trace_id
CROSS JOIN time_window AS w
LEFT JOIN host AS h ON h.trace_id = n.trace_id AND h.session = n.session
LEFT JOIN device AS d ON d.trace_id = n.trace_id AND d.session = n.session
WHERE n.ts < w.to_ns AND (n.ts >= w.from_ns OR n.ts + n.dur > w.from_ns)
ORDER BY n.trace_id, n.session
