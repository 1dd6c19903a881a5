/* ---
name = "check_lost_events"
version = 1
title = "Events lost by the tracer"
help = """
Windows of time in which the tracer discarded events because its buffers were full, or overwrote
packets. Pairs that lost an end are unfinished, and counts and sums over these windows are too low.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=19" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_found.help = "Number of lost events; of overwritten packets, if no event is known to be lost"
n_looked_at.help = "Number of recorded and lost events of the trace"
examples.help = "Up to three windows: slice, start and end on the time axis of slice.ts, events"

[changes]
1 = "first version"
--- */
WITH found AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id ORDER BY n_events DESC, from_ts, id) AS place
  FROM event_loss
),
recorded AS (
  SELECT trace_id, sum(n_events)::BIGINT AS n_events FROM event_class GROUP BY trace_id
),
finding AS (
  SELECT
    f.trace_id,
    sum(f.n_events)::BIGINT AS n_events,
    sum(f.n_packets)::BIGINT AS n_packets,
    string_agg(
      CASE
        WHEN f.place <= 3
        THEN 'slice ' || f.slice_id || ' from ' || f.from_ts || ' to ' || f.to_ts || ' ns: '
          || f.n_events || ' events'
      END,
      '; ' ORDER BY f.place
    ) AS examples
  FROM found AS f
  GROUP BY f.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'lost_events' AS check_name,
  'warning' AS severity,
  CASE WHEN f.n_events > 0 THEN f.n_events ELSE f.n_packets END AS n_found,
  coalesce(c.n_events, 0) + f.n_events AS n_looked_at,
  f.examples,
  'The tracer lost events in these windows; figures over them are too low.' AS meaning,
  'Record with larger or more buffers (--subbuf-size, --num-subbuf).' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
LEFT JOIN recorded AS c ON c.trace_id = f.trace_id
ORDER BY t.run_id, t.rank, t.id
