/* ---
name = "collective_bandwidth"
version = 1
title = "Time and bandwidth of collectives, by group, kind, type and size"
help = """
Over slices that last as long as the communication: kernels, and ranges of libraries on the host. In
their time is the wait for ranks that come late (collective_instance tells the two apart), so the
bandwidth of the shortest is nearest to that of the transfer alone.

Sizes and factors are those of the NCCL tests: algorithm bandwidth is message size / time, with the
size of one rank's buffer for all_reduce, broadcast, reduce, send and recv, and of what all ranks
give or get together for all_gather, reduce_scatter, all_to_all, gather and scatter; bus bandwidth
is that times 2(n-1)/n for all_reduce, (n-1)/n for the second list, and 1 for the others of the
first, n being the size of the group. Operations of unknown size count in n_collectives and times
and have a row of their own without bandwidth.
"""
grain = ["trace_id", "side", "kind", "group_name", "group_size", "data_type", "min_bytes"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
portable = false

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
name = "side"
type = "VARCHAR"
unit = "text"
check = "IN ('host', 'device')"
help = "Where it was recorded: host or device"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "all_reduce, all_gather, ... as in collective_op"

[[column]]
name = "group_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Process group, if the source names it"

[[column]]
name = "group_size"
type = "BIGINT"
unit = "count"
nullable = true
help = "Ranks in the group, if known"

[[column]]
name = "data_type"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Element type, if known"

[[column]]
name = "min_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Messages from this size, a power of two or 0, to just below the next; NULL: size not known"

[[column]]
name = "n_collectives"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Operations"

[[column]]
name = "total_bytes"
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Sum of their message sizes; NULL: size not known"

[[column]]
name = "total_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Sum of their times"

[[column]]
name = "min_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Shortest time"

[[column]]
name = "median_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Median time"

[[column]]
name = "p90_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "90th percentile of the times, interpolated"

[[column]]
name = "p99_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "99th percentile of the times, interpolated"

[[column]]
name = "max_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Longest time"

[[column]]
name = "algorithm_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "total_bytes / total_ns, in bytes per second; NULL: size not known, or no time"

[[column]]
name = "bus_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "algorithm_bytes_per_s times the factor of the kind; NULL also where the size of the group is not known"

[[column]]
name = "best_bus_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "The greatest bus bandwidth of a single one"

[changes]
1 = "first version"
--- */
WITH op AS (
  SELECT
    *,
    end_ns - start_ns AS dur_ns,
    CASE
      WHEN message_bytes > 0 THEN power(2, floor(log2(message_bytes)))::BIGINT
      ELSE message_bytes
    END AS min_bytes
  FROM collective_op()
  WHERE is_transfer
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
  sum(message_bytes)::BIGINT AS total_bytes,
  sum(dur_ns)::BIGINT AS total_ns,
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
