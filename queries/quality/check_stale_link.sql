/* ---
name = "check_stale_link"
version = 1
title = "Links missing or made by another version"
help = """
Compares the linkers recorded at the import of each trace with the linkers of this program, which
`tw check` passes as parameters. Without parameters a trace is compared with the linkers of the
other traces in scope: the newest version of each linker that ran, with its newest content. Links
between the traces of a run are recorded at its last trace, so check whole runs. Links are missing
if an import was interrupted.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "sql"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[param.linkers]
type = "VARCHAR[]"
default = []
help = "Linkers of this program that work within a trace, as link_launch@1 followed by a space and contract= and the first 16 digits of the digest of its contract; if this and run_linkers are empty, the linkers that ran"

[param.run_linkers]
type = "VARCHAR[]"
default = []
help = "As linkers, for linkers that work between the traces of a run"

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of linkers that apply to the trace"
examples.help = "Up to three linkers, with the difference of each"

[changes]
1 = "first version"
--- */
-- Name, version and contract of each linker. Traces linked before contracts were recorded have a
-- hash of texts in its place, which is not compared.
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
    nullif(split_part(key, ' contract=', 2), '') AS contract
  FROM noted
),
-- The contracts of each version; the last one used is the newest.
version_contract AS (
  SELECT
    name,
    version,
    substr(content_hash, 1, 16) AS contract,
    row_number() OVER (
      PARTITION BY name, version ORDER BY first_used_at DESC, content_hash
    ) AS age
  FROM query_version
),
ran AS (
  SELECT l.*, m.age
  FROM linker AS l
  LEFT JOIN version_contract AS m ON m.name = l.name AND m.version = l.version AND m.contract = l.contract
  WHERE l.trace_id IS NOT NULL
),
newest AS (
  SELECT what, name, version, contract
  FROM linker
  WHERE trace_id IS NULL
  UNION ALL
  SELECT what, name, version, contract
  FROM (
    SELECT
      what,
      name,
      version,
      contract,
      row_number() OVER (
        PARTITION BY what, name ORDER BY version DESC, age NULLS LAST, contract NULLS LAST
      ) AS place
    FROM ran
    WHERE NOT EXISTS (SELECT 1 FROM given)
  )
  WHERE place = 1
  UNION ALL
  -- If no linker between traces has run, none is known by name.
  SELECT 'run_linked', 'every linker between traces', NULL, NULL
  WHERE
    NOT EXISTS (SELECT 1 FROM given)
    AND NOT EXISTS (SELECT 1 FROM ran WHERE what = 'run_linked')
    AND EXISTS (SELECT 1 FROM ran)
),
link_scope AS (
  SELECT 'linked' AS what, id AS trace_id
  FROM trace
  UNION ALL
  SELECT 'run_linked' AS what, max(id) AS trace_id
  FROM trace
  GROUP BY run_id
  HAVING count(*) > 1
),
expected AS (
  SELECT
    p.trace_id,
    p.what,
    n.name,
    n.version,
    n.contract
  FROM link_scope AS p
  JOIN newest AS n ON n.what = p.what
),
compared AS (
  SELECT
    coalesce(w.trace_id, r.trace_id) AS trace_id,
    coalesce(w.name, r.name) || coalesce('@' || coalesce(w.version, r.version), '') AS key,
    CASE
      WHEN w.trace_id IS NULL THEN 'ran and is not a linker of this version'
      WHEN r.trace_id IS NULL THEN 'has not run'
      WHEN w.version <> r.version THEN 'has not run, only version ' || r.version
      WHEN w.contract <> r.contract THEN 'ran with another contract'
    END AS fault
  FROM expected AS w
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
  'The links were made by another version of tw or are missing; figures that depend on them '
    || 'may differ from those of this version.' AS meaning,
  '`tw link` rebuilds them.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
