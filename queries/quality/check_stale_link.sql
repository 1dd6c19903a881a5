/* ---
name = "check_stale_link"
version = 1
title = "Links an older program made, or none, where this one would make others"
help = """
Compares what linked each trace, as its import wrote down, with the linkers of this program, which
`tw check` gives as parameters; without them nothing is stale. Links between the traces of a run
are noted at its last trace.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[param.linkers]
type = "VARCHAR[]"
default = []
help = "Linkers of this program that work within a trace, as link_launch@1"

[param.run_linkers]
type = "VARCHAR[]"
default = []
help = "Linkers of this program that work between the traces of a run"

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
help = "Linkers of this program that concern the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three linkers"

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
WITH newest AS (
  SELECT 'linked' AS what, key
  FROM (SELECT unnest($linkers::VARCHAR[]) AS key)
  UNION ALL
  SELECT 'run_linked' AS what, key
  FROM (SELECT unnest($run_linkers::VARCHAR[]) AS key)
),
place AS (
  SELECT 'linked' AS what, id AS trace_id
  FROM trace
  UNION ALL
  SELECT 'run_linked' AS what, max(id) AS trace_id
  FROM trace
  GROUP BY run_id
  HAVING count(*) > 1
),
ran AS (
  SELECT trace_id, name AS what, detail AS key
  FROM import_stat
  WHERE name IN ('linked', 'run_linked')
),
wanted AS (
  SELECT
    p.trace_id,
    n.what,
    n.key,
    r.key IS NULL AS is_stale,
    row_number() OVER (PARTITION BY p.trace_id, r.key IS NULL ORDER BY n.key) AS place
  FROM place AS p
  JOIN newest AS n ON n.what = p.what
  LEFT JOIN ran AS r ON r.trace_id = p.trace_id AND r.what = n.what AND r.key = n.key
),
finding AS (
  SELECT
    trace_id,
    sum(CASE WHEN is_stale THEN 1 ELSE 0 END)::BIGINT AS n_found,
    count(*) AS n_looked_at,
    string_agg(CASE WHEN is_stale AND place <= 3 THEN key || ' has not run' END, '; ' ORDER BY place)
      AS examples
  FROM wanted
  GROUP BY trace_id
  HAVING sum(CASE WHEN is_stale THEN 1 ELSE 0 END) > 0
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'stale_link' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The links were made by an older tw; figures that rest on them are not what this one '
    || 'would say of the same file.' AS meaning,
  '`tw link` makes them anew.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
