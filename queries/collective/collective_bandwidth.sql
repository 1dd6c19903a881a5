/* ---
name = "collective_bandwidth"
version = 1
title = "Collective time and bandwidth by group, kind, type and size"
help = """
Covers slices that last as long as the communication: kernels, and host ranges of libraries. Their
time includes waiting for late ranks (collective_instance separates the two), so the bandwidth of
the shortest is closest to that of the transfer alone.

Sizes and factors follow NCCL tests: algorithm bandwidth is message size / time. The message size is
the buffer size of one rank for all_reduce, broadcast, reduce, send and recv, and the total over all
ranks for all_gather, reduce_scatter, all_to_all, gather and scatter. Bus bandwidth is algorithm
bandwidth times 2(n-1)/n for all_reduce, (n-1)/n for the second list, and 1 for the rest of the
first, where n is the group size. Operations of unknown size count in n_collectives and times and
have a row of their own without bandwidth. In a time window, total_ns is of the parts inside it, and
total_bytes of the collectives that start in it, so disjoint windows add up to the whole; other
figures are of whole collectives.
"""
grain = ["trace_id", "side", "kind", "group_name", "group_size", "data_type", "min_bytes"]
requires = { schema = ">=1", queries = ["collective_op@1"], rows = ["collective"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "side", "kind", "group_name", "group_size", "data_type",
  "min_bytes", "n_collectives", "total_bytes", "total_ns", "min_ns", "median_ns", "p90_ns",
  "p99_ns", "max_ns", "algorithm_bytes_per_s", "bus_bytes_per_s", "best_bus_bytes_per_s",
]

[column]
kind.help = "all_reduce, all_gather, ... as in collective_op"
data_type.help = "Element type, if known"
n_collectives.help = "Number of operations"
total_bytes = { nullable = true, help = "Sum of the message sizes; NULL: unknown size" }
min_ns.help = "Shortest time"
median_ns.help = "Median time"
p90_ns.help = "90th percentile of the times, interpolated"
p99_ns.help = "99th percentile of the times, interpolated"
max_ns.help = "Longest time"

[column.min_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Lower bound of the message size, a power of two or 0; the next power of two is the exclusive upper bound; NULL: unknown size"

[column.algorithm_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "total_bytes / total_ns, in bytes per second; NULL: unknown size, or no time"

[column.bus_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "algorithm_bytes_per_s times the factor of the kind; NULL also if the group size is unknown"

[column.best_bus_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "Highest bus bandwidth of a single operation"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    c.*,
    c.end_ns - c.start_ns AS dur_ns,
    greatest(least(c.end_ns, w.to_ns) - greatest(c.start_ns, w.from_ns), 0) AS inside_ns,
    c.start_ns >= w.from_ns AS is_start_inside,
    CASE
      WHEN message_bytes > 0 THEN power(2, floor(log2(message_bytes)))::BIGINT
      ELSE message_bytes
    END AS min_bytes
  FROM collective_op() AS c
  SEMI JOIN collective AS v ON v.slice_id = c.slice_id
  CROSS JOIN time_window AS w
  WHERE c.is_transfer
)
SELECT
  run_id,
  trace_id,
  rank,
  side,
  kind,
  group_name,
  group_size,
  data_type,
  min_bytes,
  count(*) AS n_collectives,
  sum(CASE WHEN is_start_inside THEN message_bytes END)::BIGINT AS total_bytes,
  sum(inside_ns)::BIGINT AS total_ns,
  min(dur_ns) AS min_ns,
  quantile_cont(dur_ns, 0.5) AS median_ns,
  quantile_cont(dur_ns, 0.9) AS p90_ns,
  quantile_cont(dur_ns, 0.99) AS p99_ns,
  max(dur_ns) AS max_ns,
  1e9 * sum(message_bytes) / nullif(sum(dur_ns), 0) AS algorithm_bytes_per_s,
  1e9 * sum(message_bytes * bus_factor) / nullif(sum(dur_ns), 0) AS bus_bytes_per_s,
  max(1e9 * message_bytes * bus_factor / nullif(dur_ns, 0)) AS best_bus_bytes_per_s
FROM op
GROUP BY run_id, trace_id, rank, side, kind, group_name, group_size, data_type, min_bytes
ORDER BY run_id, rank, trace_id, side, kind, group_name, group_size, data_type, min_bytes
