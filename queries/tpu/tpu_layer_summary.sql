/* ---
name = "tpu_layer_summary"
version = 1
title = "Model layers on the TPU: commands, compute and transfer time, bytes and operations"
help = """
Layers are those of the compiler's side files, on the core each was compiled for; a layer without
commands in the capture has a row of zeros. Times of commands are summed, so concurrent computing
and moving counts in both; elapsed_ns is from a layer's first start to its last end. Pipelined
layers overlap. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "layer_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "layer_id", "ordinal", "core", "layer", "operation", "file_line",
  "n_tiu_commands", "n_dma_commands", "start_ns", "elapsed_ns", "compute_ns", "transfer_ns",
  "sync_ns", "work_share", "bytes", "ddr_read_bytes", "ddr_write_bytes", "ddr_bytes_per_s",
  "alg_ops", "uarch_rate", "peak_share", "intensity",
]

[column]
layer_id = { type = "BIGINT", unit = "ref tpu_layer.id", help = "Layer" }
ordinal = { type = "BIGINT", unit = "count", check = "> 0", help = "Position in the model, from 1" }
core = { nullable = false, help = "Core" }
layer.help = "Layer name"
operation.help = "Operation of the layer: Conv2D, Load, Store, ..."
file_line = { type = "BIGINT", unit = "count", nullable = true, help = "Line of final.mlir" }
n_tiu_commands = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of TIU commands" }
n_dma_commands = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of GDMA commands" }
start_ns = { nullable = true, help = "First start, on the time axis of slice.ts; NULL without commands" }
compute_ns.help = "Sum of the durations of commands that compute"
transfer_ns.help = "Sum of the durations of commands that move data"
sync_ns.help = "Sum of the durations of commands that send or wait"
bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Bytes moved" }
ddr_bytes_per_s.help = "(ddr_read_bytes + ddr_write_bytes) / time of these transfers; NULL if there are none"
peak_share.help = "Minimum time of its operations at the chip's peak / compute_ns; NULL: unknown"

[column.elapsed_ns]
type = "BIGINT"
unit = "ns"
nullable = true
check = ">= 0"
help = "Time from start_ns to the last end; NULL without commands"

[column.work_share]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Computing and moving time / that of all layers of the trace; NULL if that is 0"

[column.intensity]
type = "DOUBLE"
unit = "count/byte"
nullable = true
check = ">= 0"
help = "alg_ops / DDR bytes; NULL: unknown, or no bytes"

[changes]
1 = "first version"
--- */
WITH chip AS (
  SELECT
    trace_id,
    nullif((properties_json::JSON ->> '$."DDR Max BW(GB/s/Core)"')::DOUBLE, 0) * 1e9 AS ddr_bytes_per_s,
    (properties_json::JSON ->> '$."TIU Frequency(MHz)"')::DOUBLE * 1e6 AS tiu_hz
  FROM device
  WHERE kind = 'tpu'
),
joined AS (
  SELECT
    *,
    greatest(dur, 0) AS work_ns,
    -- If only counters were captured, a command counts as the work of its engine.
    coalesce(kind, CASE engine WHEN 'TIU' THEN 'compute' ELSE 'transfer' END) AS work_kind,
    CASE WHEN source_memory = 'DDR' THEN bytes ELSE 0 END AS ddr_read_bytes,
    CASE WHEN destination_memory = 'DDR' THEN bytes ELSE 0 END AS ddr_write_bytes
  FROM tpu_command
  WHERE layer_id IS NOT NULL
),
summed AS (
  SELECT
    trace_id,
    layer_id,
    sum(CASE WHEN engine = 'TIU' THEN 1 ELSE 0 END)::BIGINT AS n_tiu_commands,
    sum(CASE WHEN engine <> 'TIU' THEN 1 ELSE 0 END)::BIGINT AS n_dma_commands,
    min(ts) AS start_ns,
    max(ts + work_ns) - min(ts) AS elapsed_ns,
    sum(CASE WHEN work_kind = 'compute' THEN work_ns ELSE 0 END)::BIGINT AS compute_ns,
    sum(CASE WHEN work_kind = 'transfer' THEN work_ns ELSE 0 END)::BIGINT AS transfer_ns,
    sum(CASE WHEN work_kind = 'sync' THEN work_ns ELSE 0 END)::BIGINT AS sync_ns,
    coalesce(sum(bytes), 0)::BIGINT AS bytes,
    coalesce(sum(ddr_read_bytes), 0)::BIGINT AS ddr_read_bytes,
    coalesce(sum(ddr_write_bytes), 0)::BIGINT AS ddr_write_bytes,
    sum(CASE WHEN ddr_read_bytes + ddr_write_bytes > 0 THEN work_ns ELSE 0 END)::BIGINT AS ddr_ns,
    sum(CASE WHEN work_kind = 'compute' THEN alg_ops END)::BIGINT AS alg_ops,
    sum(CASE WHEN work_kind = 'compute' THEN uarch_ops END)::BIGINT AS uarch_ops,
    sum(CASE WHEN work_kind = 'compute' THEN alg_cycles END)::BIGINT AS alg_cycles
  FROM joined
  GROUP BY trace_id, layer_id
)
SELECT
  t.run_id,
  l.trace_id,
  t.rank,
  l.id AS layer_id,
  l.ordinal,
  l.core,
  l.name AS layer,
  l.operation,
  l.file_line,
  coalesce(s.n_tiu_commands, 0) AS n_tiu_commands,
  coalesce(s.n_dma_commands, 0) AS n_dma_commands,
  s.start_ns,
  s.elapsed_ns,
  coalesce(s.compute_ns, 0) AS compute_ns,
  coalesce(s.transfer_ns, 0) AS transfer_ns,
  coalesce(s.sync_ns, 0) AS sync_ns,
  coalesce(s.compute_ns + s.transfer_ns, 0)
    / nullif(sum(s.compute_ns + s.transfer_ns) OVER (PARTITION BY l.trace_id), 0) AS work_share,
  coalesce(s.bytes, 0) AS bytes,
  coalesce(s.ddr_read_bytes, 0) AS ddr_read_bytes,
  coalesce(s.ddr_write_bytes, 0) AS ddr_write_bytes,
  (s.ddr_read_bytes + s.ddr_write_bytes) * 1e9 / nullif(s.ddr_ns, 0) AS ddr_bytes_per_s,
  s.alg_ops,
  s.alg_ops / nullif(s.uarch_ops, 0) AS uarch_rate,
  s.alg_cycles * 1e9 / k.tiu_hz / nullif(s.compute_ns, 0) AS peak_share,
  s.alg_ops / nullif(s.ddr_read_bytes + s.ddr_write_bytes, 0) AS intensity
FROM tpu_layer AS l
JOIN trace AS t ON t.id = l.trace_id
LEFT JOIN summed AS s ON s.trace_id = l.trace_id AND s.layer_id = l.id
LEFT JOIN chip AS k ON k.trace_id = l.trace_id
ORDER BY t.run_id, t.rank, l.trace_id, l.ordinal, l.id
