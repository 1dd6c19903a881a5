/* ---
name = "check_import_problem"
version = 1
title = "Import problem"
help = """
One row per kind of problem, such as a truncated file; the kind is appended to the check name.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "NULL: the import counts problems only"
examples.help = "First problem: its position in the file, shortened"

[changes]
1 = "first version"
--- */
WITH finding AS (
  SELECT
    trace_id,
    kind,
    CASE
      WHEN sum(CASE WHEN severity = 'error' THEN 1 ELSE 0 END) > 0 THEN 'error'
      WHEN sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) > 0 THEN 'warning'
      ELSE 'note'
    END AS severity,
    sum("count")::BIGINT AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    min(CASE WHEN "offset" IS NULL THEN example ELSE 'byte ' || "offset" || ': ' || coalesce(example, '') END)
      AS examples,
    min(meaning) AS meaning
  FROM import_problem
  WHERE "count" > 0
  GROUP BY trace_id, kind
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'import_problem: ' || f.kind AS check_name,
  f.severity AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  f.meaning AS meaning,
  CASE
    WHEN f.kind = 'ambiguous_timeline'
      THEN 'Import its timeline and then the graph into a run of their own: --run NAME --on-duplicate replace.'
    WHEN f.severity = 'error' THEN 'Data of the file was lost: copy the file or record again, and import it again.'
    WHEN f.severity = 'warning' THEN 'The import went on without them: copy the file or record again if figures need them.'
    ELSE 'No action needed.'
  END AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id, check_name
