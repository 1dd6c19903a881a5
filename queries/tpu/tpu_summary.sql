/* ---
name = "tpu_summary"
version = 3
title = "Summary of a TPU capture per core and in total, with the figures of the vendor's summary and idle time"
help = """
The first columns are those of the vendor's summary.txt: the work of an engine is the sum of the
cycles of its commands without synchronization, and shares are of the time of the whole capture.
Deviations where that summary is wrong: the rate is NULL if no shapes are recorded (there 100 %);
parallelism includes SDMA with one core as with many; sends of SDMA are not work, as those of GDMA.
Idle times and DDR traffic are those of tpu_engine_summary and tpu_bandwidth. The row of the whole
(core NULL) has the largest cycles of a core, as there, and sums of bytes and idle times. CDMA is in
tpu_link. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "core"]
requires = { schema = ">=9", queries = ["tpu_chip@1", "tpu_core_overlap@2", "tpu_engine_step@2", "tpu_traffic@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "core", "n_cores", "parallelism", "total_ns", "tiu_working_ratio",
  "tiu_cycles", "tiu_ns", "uarch_rate", "gdma_cycles", "gdma_ns", "gdma_ddr_bytes_per_s",
  "gdma_l2_bytes_per_s", "sdma_cycles", "sdma_ns", "sdma_ddr_bytes_per_s", "tiu_idle_ns",
  "gdma_idle_ns", "sdma_idle_ns", "ddr_read_bytes", "ddr_write_bytes", "ddr_read_bytes_per_s",
  "ddr_write_bytes_per_s", "ddr_total_bytes_per_s", "compute_share", "transfer_share",
  "overlap_share",
]

[column]
core.help = "Core; NULL: the whole capture"
n_cores.help = "Number of cores in the row"
total_ns.help = "Time from the first start to the last end of the capture, any engine"
tiu_cycles = { type = "BIGINT", unit = "cycle", check = ">= 0", help = "Cycles of TIU commands that compute" }
tiu_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "tiu_cycles as time" }
uarch_rate.help = "Required / executed operations; NULL: no shapes are recorded"
gdma_cycles = { type = "BIGINT", unit = "cycle", check = ">= 0", help = "Cycles of GDMA commands that move data" }
gdma_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "gdma_cycles as time" }
sdma_cycles = { type = "BIGINT", unit = "cycle", check = ">= 0", help = "Cycles of SDMA commands that move data" }
sdma_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "sdma_cycles as time" }
gdma_idle_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time without GDMA commands" }
ddr_read_bytes.help = "Bytes read from DDR by GDMA and SDMA"
ddr_write_bytes.help = "Bytes written to DDR by GDMA and SDMA"
compute_share.help = "Part of the capture in which the TIU computes; for the whole capture the mean over cores"
transfer_share.help = "Part of the capture in which GDMA or SDMA move data; for the whole capture the mean over cores"
overlap_share.help = "Time of both at once / the lesser of the two times, each summed over cores; NULL if that is 0"

[column.parallelism]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Working time of TIU, GDMA and SDMA / (total_ns * n_cores); may exceed 1 because they work concurrently"

[column.tiu_working_ratio]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Working time of TIU / (total_ns * n_cores)"

[column.gdma_ddr_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "Bytes of GDMA commands that access DDR, or whose direction is unknown / the time of those with bytes; 0 without any"

[column.gdma_l2_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "Bytes of GDMA commands that access L2 memory but not DDR / the time of those with bytes; 0 without any"

[column.sdma_ddr_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
check = ">= 0"
help = "Bytes of SDMA commands that access DDR, or whose direction is unknown / their time; 0 without any"

[column.tiu_idle_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time without TIU commands; for the whole capture the sum over cores"

[column.sdma_idle_ns]
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Time without SDMA commands; a core without any is idle"

[column.ddr_read_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "ddr_read_bytes / total_ns"

[column.ddr_write_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "ddr_write_bytes / total_ns"

[column.ddr_total_bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
nullable = true
check = ">= 0"
help = "DDR bytes read and written / total_ns"

[changes]
3 = "DDR and L2 rates are of transfers whose direction names the memory, as in the vendor's summary: without register images all transfers counted for DDR; the SDMA rate counts the time of empty transfers; rates of the whole divide by the sum of cycles"
2 = "same figures, reads less"
1 = "first version"
--- */
WITH command AS (
  SELECT
    trace_id,
    core,
    engine,
    coalesce(kind = 'sync', false) AS is_sync,
    coalesce(cycles, 0) AS cycles,
    coalesce(bytes, 0) AS bytes,
    coalesce(direction, 'DDR->DDR') LIKE '%DDR%' AS is_ddr,
    coalesce(direction, '') LIKE '%L2M%' AS is_l2,
    alg_ops,
    uarch_ops
  FROM tpu_command
  WHERE core IS NOT NULL
),
summed AS (
  SELECT
    trace_id,
    core,
    engine,
    sum(cycles)::BIGINT AS cycles,
    sum(alg_ops)::BIGINT AS alg_ops,
    sum(uarch_ops)::BIGINT AS uarch_ops,
    sum(CASE WHEN is_ddr THEN bytes ELSE 0 END)::BIGINT AS ddr_bytes,
    sum(CASE WHEN is_ddr AND (bytes > 0 OR engine = 'SDMA') THEN cycles ELSE 0 END)::BIGINT
      AS ddr_cycles,
    sum(CASE WHEN is_l2 AND NOT is_ddr THEN bytes ELSE 0 END)::BIGINT AS l2_bytes,
    sum(CASE WHEN is_l2 AND NOT is_ddr AND bytes > 0 THEN cycles ELSE 0 END)::BIGINT AS l2_cycles
  FROM command
  WHERE NOT is_sync
  GROUP BY trace_id, core, engine
),
-- Time as in the vendor's tool: cycles to ns with two decimals, then truncated to whole ns.
timed AS (
  SELECT
    s.*,
    floor(round(s.cycles * 1e9 / c.hz, 2))::BIGINT AS ns
  FROM summed AS s
  JOIN (
    SELECT trace_id, 'TIU' AS engine, coalesce(tiu_hz, 1e9) AS hz FROM tpu_chip()
    UNION ALL
    SELECT trace_id, 'GDMA', coalesce(dma_hz, 1e9) FROM tpu_chip()
    UNION ALL
    SELECT trace_id, 'SDMA', coalesce(dma_hz, 1e9) FROM tpu_chip()
  ) AS c ON c.trace_id = s.trace_id AND c.engine = s.engine
),
work AS (
  SELECT
    trace_id,
    core,
    sum(CASE WHEN engine = 'TIU' THEN cycles ELSE 0 END)::BIGINT AS tiu_cycles,
    sum(CASE WHEN engine = 'TIU' THEN ns ELSE 0 END)::BIGINT AS tiu_ns,
    sum(alg_ops)::BIGINT AS alg_ops,
    sum(uarch_ops)::BIGINT AS uarch_ops,
    sum(CASE WHEN engine = 'GDMA' THEN cycles ELSE 0 END)::BIGINT AS gdma_cycles,
    sum(CASE WHEN engine = 'GDMA' THEN ns ELSE 0 END)::BIGINT AS gdma_ns,
    sum(CASE WHEN engine = 'GDMA' THEN ddr_bytes ELSE 0 END)::BIGINT AS gdma_ddr_bytes,
    sum(CASE WHEN engine = 'GDMA' THEN ddr_cycles ELSE 0 END)::BIGINT AS gdma_ddr_cycles,
    sum(CASE WHEN engine = 'GDMA' THEN l2_bytes ELSE 0 END)::BIGINT AS gdma_l2_bytes,
    sum(CASE WHEN engine = 'GDMA' THEN l2_cycles ELSE 0 END)::BIGINT AS gdma_l2_cycles,
    sum(CASE WHEN engine = 'SDMA' THEN cycles ELSE 0 END)::BIGINT AS sdma_cycles,
    sum(CASE WHEN engine = 'SDMA' THEN ns ELSE 0 END)::BIGINT AS sdma_ns,
    sum(CASE WHEN engine = 'SDMA' THEN ddr_bytes ELSE 0 END)::BIGINT AS sdma_ddr_bytes,
    sum(CASE WHEN engine = 'SDMA' THEN ddr_cycles ELSE 0 END)::BIGINT AS sdma_ddr_cycles
  FROM timed
  GROUP BY trace_id, core
),
busy AS (
  SELECT
    trace_id,
    core,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns,
    sum(CASE WHEN engine = 'TIU' THEN busy_ns ELSE 0 END)::BIGINT AS tiu_busy_ns,
    sum(CASE WHEN engine = 'GDMA' THEN busy_ns ELSE 0 END)::BIGINT AS gdma_busy_ns,
    sum(CASE WHEN engine = 'SDMA' THEN busy_ns ELSE 0 END)::BIGINT AS sdma_busy_ns
  FROM tpu_engine_step()
  GROUP BY trace_id, core
),
traffic AS (
  SELECT
    trace_id,
    core,
    sum(ddr_read_bytes)::BIGINT AS ddr_read_bytes,
    sum(ddr_write_bytes)::BIGINT AS ddr_write_bytes
  FROM tpu_traffic()
  WHERE core IS NOT NULL
  GROUP BY trace_id, core
),
shared AS (
  SELECT trace_id, core, compute_ns, transfer_ns, either_ns FROM tpu_core_overlap()
),
known_core AS (
  SELECT trace_id, ordinal AS core FROM device WHERE kind = 'core'
  UNION
  SELECT trace_id, core FROM busy WHERE core IS NOT NULL
),
by_core AS (
  SELECT
    p.trace_id,
    p.core,
    1 AS n_cores,
    coalesce(w.tiu_cycles, 0) AS tiu_cycles,
    coalesce(w.tiu_ns, 0) AS tiu_ns,
    w.alg_ops,
    w.uarch_ops,
    coalesce(w.gdma_cycles, 0) AS gdma_cycles,
    coalesce(w.gdma_ns, 0) AS gdma_ns,
    coalesce(w.gdma_ddr_bytes, 0) AS gdma_ddr_bytes,
    coalesce(w.gdma_ddr_cycles, 0) AS gdma_ddr_cycles,
    coalesce(w.gdma_l2_bytes, 0) AS gdma_l2_bytes,
    coalesce(w.gdma_l2_cycles, 0) AS gdma_l2_cycles,
    coalesce(w.sdma_cycles, 0) AS sdma_cycles,
    coalesce(w.sdma_ns, 0) AS sdma_ns,
    coalesce(w.sdma_ddr_bytes, 0) AS sdma_ddr_bytes,
    coalesce(w.sdma_ddr_cycles, 0) AS sdma_ddr_cycles,
    coalesce(b.tiu_busy_ns, 0) AS tiu_busy_ns,
    coalesce(b.gdma_busy_ns, 0) AS gdma_busy_ns,
    coalesce(b.sdma_busy_ns, 0) AS sdma_busy_ns,
    coalesce(m.ddr_read_bytes, 0) AS ddr_read_bytes,
    coalesce(m.ddr_write_bytes, 0) AS ddr_write_bytes,
    coalesce(o.compute_ns, 0) AS compute_ns,
    coalesce(o.transfer_ns, 0) AS transfer_ns,
    coalesce(o.either_ns, 0) AS either_ns
  FROM known_core AS p
  LEFT JOIN work AS w ON w.trace_id = p.trace_id AND w.core = p.core
  LEFT JOIN busy AS b ON b.trace_id = p.trace_id AND b.core = p.core
  LEFT JOIN traffic AS m ON m.trace_id = p.trace_id AND m.core = p.core
  LEFT JOIN shared AS o ON o.trace_id = p.trace_id AND o.core = p.core
),
rows AS (
  SELECT * FROM by_core
  UNION ALL
  SELECT
    trace_id,
    NULL,
    count(*),
    max(tiu_cycles),
    sum(tiu_ns)::BIGINT,
    sum(alg_ops)::BIGINT,
    sum(uarch_ops)::BIGINT,
    max(gdma_cycles),
    sum(gdma_ns)::BIGINT,
    sum(gdma_ddr_bytes)::BIGINT,
    sum(gdma_ddr_cycles)::BIGINT,
    sum(gdma_l2_bytes)::BIGINT,
    sum(gdma_l2_cycles)::BIGINT,
    max(sdma_cycles),
    sum(sdma_ns)::BIGINT,
    sum(sdma_ddr_bytes)::BIGINT,
    sum(sdma_ddr_cycles)::BIGINT,
    sum(tiu_busy_ns)::BIGINT,
    sum(gdma_busy_ns)::BIGINT,
    sum(sdma_busy_ns)::BIGINT,
    sum(ddr_read_bytes)::BIGINT,
    sum(ddr_write_bytes)::BIGINT,
    sum(compute_ns)::BIGINT,
    sum(transfer_ns)::BIGINT,
    sum(either_ns)::BIGINT
  FROM by_core
  GROUP BY trace_id
),
rated AS (
  SELECT
    r.*,
    floor(round(r.gdma_ddr_cycles * 1e9 / c.dma_hz, 2))::BIGINT AS gdma_ddr_ns,
    floor(round(r.gdma_l2_cycles * 1e9 / c.dma_hz, 2))::BIGINT AS gdma_l2_ns,
    floor(round(r.sdma_ddr_cycles * 1e9 / c.dma_hz, 2))::BIGINT AS sdma_ddr_ns
  FROM rows AS r
  JOIN (SELECT trace_id, coalesce(dma_hz, 1e9) AS dma_hz FROM tpu_chip()) AS c
    ON c.trace_id = r.trace_id
),
span AS (
  SELECT trace_id, max(end_ns) - min(start_ns) AS total_ns
  FROM busy
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.core,
  r.n_cores,
  (r.tiu_ns + r.gdma_ns + r.sdma_ns) / nullif(s.total_ns * r.n_cores, 0) AS parallelism,
  s.total_ns,
  r.tiu_ns / nullif(s.total_ns * r.n_cores, 0) AS tiu_working_ratio,
  r.tiu_cycles,
  r.tiu_ns,
  r.alg_ops / nullif(r.uarch_ops, 0) AS uarch_rate,
  r.gdma_cycles,
  r.gdma_ns,
  coalesce(r.gdma_ddr_bytes * 1e9 / nullif(r.gdma_ddr_ns, 0), 0) AS gdma_ddr_bytes_per_s,
  coalesce(r.gdma_l2_bytes * 1e9 / nullif(r.gdma_l2_ns, 0), 0) AS gdma_l2_bytes_per_s,
  r.sdma_cycles,
  r.sdma_ns,
  coalesce(r.sdma_ddr_bytes * 1e9 / nullif(r.sdma_ddr_ns, 0), 0) AS sdma_ddr_bytes_per_s,
  s.total_ns * r.n_cores - r.tiu_busy_ns AS tiu_idle_ns,
  s.total_ns * r.n_cores - r.gdma_busy_ns AS gdma_idle_ns,
  s.total_ns * r.n_cores - r.sdma_busy_ns AS sdma_idle_ns,
  r.ddr_read_bytes,
  r.ddr_write_bytes,
  r.ddr_read_bytes * 1e9 / nullif(s.total_ns, 0) AS ddr_read_bytes_per_s,
  r.ddr_write_bytes * 1e9 / nullif(s.total_ns, 0) AS ddr_write_bytes_per_s,
  (r.ddr_read_bytes + r.ddr_write_bytes) * 1e9 / nullif(s.total_ns, 0) AS ddr_total_bytes_per_s,
  r.compute_ns / nullif(s.total_ns * r.n_cores, 0) AS compute_share,
  r.transfer_ns / nullif(s.total_ns * r.n_cores, 0) AS transfer_share,
  (r.compute_ns + r.transfer_ns - r.either_ns) / nullif(least(r.compute_ns, r.transfer_ns), 0)
    AS overlap_share
FROM rated AS r
JOIN span AS s ON s.trace_id = r.trace_id
JOIN trace AS t ON t.id = r.trace_id
ORDER BY t.run_id, t.rank, r.trace_id, r.core NULLS LAST
