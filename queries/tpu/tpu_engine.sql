/* ---
name = "tpu_engine"
version = 1
title = "TPU engines with recorded commands, and the names of their command lists"
help = """
Named as in the vendor's tool: the engine, and the core or port. tpu_tiu_command and tpu_dma_command
list their commands. A time window contains the commands that run in it, whole.
"""
grain = ["trace_id", "engine", "core", "port"]
requires = { schema = ">=9" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "core", "port", "place", "list_name", "is_tiu",
  "n_commands",
]

[column]
place = { type = "BIGINT", unit = "count", help = "Core, or port of CDMA" }
list_name = { type = "VARCHAR", unit = "text", help = "TIU_0, GDMA_0, ..." }
is_tiu = { type = "BOOLEAN", unit = "bool", help = "Whether tpu_tiu_command lists it; otherwise tpu_dma_command does" }

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
