/* ---
name = "thread_utilization"
version = 1
title = "Busy share per host thread"
help = """
The part of the time from the first to the last host operation of the trace, on any thread, in which
the thread is inside an operator, a runtime or driver call, or a host-side collective. Nested
operations count once; negative durations and unfinished operations count as empty. A thread that
waits inside an operator counts as busy. A thread without any of these has no row. In a time window
the figures are those of the part of that time inside the window.
"""
grain = ["trace_id", "track_id"]
requires = { schema = ">=1", queries = ["reaching_op@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "track_id", "thread", "n_ops", "start_ns", "end_ns", "span_ns",
  "busy_ns", "utilization",
]

[column]
track_id.help = "Thread track"
thread = { type = "VARCHAR", unit = "text", nullable = true, help = "Track name" }
n_ops.help = "Number of operators, calls and collectives, including nested ones"
start_ns.help = "Start of the thread's first operation, on the time axis of slice.ts"
end_ns.help = "End of the thread's last operation"
span_ns.help = "Time from the start of the trace's first host operation to the end of its last"
busy_ns.help = "Time in which the thread is inside an operation"

[changes]
1 = "first version"
--- */
-- Most host collectives are operators already; those of libraries without kernels are annotations.
WITH op AS (
  SELECT trace_id, track_id, ts, greatest(dur, 0) AS dur
  FROM cpu_op
  UNION ALL
  SELECT trace_id, track_id, ts, greatest(dur, 0) AS dur
  FROM launch
  UNION ALL
  SELECT c.trace_id, c.track_id, c.ts, greatest(c.dur, 0) AS dur
  FROM collective AS c
  SEMI JOIN annotation AS a ON a.slice_id = c.slice_id
  WHERE c.side = 'host'
),
clipped AS (
  SELECT
    o.trace_id,
    o.track_id,
    greatest(o.ts, w.from_ns) AS ts,
    least(greatest(o.ts + o.dur, w.from_ns), w.to_ns) AS end_ns
  FROM op AS o
  CROSS JOIN time_window AS w
),
-- Operators nested in others add nothing, and most are.
reaching AS (
  SELECT track_id, ts, ts + dur AS end_ns
  FROM reaching_op()
  UNION ALL
  SELECT track_id, ts, ts + dur
  FROM launch
  WHERE dur > 0
  UNION ALL
  SELECT c.track_id, c.ts, c.ts + c.dur
  FROM collective AS c
  SEMI JOIN annotation AS a ON a.slice_id = c.slice_id
  WHERE c.side = 'host' AND c.dur > 0
),
-- Each operation adds the part beyond all operations before it. (The order of operations that start
-- together does not change the sum.)
gain AS (
  SELECT
    r.track_id,
    greatest(
      least(r.end_ns, w.to_ns) - greatest(
        r.ts,
        w.from_ns,
        max(r.end_ns) OVER (
          PARTITION BY r.track_id
          ORDER BY r.ts
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
      ),
      0
    ) AS gain_ns
  FROM reaching AS r
  CROSS JOIN time_window AS w
),
busy AS (
  SELECT track_id, sum(gain_ns)::BIGINT AS busy_ns
  FROM gain
  GROUP BY track_id
),
by_thread AS (
  SELECT
    c.trace_id,
    c.track_id,
    count(*) AS n_ops,
    min(c.ts) AS start_ns,
    max(c.end_ns) AS end_ns
  FROM clipped AS c
  GROUP BY c.trace_id, c.track_id
),
extent AS (
  SELECT trace_id, min(ts) AS start_ns, max(ts + greatest(dur, 0)) AS end_ns
  FROM (
    SELECT trace_id, ts, dur FROM whole_cpu_op
    UNION ALL
    SELECT trace_id, ts, dur FROM whole_launch
    UNION ALL
    SELECT c.trace_id, c.ts, c.dur
    FROM whole_collective AS c
    SEMI JOIN whole_annotation AS a ON a.slice_id = c.slice_id
    WHERE c.side = 'host'
  )
  GROUP BY trace_id
),
spanned AS (
  SELECT
    b.*,
    coalesce(u.busy_ns, 0) AS busy_ns,
    least(e.end_ns, w.to_ns) - greatest(e.start_ns, w.from_ns) AS span_ns
  FROM by_thread AS b
  LEFT JOIN busy AS u ON u.track_id = b.track_id
  JOIN extent AS e ON e.trace_id = b.trace_id
  CROSS JOIN time_window AS w
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.track_id,
  k.name AS thread,
  a.n_ops,
  a.start_ns,
  a.end_ns,
  a.span_ns,
  a.busy_ns,
  a.busy_ns / nullif(a.span_ns, 0) AS utilization
FROM spanned AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN track AS k ON k.id = a.track_id
ORDER BY t.run_id, t.rank, a.trace_id, a.track_id
