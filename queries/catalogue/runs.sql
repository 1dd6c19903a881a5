/* ---
name = "runs"
version = 2
title = "Runs with traces, ranks, formats, slices, duration and size"
help = """
A run is one job on one or many ranks. Its duration is that of its longest trace, because clocks of
different ranks may differ.
"""
grain = ["run_id"]
requires = { schema = ">=15" }
scale = "run"
columns = [
  "run_id", "run", "kind", "n_traces", "n_ranks", "world_size", "formats", "n_slices", "span_ns",
  "content_bytes", "n_damaged", "imported_at",
]

[column]
run_id = { type = "BIGINT", unit = "id", help = "Run" }
kind.help = "measured or predicted"
n_traces = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of traces" }
n_ranks = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of distinct ranks" }
world_size = { type = "BIGINT", unit = "count", nullable = true, help = "Number of ranks of the job, if recorded" }
formats = { type = "VARCHAR", unit = "text", help = "Imported formats of the traces" }
n_slices.help = "Number of slices of all its traces"
n_damaged = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of traces of damaged files, parts of which could not be read" }
imported_at = { type = "TIMESTAMP", unit = "UTC", help = "When the last trace was imported" }

[column.span_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Duration of the longest trace; NULL if all are empty"

[changes]
2 = "new column n_damaged"
1 = "first version"
--- */
WITH slice_count AS (
  SELECT trace_id, count(*) AS n_slices
  FROM slice
  GROUP BY trace_id
),
file AS (
  SELECT trace_id, sum(n_content_bytes)::BIGINT AS content_bytes
  FROM source_file
  GROUP BY trace_id
),
named AS (
  SELECT run_id, string_agg(format, ', ' ORDER BY format) AS formats
  FROM (SELECT DISTINCT run_id, format FROM trace)
  GROUP BY run_id
)
SELECT
  r.id AS run_id,
  r.name AS run,
  r.kind,
  count(*) AS n_traces,
  count(DISTINCT t.rank) AS n_ranks,
  r.world_size,
  n.formats,
  coalesce(sum(s.n_slices), 0)::BIGINT AS n_slices,
  max(t.end_ts - t.start_ts) AS span_ns,
  coalesce(sum(f.content_bytes), 0)::BIGINT AS content_bytes,
  count(t.damage) AS n_damaged,
  max(t.imported_at) AS imported_at
FROM run AS r
JOIN trace AS t ON t.run_id = r.id
JOIN named AS n ON n.run_id = r.id
LEFT JOIN slice_count AS s ON s.trace_id = t.id
LEFT JOIN file AS f ON f.trace_id = t.id
GROUP BY r.id, r.name, r.kind, r.world_size, n.formats
ORDER BY r.id
