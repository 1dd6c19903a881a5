/* ---
name = "thread_utilization"
version = 1
title = "Busy share of each host thread"
help = """
Of the time from the first to the last host operation of the trace, on whatever thread, the part in
which the thread is inside an operator, a runtime or driver call, or a host-side collective.
Operations inside others count once, and those of negative length or without an end count as empty.
A thread that waits inside an operator counts as busy. A thread without any of these has no row.
"""
grain = ["trace_id", "track_id"]

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "track_id"
type = "BIGINT"
unit = "ref track.id"
help = "The thread's track"

[[column]]
name = "thread"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The track's name"

[[column]]
name = "n_ops"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operators, calls and collectives, also those inside others"

[[column]]
name = "start_ns"
type = "BIGINT"
unit = "ns"
help = "Start of the thread's first operation, on the scale of slice.ts"

[[column]]
name = "end_ns"
type = "BIGINT"
unit = "ns"
help = "End of the thread's last operation"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "From the start of the trace's first host operation to the end of its last"

[[column]]
name = "busy_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "The thread is inside some operation"

[[column]]
name = "utilization"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "busy_ns / span_ns; NULL for an empty span"

[changes]
1 = "first version"
--- */
-- Most collectives of the host are operators already; those of libraries without kernels are
-- annotations.
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
-- Each operation adds what it reaches beyond all before it. (The order of those that start together
-- does not change the sum.)
reach AS (
  SELECT
    trace_id,
    track_id,
    ts,
    ts + dur AS end_ns,
    coalesce(
      max(ts + dur) OVER (
        PARTITION BY trace_id, track_id
        ORDER BY ts
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      ts
    ) AS reached_ns
  FROM op
),
by_thread AS (
  SELECT
    trace_id,
    track_id,
    count(*) AS n_ops,
    min(ts) AS start_ns,
    max(end_ns) AS end_ns,
    sum(greatest(end_ns - greatest(ts, reached_ns), 0))::BIGINT AS busy_ns
  FROM reach
  GROUP BY trace_id, track_id
),
spanned AS (
  SELECT
    *,
    max(end_ns) OVER (PARTITION BY trace_id)
    - min(start_ns) OVER (PARTITION BY trace_id) AS span_ns
  FROM by_thread
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
