/* ---
name = "kernel_match"
version = 1
title = "Names of device work on two sides that are the same work, or replace each other"
help = """
The parameters are lists of equal length, one entry per name of a side; names are matched within a
kind and class. A name on both sides is matched exactly (match_rule name). A name on only one side is
matched with one on only the other side by the first of the other rules, in the order of match_rule,
that gives a unique match on both sides. compare_kernels describes the rules.
"""
grain = ["side", "kind", "class", "name"]
requires = { schema = ">=1", queries = ["kernel_key@2"] }
columns = ["side", "kind", "class", "name", "match_rule", "key"]

[param.sides]
type = "VARCHAR[]"
unit = "text"
help = "Side of each name: a or b"

[param.kinds]
type = "VARCHAR[]"
unit = "text"
help = "Kind of each: kernel, memcpy or memset"

[param.classes]
type = "VARCHAR[]"
unit = "text"
help = "Class of each: compute, communication or memory"

[param.names]
type = "VARCHAR[]"
unit = "text"
help = "Names, as in kernel_key"

[param.op_names]
type = "VARCHAR[]"
unit = "text"
help = "Operator that called each most often; NULL: unknown"

[param.rates]
type = "DOUBLE[]"
unit = "ratio"
help = "Executions of each, per step or trace"

[column]
side = { type = "VARCHAR", unit = "text", check = "IN ('a', 'b')", help = "a or b" }
kind.help = "kernel, memcpy or memset"
class.help = "compute, communication or memory"
name = { type = "VARCHAR", unit = "text", help = "Name of the device work" }
key = { type = "VARCHAR", unit = "text", help = "Equal for matched names of a kind and class" }

[column.match_rule]
type = "VARCHAR"
unit = "text"
nullable = true
help = "name, mangled, spelling, signature, variant, operator, operator_count, base_name or operator_group; NULL: on one side only"

[changes]
1 = "first version"
--- */
WITH given AS (
  SELECT
    unnest($sides::VARCHAR[]) AS side,
    unnest($kinds::VARCHAR[]) AS kind,
    unnest($classes::VARCHAR[]) AS class,
    unnest($names::VARCHAR[]) AS name,
    unnest($op_names::VARCHAR[]) AS op_name,
    unnest($rates::DOUBLE[]) AS rate
),
named AS (
  SELECT *, count(*) OVER (PARTITION BY kind, class, name) AS n_sides
  FROM given
),
-- Names of one side only; first, those that are another spelling of one name.
lone AS (
  SELECT n.side, n.kind, n.class, n.name, n.op_name, n.rate, k.mangled, k.spelling, k.signature,
    k.variant, k.base_name
  FROM named AS n
  JOIN kernel_key() AS k ON k.kind = n.kind AND k.class = n.class AND k.name = n.name
  WHERE n.n_sides = 1
),
keyed AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY side, kind, class, match_rule, key) AS n_of_key
  FROM (
    SELECT side, kind, class, name, NULL AS variant, 'mangled' AS match_rule, 1 AS precedence,
      mangled AS key
    FROM lone
    UNION ALL
    SELECT side, kind, class, name, NULL, 'spelling', 2, spelling FROM lone
    UNION ALL
    SELECT side, kind, class, name, variant, 'signature', 3, signature FROM lone
  )
  WHERE key IS NOT NULL
),
candidate AS (
  SELECT
    a.kind,
    a.class,
    a.name AS name_a,
    b.name AS name_b,
    CASE WHEN a.variant <> b.variant THEN 'variant' ELSE a.match_rule END AS match_rule,
    row_number() OVER (PARTITION BY a.kind, a.class, a.name ORDER BY a.precedence) AS place_a,
    row_number() OVER (PARTITION BY a.kind, a.class, b.name ORDER BY a.precedence) AS place_b
  FROM keyed AS a
  JOIN keyed AS b
    ON b.kind = a.kind AND b.class = a.class AND b.match_rule = a.match_rule AND b.key = a.key
  WHERE a.side = 'a' AND b.side = 'b' AND a.n_of_key = 1 AND b.n_of_key = 1
),
respelled AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM candidate
  WHERE place_a = 1 AND place_b = 1
),
-- Next, names that replace another under the same operator.
called AS (
  SELECT
    l.side,
    l.kind,
    l.class,
    l.name,
    l.op_name,
    l.rate,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.op_name) AS n_of_op,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.op_name, l.rate) AS n_of_rate
  FROM lone AS l
  LEFT JOIN respelled AS r
    ON r.kind = l.kind AND r.class = l.class
    AND l.name = CASE l.side WHEN 'a' THEN r.name_a ELSE r.name_b END
  WHERE l.op_name IS NOT NULL AND r.kind IS NULL
),
replaced AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM respelled
  UNION ALL
  SELECT
    a.kind,
    a.class,
    a.name AS name_a,
    b.name AS name_b,
    CASE WHEN a.n_of_op = 1 AND b.n_of_op = 1 THEN 'operator' ELSE 'operator_count' END
      AS match_rule
  FROM called AS a
  JOIN called AS b
    ON b.kind = a.kind AND b.class = a.class AND b.op_name = a.op_name
  WHERE a.side = 'a'
    AND b.side = 'b'
    AND (
      (a.n_of_op = 1 AND b.n_of_op = 1)
      OR (a.rate = b.rate AND a.n_of_rate = 1 AND b.n_of_rate = 1)
    )
),
-- Last, names that replace another with the same base name.
based AS (
  SELECT
    l.side,
    l.kind,
    l.class,
    l.name,
    l.base_name,
    count(*) OVER (PARTITION BY l.side, l.kind, l.class, l.base_name) AS n_of_name
  FROM lone AS l
  LEFT JOIN replaced AS r
    ON r.kind = l.kind AND r.class = l.class
    AND l.name = CASE l.side WHEN 'a' THEN r.name_a ELSE r.name_b END
  WHERE l.base_name IS NOT NULL AND r.kind IS NULL
),
matched AS (
  SELECT kind, class, name_a, name_b, match_rule
  FROM replaced
  UNION ALL
  SELECT a.kind, a.class, a.name AS name_a, b.name AS name_b, 'base_name' AS match_rule
  FROM based AS a
  JOIN based AS b ON b.kind = a.kind AND b.class = a.class AND b.base_name = a.base_name
  WHERE a.side = 'a' AND b.side = 'b' AND a.n_of_name = 1 AND b.n_of_name = 1
),
-- At the end, all remaining names of an operator on both sides, as where one kernel is split.
left_over AS (
  SELECT
    n.side,
    n.kind,
    n.class,
    n.name,
    n.op_name,
    max(CASE WHEN n.side = 'a' THEN 1 ELSE 0 END) OVER of_op
      + max(CASE WHEN n.side = 'b' THEN 1 ELSE 0 END) OVER of_op AS n_sides
  FROM named AS n
  LEFT JOIN matched AS r
    ON r.kind = n.kind AND r.class = n.class
    AND n.name = CASE n.side WHEN 'a' THEN r.name_a ELSE r.name_b END
  WHERE n.n_sides = 1 AND r.kind IS NULL
  WINDOW of_op AS (PARTITION BY n.kind, n.class, n.op_name)
)
SELECT 'a' AS side, kind, class, name_a AS name, match_rule, 'pair ' || name_a AS key
FROM matched
UNION ALL
SELECT 'b', kind, class, name_b, match_rule, 'pair ' || name_a
FROM matched
UNION ALL
SELECT side, kind, class, name, 'name', 'name ' || name
FROM named
WHERE n_sides = 2
UNION ALL
SELECT side, kind, class, name, 'operator_group', 'operator ' || op_name
FROM left_over
WHERE n_sides = 2 AND op_name IS NOT NULL
UNION ALL
SELECT side, kind, class, name, NULL, side || ' ' || name
FROM left_over
WHERE n_sides = 1 OR op_name IS NULL
