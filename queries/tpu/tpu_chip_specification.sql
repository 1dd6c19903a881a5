/* ---
name = "tpu_chip_specification"
version = 1
title = "Chip of a TPU capture: cores, alignment, clocks and local memory, as in the vendor's workbook"
help = """
From the importer's data files; the TIU clock from the capture or the user.
"""
grain = ["trace_id"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "platform", "chip", "n_cores", "n_npus", "cube_ic_align",
  "cube_ohow_align", "vector_ohow_align", "tiu_mhz", "dma_mhz", "ddr_mhz", "local_memory_mib",
]

[column]
platform = { type = "VARCHAR", unit = "text", nullable = true, help = "What executed the commands: ASIC, ..." }
chip = { type = "VARCHAR", unit = "text", nullable = true, help = "Architecture of the chip" }
n_cores = { nullable = true, help = "Number of cores of the chip" }
n_npus = { type = "BIGINT", unit = "count", nullable = true, help = "Number of lanes of a core" }
cube_ic_align = { type = "BIGINT", unit = "count", nullable = true, help = "Channels a matrix operation is aligned to, 8 bits" }
cube_ohow_align = { type = "BIGINT", unit = "count", nullable = true, help = "Output positions a matrix operation is aligned to, 8 bits" }
vector_ohow_align = { type = "BIGINT", unit = "count", nullable = true, help = "Output positions a vector operation is aligned to, 8 bits" }
tiu_mhz = { type = "DOUBLE", unit = "MHz", nullable = true, help = "Clock of the TIU engines" }
dma_mhz = { type = "DOUBLE", unit = "MHz", nullable = true, help = "Clock of the DMA engines" }
ddr_mhz = { type = "DOUBLE", unit = "MHz", nullable = true, help = "Clock of DDR" }
local_memory_mib = { type = "DOUBLE", unit = "MiB", nullable = true, help = "Local memory of a core" }

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  d.trace_id,
  t.rank,
  d.properties_json::JSON ->> '$."Platform"' AS platform,
  d.properties_json::JSON ->> '$."Chip Arch"' AS chip,
  (d.properties_json::JSON ->> '$."Core Num"')::BIGINT AS n_cores,
  (d.properties_json::JSON ->> '$."NPU Num"')::BIGINT AS n_npus,
  (d.properties_json::JSON ->> '$."Cube IC Align(8bits)"')::BIGINT AS cube_ic_align,
  (d.properties_json::JSON ->> '$."Cube OHOW Align(8bits)"')::BIGINT AS cube_ohow_align,
  (d.properties_json::JSON ->> '$."Vector OHOW Align(8bits)"')::BIGINT AS vector_ohow_align,
  (d.properties_json::JSON ->> '$."TIU Frequency(MHz)"')::DOUBLE AS tiu_mhz,
  (d.properties_json::JSON ->> '$."DMA Frequency(MHz)"')::DOUBLE AS dma_mhz,
  (d.properties_json::JSON ->> '$."DDR Frequency(MHz)"')::DOUBLE AS ddr_mhz,
  (d.properties_json::JSON ->> '$."TPU Lmem Size(MiB)"')::DOUBLE AS local_memory_mib
FROM device AS d
JOIN trace AS t ON t.id = d.trace_id
WHERE d.kind = 'tpu'
ORDER BY t.run_id, t.rank, d.trace_id
