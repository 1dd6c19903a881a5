/* ---
name = "tpu_engine"
version = 1
title = "The engines of a TPU capture that recorded commands, and what their lists are called"
help = """
As the vendor's tool calls them: the engine, and the core or port. tpu_tiu_command and tpu_dma_command
list their commands.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9" }

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
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA, SDMA or CDMA"

[[column]]
name = "core"
type = "BIGINT"
unit = "count"
nullable = true
help = "Core; NULL for CDMA"

[[column]]
name = "port"
type = "BIGINT"
unit = "count"
nullable = true
help = "Port of CDMA; NULL for the engines of a core"

[[column]]
name = "place"
type = "BIGINT"
unit = "count"
help = "Core, or port of CDMA"

[[column]]
name = "list_name"
type = "VARCHAR"
unit = "text"
help = "TIU_0, GDMA_0, ..."

[[column]]
name = "is_tiu"
type = "BOOLEAN"
unit = "bool"
help = "Whether tpu_tiu_command lists it; else tpu_dma_command does"

[[column]]
name = "n_commands"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Commands"

[changes]
1 = "first version"
--- */
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.engine,
  c.core,
  c.port,
  coalesce(c.core, c.port) AS place,
  c.engine || '_' || coalesce(c.core, c.port) AS list_name,
  c.engine = 'TIU' AS is_tiu,
  count(*) AS n_commands
FROM tpu_command AS c
JOIN trace AS t ON t.id = c.trace_id
WHERE coalesce(c.core, c.port) IS NOT NULL
GROUP BY t.run_id, c.trace_id, t.rank, c.engine, c.core, c.port
ORDER BY
  t.run_id, t.rank, c.trace_id, c.core, c.port,
  CASE c.engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 ELSE 2 END, c.engine
