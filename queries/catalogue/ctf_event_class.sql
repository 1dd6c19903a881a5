/* ---
name = "ctf_event_class"
version = 1
title = "Classes of events that a tracer recorded, and what became of them"
help = """
stored_as names the tables whose rows the events of a class became. The counts of a trace add up to its
recorded events. A time window in the scope selects classes that have events in it, and counts these.
"""
grain = ["trace_id", "class_id"]
requires = { schema = ">=19" }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "class_id", "name", "n_events", "first_ns", "last_ns", "stored_as"]

[column]
class_id = { type = "BIGINT", unit = "ref event_class.id", help = "Class; a name may stand for several, one a process or stream" }
name = { nullable = false, help = "Name of the class, such as provider:event" }
n_events = { type = "BIGINT", unit = "count", check = ">= 1", help = "Number of events" }
first_ns = { type = "BIGINT", unit = "ns", help = "First record, on the time axis of slice.ts" }
last_ns = { type = "BIGINT", unit = "ns", help = "Last record, on the time axis of slice.ts" }
stored_as = { type = "VARCHAR", unit = "text", help = "Tables of the rows that the events became; ends of pairs become part of the rows of their begins" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.id AS class_id,
  c.name,
  count(*) AS n_events,
  min(e.ts) AS first_ns,
  max(e.ts) AS last_ns,
  c.stored_as
FROM event_class AS c
JOIN recorded_event AS e ON e.event_class_id = c.id
CROSS JOIN time_window AS w
JOIN trace AS t ON t.id = c.trace_id
WHERE e.ts >= w.from_ns AND e.ts < w.to_ns
GROUP BY t.run_id, c.trace_id, t.rank, c.id, c.name, c.stored_as
ORDER BY t.run_id, c.trace_id, c.id
