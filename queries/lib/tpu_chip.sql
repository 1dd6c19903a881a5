/* ---
name = "tpu_chip"
version = 1
title = "The chip of a TPU capture: cores, peaks, clocks"
help = """
As the importer's data files have them; the clock of TIU as the capture or the user says.
"""
grain = ["trace_id"]
requires = { schema = ">=9" }

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "device_id"
type = "BIGINT"
unit = "ref device.id"
help = "The chip"

[[column]]
name = "chip"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Its name"

[[column]]
name = "n_cores"
type = "BIGINT"
unit = "count"
nullable = true
help = "Cores of the chip"

[[column]]
name = "ddr_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "Peak of DDR for one core"

[[column]]
name = "l2_bytes_per_s"
type = "DOUBLE"
unit = "byte/s"
nullable = true
help = "Peak of the L2 memory for one core"

[[column]]
name = "tiu_hz"
type = "DOUBLE"
unit = "Hz"
nullable = true
help = "Clock of the TIU engines"

[[column]]
name = "dma_hz"
type = "DOUBLE"
unit = "Hz"
nullable = true
help = "Clock of the DMA engines"

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
