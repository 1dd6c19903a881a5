/* ---
name = "tf_allocator"
version = 1
title = "Counters of allocators"
help = """
Statistics of the counters that allocators of TensorFlow report: bytes and chunks in use, by
allocator.
"""
grain = ["trace_id", "allocator", "counter"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "allocator", "counter", "unit", "n", "first_value",
  "last_value", "min_value", "max_value",
]

[column]
allocator = { type = "VARCHAR", unit = "text", help = "Name of the allocator, with the bin if it has bins" }
counter.help = "Name of the counter"
unit = { type = "VARCHAR", unit = "text", nullable = true, help = "byte or count" }
n.help = "Number of values"
first_value = { type = "DOUBLE", unit = "see unit", nullable = true, help = "First value" }
last_value = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Last value" }
min_value = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Smallest value" }
max_value = { type = "DOUBLE", unit = "see unit", nullable = true, help = "Largest value" }

[changes]
1 = "first version"
--- */
WITH named AS (
  SELECT
    k.id, k.trace_id, k.unit,
    regexp_extract(k.name, '^(.*) (\w+)$', 1) AS allocator,
    regexp_extract(k.name, '^(.*) (\w+)$', 2) AS counter
  FROM track AS k
  WHERE k.kind = 'counter'
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  k.allocator,
  k.counter,
  k.unit,
  count(*) AS n,
  arg_min(c.value, c.ts) AS first_value,
  arg_max(c.value, c.ts) AS last_value,
  min(c.value) AS min_value,
  max(c.value) AS max_value
FROM counter AS c
JOIN named AS k ON k.id = c.track_id
JOIN trace AS t ON t.id = c.trace_id
WHERE k.counter IN (
  'num_allocs', 'bytes_in_use', 'max_bytes_in_use', 'max_alloc_size', 'total_bytes_in_use',
  'total_requested_bytes_in_use', 'total_wasted_bytes_in_use', 'total_bytes',
  'total_requested_bytes', 'total_wasted_bytes', 'chunks', 'in_use_chunks', 'free_chunks',
  'total_chunks_in_bin', 'total_chunks_in_use', 'total_bytes_in_bin'
)
GROUP BY t.run_id, c.trace_id, t.rank, k.id, k.allocator, k.counter, k.unit
ORDER BY c.trace_id, k.allocator, k.counter
