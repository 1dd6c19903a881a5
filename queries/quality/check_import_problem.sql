/* ---
name = "check_import_problem"
version = 1
title = "What the import found wrong with the file"
help = """
One row for each kind of defect, such as a file that was cut off; the check's name is followed by
that kind.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "run"
type = "VARCHAR"
unit = "text"
help = "The run's name"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "The trace; NULL: the finding is of the whole run"

[[column]]
name = "trace"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The trace's name"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "check_name"
type = "VARCHAR"
unit = "text"
help = "What was looked for"

[[column]]
name = "severity"
type = "VARCHAR"
unit = "text"
check = "IN ('error', 'warning', 'note')"
help = "error: figures are wrong; warning: some may be; note: good to know"

[[column]]
name = "n_found"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was found"

[[column]]
name = "n_looked_at"
type = "BIGINT"
unit = "count"
nullable = true
help = "NULL: the import counts defects only"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The first one: its place in the file, shortened"

[[column]]
name = "meaning"
type = "VARCHAR"
unit = "text"
help = "What it is, and what it does to figures"

[[column]]
name = "remedy"
type = "VARCHAR"
unit = "text"
help = "What can be done"

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
  CASE f.severity
    WHEN 'error' THEN 'Something of the file was lost: fetch it again or record again, and import it anew.'
    WHEN 'warning' THEN 'The file was repaired while it was read; fetch it again where it was damaged on its way.'
    ELSE 'Nothing needs to be done.'
  END AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id, check_name
