/* ---
name = "check_stale_link"
version = 1
title = "Links that another program made, or none, where this one would make others"
help = """
Compares what linked each trace, as its import wrote down, with the linkers of this program, which
`tw check` gives as parameters. Without parameters a trace is compared with what linked the other
traces seen: the newest version of each linker that ran, in its newest meaning. Links between the
traces of a run are noted at its last trace: look at whole runs. They are missing where an import was
interrupted.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }

[param.linkers]
type = "VARCHAR[]"
default = []
help = "Linkers of this program that work within a trace, as link_launch@1, and behind a blank the first 16 digits of the content hash; empty, with run_linkers: those that ran"

[param.run_linkers]
type = "VARCHAR[]"
default = []
help = "The same of those that work between the traces of a run"

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
help = "Linkers that concern the trace"

[[column]]
name = "examples"
type = "VARCHAR"
unit = "text"
nullable = true
help = "At most three linkers, and what is wrong with each"

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
-- What each linker is noted as: its name, version, and the first digits of its hash, if known.
WITH given AS (
  SELECT 'linked' AS what, key
  FROM (SELECT unnest($linkers::VARCHAR[]) AS key)
  UNION ALL
  SELECT 'run_linked' AS what, key
  FROM (SELECT unnest($run_linkers::VARCHAR[]) AS key)
),
noted AS (
  SELECT NULL::BIGINT AS trace_id, what, key
  FROM given
  UNION ALL
  SELECT trace_id, name AS what, detail AS key
  FROM import_stat
  WHERE name IN ('linked', 'run_linked')
),
linker AS (
  SELECT
    trace_id,
    what,
    split_part(key, '@', 1) AS name,
    split_part(split_part(key, '@', 2), ' ', 1)::BIGINT AS version,
    nullif(split_part(key, ' ', 2), '') AS hash
  FROM noted
),
-- How often versions were made to mean something else: the last meaning is the newest.
meaning AS (
  SELECT
    name,
    version,
    substr(content_hash, 1, 16) AS hash,
    row_number() OVER (
      PARTITION BY name, version ORDER BY first_used_at DESC, content_hash
    ) AS age
  FROM query_version
),
ran AS (
  SELECT l.*, m.age
  FROM linker AS l
  LEFT JOIN meaning AS m ON m.name = l.name AND m.version = l.version AND m.hash = l.hash
  WHERE l.trace_id IS NOT NULL
),
newest AS (
  SELECT what, name, version, hash
  FROM linker
  WHERE trace_id IS NULL
  UNION ALL
  SELECT what, name, version, hash
  FROM (
    SELECT
      what,
      name,
      version,
      hash,
      row_number() OVER (
        PARTITION BY what, name ORDER BY version DESC, age NULLS LAST, hash NULLS LAST
      ) AS place
    FROM ran
    WHERE NOT EXISTS (SELECT 1 FROM given)
  )
  WHERE place = 1
  UNION ALL
  -- Where none ever ran between traces, none is known by name.
  SELECT 'run_linked', 'every linker between traces', NULL, NULL
  WHERE
    NOT EXISTS (SELECT 1 FROM given)
    AND NOT EXISTS (SELECT 1 FROM ran WHERE what = 'run_linked')
    AND EXISTS (SELECT 1 FROM ran)
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
wanted AS (
  SELECT
    p.trace_id,
    p.what,
    n.name,
    n.version,
    n.hash,
    EXISTS (SELECT 1 FROM meaning AS m WHERE m.name = n.name AND m.version = n.version)
      AND NOT EXISTS (
        SELECT 1
        FROM meaning AS m
        WHERE m.name = n.name AND m.version = n.version AND m.hash = n.hash
      ) AS was_never_this
  FROM place AS p
  JOIN newest AS n ON n.what = p.what
),
compared AS (
  SELECT
    coalesce(w.trace_id, r.trace_id) AS trace_id,
    coalesce(w.name, r.name) || coalesce('@' || coalesce(w.version, r.version), '') AS key,
    CASE
      WHEN w.trace_id IS NULL THEN 'ran and is no linker any more'
      WHEN r.trace_id IS NULL THEN 'has not run'
      WHEN w.version <> r.version THEN 'has not run, but version ' || r.version
      WHEN coalesce(w.hash <> r.hash, w.hash IS NOT NULL AND w.was_never_this)
        THEN 'has run when it meant something else'
    END AS fault
  FROM wanted AS w
  FULL JOIN ran AS r ON r.trace_id = w.trace_id AND r.what = w.what AND r.name = w.name
),
placed AS (
  SELECT
    trace_id,
    key,
    fault,
    row_number() OVER (PARTITION BY trace_id, fault IS NULL ORDER BY key, fault) AS place
  FROM compared
),
finding AS (
  SELECT
    trace_id,
    sum(CASE WHEN fault IS NOT NULL THEN 1 ELSE 0 END)::BIGINT AS n_found,
    count(*) AS n_looked_at,
    string_agg(CASE WHEN fault IS NOT NULL AND place <= 3 THEN key || ' ' || fault END,
      '; ' ORDER BY place) AS examples
  FROM placed
  GROUP BY trace_id
  HAVING sum(CASE WHEN fault IS NOT NULL THEN 1 ELSE 0 END) > 0
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
  'The links were made by another tw, or not at all; figures that rest on them are not what '
    || 'this one would say of the same file.' AS meaning,
  '`tw link` makes them anew.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
