/* ---
name = "tpu_device_bandwidth_over_time"
version = 3
alias_of = "tpu_bandwidth_over_time@3"
fixed = { by_engine = false }
title = "DDR, L2 and local-memory traffic of a whole TPU, by time bucket"
help = """
All engines combined, including CDMA; see tpu_bandwidth_over_time. The peak is that of the chip: the
peak of one core times the number of cores.
"""
grain = ["trace_id", "memory", "bucket_start_ns"]
requires = { schema = ">=1", queries = ["tpu_bandwidth_over_time@3"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "memory", "bucket_start_ns", "read_bytes", "write_bytes",
  "read_bytes_per_s", "write_bytes_per_s", "total_bytes_per_s", "peak_bytes_per_s", "peak_share",
]

[param.bucket_ns]
type = "BIGINT"
unit = "ns"
default = 100000
min = 1
help = "Bucket width"

[column]
peak_bytes_per_s.help = "Peak of the memory for the chip; NULL: unknown"

[changes]
3 = "alias of tpu_bandwidth_over_time"
2 = "same figures, reads less"
1 = "first version"
--- */
SELECT
  run_id,
  trace_id,
  rank,
  memory,
  bucket_start_ns,
  read_bytes,
  write_bytes,
  read_bytes_per_s,
  write_bytes_per_s,
  total_bytes_per_s,
  peak_bytes_per_s,
  peak_share
FROM tpu_bandwidth_over_time(p_bucket_ns := $bucket_ns::BIGINT, p_by_engine := false)
ORDER BY run_id, rank, trace_id, memory, bucket_start_ns
