/* ---
name = "replay_constant"
version = 1
title = "Latency of launches and gap between work, by device, as replays assume them"
help = """
The latency is the median time from the start of a call to that of its work, of work whose stream had
nothing to do when the call began. The gap is the median time between work that was called early
enough and the work before it on its stream; a gap longer than the latency is a wait for something
else. Work that waits for events of other streams does not count. The spread is the range between the quartiles.
"""
grain = ["trace_id", "device_id"]
requires = { schema = ">=17", queries = ["replay_work@1"] }
scale = "run"
computed_once = true
columns = [
  "run_id", "trace_id", "device_id", "launch_ns", "n_launches", "launch_spread_ns", "gap_ns", "n_gaps",
  "gap_spread_ns",
]

[column]
device_id.help = "Device; NULL: threads of communication libraries"
launch_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time from the start of a call to that of its work" }
n_launches = { type = "BIGINT", unit = "count", check = ">= 0", help = "Work that it is the median of; 0: unknown, taken as 0" }
launch_spread_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Range between its quartiles" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time between work that waits and the work before it; of a device without such work the median of the others" }
n_gaps = { type = "BIGINT", unit = "count", check = ">= 0", help = "Work that it is the median of; 0: unknown" }
gap_spread_ns = { type = "DOUBLE", unit = "ns", nullable = true, check = ">= 0", help = "Range between its quartiles" }

[changes]
1 = "first version"
--- */
WITH event_wait AS (
  SELECT c.to_id AS slice_id, max(a.ts + a.dur) AS waited_ns
  FROM whole_link AS c
  JOIN whole_gpu_op AS a ON a.slice_id = c.from_id
  WHERE c.kind = 'event_wait' AND c.link_set = 'default'
  GROUP BY c.to_id
),
work AS (
  SELECT
    w.run_id, w.trace_id, w.device_id, w.start_ns, w.call_ns, w.before_end_ns,
    w.start_ns - w.call_ns AS latency_ns,
    w.start_ns - w.before_end_ns AS gap_ns
  FROM replay_work() AS w
  LEFT JOIN event_wait AS e ON e.slice_id = w.slice_id
  WHERE w.device_id IS NOT NULL AND (
    e.waited_ns IS NULL
    OR e.waited_ns <= greatest(coalesce(w.call_ns, e.waited_ns), coalesce(w.before_end_ns, e.waited_ns))
  )
),
latency AS (
  SELECT
    run_id,
    trace_id,
    device_id,
    coalesce(median(latency_ns) FILTER (WHERE is_idle), 0)::DOUBLE AS launch_ns,
    count(*) FILTER (WHERE is_idle) AS n_launches,
    quantile_cont(latency_ns, 0.75) FILTER (WHERE is_idle)
      - quantile_cont(latency_ns, 0.25) FILTER (WHERE is_idle) AS launch_spread_ns
  FROM (
    SELECT *, call_ns IS NOT NULL AND (before_end_ns IS NULL OR before_end_ns <= call_ns) AS is_idle
    FROM work
  )
  GROUP BY run_id, trace_id, device_id
),
gap AS (
  SELECT
    w.trace_id,
    w.device_id,
    median(w.gap_ns)::DOUBLE AS gap_ns,
    count(*) AS n_gaps,
    quantile_cont(w.gap_ns, 0.75) - quantile_cont(w.gap_ns, 0.25) AS gap_spread_ns
  FROM work AS w
  JOIN latency AS l ON l.trace_id = w.trace_id AND l.device_id = w.device_id
  WHERE w.call_ns + l.launch_ns <= w.before_end_ns
    AND (w.gap_ns <= l.launch_ns OR l.n_launches = 0)
  GROUP BY w.trace_id, w.device_id
)
SELECT
  l.run_id,
  l.trace_id,
  l.device_id,
  l.launch_ns,
  l.n_launches,
  l.launch_spread_ns::DOUBLE AS launch_spread_ns,
  coalesce(g.gap_ns, median(g.gap_ns) OVER (PARTITION BY l.trace_id), 0) AS gap_ns,
  coalesce(g.n_gaps, 0) AS n_gaps,
  g.gap_spread_ns::DOUBLE AS gap_spread_ns
FROM latency AS l
LEFT JOIN gap AS g ON g.trace_id = l.trace_id AND g.device_id = l.device_id
ORDER BY l.trace_id, l.device_id
