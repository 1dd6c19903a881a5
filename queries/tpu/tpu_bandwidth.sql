/* ---
name = "tpu_bandwidth"
version = 2
title = "DDR, L2 and local-memory traffic per TPU engine, against the peak"
help = """
One row per memory that an engine reads or writes. Rates are over the time the engine moves data
(work_ns) and over the whole capture (span_ns). The peak is that of one core, for DDR and L2 from
the chip's data sheet; the engines of a core share it, so a rate above it means that counters and
data sheet disagree. Local memory has no documented peak. For CDMA this is the DDR traffic of a
port; the link itself is in tpu_link. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port", "memory"]
requires = { schema = ">=9", queries = ["tpu_chip@1", "tpu_engine_step@2", "tpu_traffic@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "memory", "n_transfers", "read_bytes",
  "write_bytes", "total_bytes", "work_ns", "span_ns", "read_bytes_per_s", "write_bytes_per_s",
  "total_bytes_per_s", "mean_bytes_per_s", "peak_bytes_per_s", "peak_share", "mean_peak_share",
]

[column]
read_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes read from the memory" }
write_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes written to the memory" }
total_bytes.help = "read_bytes + write_bytes"
work_ns.help = "Time in which the engine moves data of any memory"
span_ns.help = "Time from the first start to the last end of the capture"
read_bytes_per_s = { nullable = true, help = "read_bytes / work_ns; NULL if work_ns is 0" }
write_bytes_per_s = { nullable = true, help = "write_bytes / work_ns" }
total_bytes_per_s = { nullable = true, help = "total_bytes / work_ns" }
mean_bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, check = ">= 0", help = "total_bytes / span_ns" }

[column.n_transfers]
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Number of commands that read or write the memory"

[column.mean_peak_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "mean_bytes_per_s / peak_bytes_per_s"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
WITH moved AS (
  SELECT
    m.trace_id,
    m.engine,
    m.core,
    m.port,
    count(*) FILTER (WHERE m.ddr_read_bytes + m.ddr_write_bytes > 0) AS ddr_n,
    count(*) FILTER (WHERE m.l2_read_bytes + m.l2_write_bytes > 0) AS l2_n,
    count(*) FILTER (WHERE m.lmem_read_bytes + m.lmem_write_bytes > 0) AS lmem_n,
    sum(m.ddr_read_bytes)::BIGINT AS ddr_read_bytes,
    sum(m.ddr_write_bytes)::BIGINT AS ddr_write_bytes,
    sum(m.l2_read_bytes)::BIGINT AS l2_read_bytes,
    sum(m.l2_write_bytes)::BIGINT AS l2_write_bytes,
    sum(m.lmem_read_bytes)::BIGINT AS lmem_read_bytes,
    sum(m.lmem_write_bytes)::BIGINT AS lmem_write_bytes
  FROM tpu_traffic() AS m
  GROUP BY m.trace_id, m.engine, m.core, m.port
),
work AS (
  SELECT trace_id, engine, core, port, sum(work_ns)::BIGINT AS work_ns,
    min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM tpu_engine_step()
  GROUP BY trace_id, engine, core, port
),
span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS span_ns
  FROM work
  GROUP BY trace_id
),
long AS (
  SELECT trace_id, engine, core, port, 'DDR' AS memory, ddr_n AS n_transfers,
    ddr_read_bytes AS read_bytes, ddr_write_bytes AS write_bytes
  FROM moved
  UNION ALL
  SELECT trace_id, engine, core, port, 'L2M', l2_n, l2_read_bytes, l2_write_bytes
  FROM moved
  UNION ALL
  SELECT trace_id, engine, core, port, 'LMEM', lmem_n, lmem_read_bytes, lmem_write_bytes
  FROM moved
),
rated AS (
  SELECT
    l.*,
    w.work_ns,
    s.span_ns,
    CASE
      WHEN l.engine = 'CDMA' THEN NULL
      WHEN l.memory = 'DDR' THEN h.ddr_bytes_per_s
      WHEN l.memory = 'L2M' THEN h.l2_bytes_per_s
    END AS peak_bytes_per_s
  FROM long AS l
  JOIN work AS w
    ON w.trace_id = l.trace_id
    AND w.engine = l.engine
    AND w.core IS NOT DISTINCT FROM l.core
    AND w.port IS NOT DISTINCT FROM l.port
  JOIN span AS s ON s.trace_id = l.trace_id
  LEFT JOIN tpu_chip() AS h ON h.trace_id = l.trace_id
  WHERE l.n_transfers > 0
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.engine,
  r.core,
  r.port,
  r.memory,
  r.n_transfers,
  r.read_bytes,
  r.write_bytes,
  r.read_bytes + r.write_bytes AS total_bytes,
  r.work_ns,
  r.span_ns,
  r.read_bytes * 1e9 / nullif(r.work_ns, 0) AS read_bytes_per_s,
  r.write_bytes * 1e9 / nullif(r.work_ns, 0) AS write_bytes_per_s,
  (r.read_bytes + r.write_bytes) * 1e9 / nullif(r.work_ns, 0) AS total_bytes_per_s,
  (r.read_bytes + r.write_bytes) * 1e9 / nullif(r.span_ns, 0) AS mean_bytes_per_s,
  r.peak_bytes_per_s,
  (r.read_bytes + r.write_bytes) * 1e9 / nullif(r.work_ns, 0) / nullif(r.peak_bytes_per_s, 0)
    AS peak_share,
  (r.read_bytes + r.write_bytes) * 1e9 / nullif(r.span_ns, 0) / nullif(r.peak_bytes_per_s, 0)
    AS mean_peak_share
FROM rated AS r
JOIN trace AS t ON t.id = r.trace_id
ORDER BY t.run_id, t.rank, r.trace_id, r.core, r.port, r.engine, r.memory
