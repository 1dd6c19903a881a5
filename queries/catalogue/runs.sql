/* ---
name = "runs"
version = 1
title = "The runs: traces, ranks, formats, slices, length and size"
help = """
One run is one job on one or many ranks. Its length is that of its longest trace: clocks of different
ranks need not agree.
"""
grain = ["run_id"]

[[column]]
name = "run_id"
type = "BIGINT"
unit = "id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "measured or predicted"

[[column]]
name = "n_traces"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Traces"

[[column]]
name = "n_ranks"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Different ranks among them"

[[column]]
name = "world_size"
type = "BIGINT"
unit = "count"
nullable = true
help = "Ranks of the job, if the files say"

[[column]]
name = "formats"
type = "VARCHAR"
unit = "text"
help = "What its traces were read as"

[[column]]
name = "n_slices"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Slices of all its traces"

[[column]]
name = "span_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Length of its longest trace; NULL when all are empty"

[[column]]
name = "content_bytes"
type = "BIGINT"
unit = "byte"
check = ">= 0"
help = "Size of its files after decompression"

[[column]]
name = "imported_at"
type = "TIMESTAMP"
unit = "UTC"
help = "When its last trace was imported"

[changes]
1 = "first version"
--- */
WITH sliced AS (
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
  max(t.imported_at) AS imported_at
FROM run AS r
JOIN trace AS t ON t.run_id = r.id
JOIN named AS n ON n.run_id = r.id
LEFT JOIN sliced AS s ON s.trace_id = t.id
LEFT JOIN file AS f ON f.trace_id = t.id
GROUP BY r.id, r.name, r.kind, r.world_size, n.formats
ORDER BY r.id
