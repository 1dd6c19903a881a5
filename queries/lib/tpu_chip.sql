/* ---
name = "tpu_chip"
version = 1
title = "Chip of a TPU capture: cores, peaks and clocks"
help = """
From the importer's data files; the TIU clock from the capture or the user.
"""
grain = ["trace_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "trace_id", "device_id", "chip", "n_cores", "ddr_bytes_per_s", "l2_bytes_per_s", "tiu_hz",
  "dma_hz",
]

[column]
device_id = { nullable = false, help = "Chip" }
chip = { type = "VARCHAR", unit = "text", nullable = true, help = "Chip name" }
n_cores = { type = "BIGINT", unit = "count", nullable = true, help = "Number of cores of the chip" }
ddr_bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "DDR peak of one core" }
l2_bytes_per_s = { type = "DOUBLE", unit = "byte/s", nullable = true, help = "L2 memory peak of one core" }
tiu_hz = { type = "DOUBLE", unit = "Hz", nullable = true, help = "Clock of the TIU engines" }
dma_hz = { type = "DOUBLE", unit = "Hz", nullable = true, help = "Clock of the DMA engines" }

[changes]
1 = "first version"
--- */
SELECT
  d.trace_id,
  d.id AS device_id,
  d.name AS chip,
  (d.properties_json::JSON ->> '$."Core Num"')::BIGINT AS n_cores,
  nullif((d.properties_json::JSON ->> '$."DDR Max BW(GB/s/Core)"')::DOUBLE, 0) * 1e9 AS ddr_bytes_per_s,
  nullif((d.properties_json::JSON ->> '$."L2 Max BW(GB/s)"')::DOUBLE, 0) * 1e9 AS l2_bytes_per_s,
  (d.properties_json::JSON ->> '$."TIU Frequency(MHz)"')::DOUBLE * 1e6 AS tiu_hz,
  (d.properties_json::JSON ->> '$."DMA Frequency(MHz)"')::DOUBLE * 1e6 AS dma_hz
FROM device AS d
WHERE d.kind = 'tpu'
