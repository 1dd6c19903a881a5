/* ---
name = "tf_queue"
version = 1
title = "Work in the queues of devices"
help = """
Statistics of the lengths that a runtime reports of its queues (hcTracer:queue_stats).
"""
grain = ["trace_id", "queue"]
requires = { schema = ">=1" }
scale = "trace"
columns = ["run_id", "trace_id", "rank", "queue", "n", "mean_length", "max_length"]

[column]
queue = { type = "VARCHAR", unit = "text", help = "Id of the queue in the source" }
n.help = "Number of values"
mean_length = { type = "DOUBLE", unit = "count", help = "Mean of the values" }
max_length = { type = "BIGINT", unit = "count", help = "Largest value" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  substr(k.name, 7) AS queue,
  count(*) AS n,
  avg(c.value) AS mean_length,
  max(c.value)::BIGINT AS max_length
FROM counter AS c
JOIN track AS k ON k.id = c.track_id
JOIN trace AS t ON t.id = c.trace_id
WHERE k.kind = 'counter' AND starts_with(k.name, 'queue ')
GROUP BY t.run_id, c.trace_id, t.rank, k.id, k.name
ORDER BY c.trace_id, queue
