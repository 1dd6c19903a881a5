/* ---
name = "student_t"
version = 1
title = "Two-sided p and 97.5 % quantile of Student's t"
help = """
The parameters are lists of equal length. p is the probability of a value at least as far from 0 as
t, the quantile that of the 95 % interval around 0. Both are exact to about 1e-12.
"""
grain = ["place"]
requires = { schema = ">=1", queries = ["quadrature_node@1"] }
columns = ["place", "t", "degrees_of_freedom", "p", "quantile"]

[param.t_values]
type = "DOUBLE[]"
unit = "ratio"
help = "Values of t"

[param.degrees_of_freedom]
type = "BIGINT[]"
unit = "count"
help = "Degrees of freedom of each, above 0"

[column]
place = { type = "BIGINT", unit = "count", check = "> 0", help = "Place in the lists, from 1" }
t = { type = "DOUBLE", unit = "ratio", nullable = true, help = "The value; NULL: not a number" }
degrees_of_freedom = { type = "BIGINT", unit = "count", check = "> 0", help = "Degrees of freedom" }
quantile = { type = "DOUBLE", unit = "ratio", check = "> 0", help = "97.5 % quantile" }

[changes]
1 = "first version"
--- */
WITH given AS (
  SELECT
    unnest(range(1, len($t_values::DOUBLE[]) + 1)) AS place,
    unnest($t_values::DOUBLE[]) AS t,
    unnest($degrees_of_freedom::BIGINT[]) AS freedom
),
-- With t = sqrt(df) tan(x) the density of t becomes cos(x) ** (df - 1), which is negligible 12 /
-- sqrt(df) further on; p is its integral beyond |t| divided by that from 0.
rule AS (
  SELECT list(node ORDER BY node) AS nodes, list(weight ORDER BY node) AS weights
  FROM quadrature_node()
),
integral AS (
  SELECT
    freedom,
    least(pi() / 2, 12 / sqrt(freedom)) AS reach,
    list_sum(list_transform(range(1, 25), lambda i:
      reach * r.weights[i] * pow(greatest(cos(reach * r.nodes[i]), 0), freedom - 1))) AS whole
  FROM (SELECT DISTINCT freedom FROM given)
  CROSS JOIN rule AS r
),
-- Newton's steps towards the 97.5 % quantile in x, from the left, where the tail is convex.
quantile AS (
  SELECT
    g.freedom,
    sqrt(g.freedom) * tan(list_reduce(
      list_transform(range(12), lambda i: 0::DOUBLE),
      lambda x, i: x + (
        list_sum(list_transform(range(1, 25), lambda k:
          (least(pi() / 2, x + g.reach) - x) * r.weights[k]
            * pow(greatest(cos(x + (least(pi() / 2, x + g.reach) - x) * r.nodes[k]), 0), g.freedom - 1)))
          - 0.05 * g.whole
      ) / pow(cos(x), g.freedom - 1),
      atan(1.9 / sqrt(g.freedom))
    )) AS t
  FROM integral AS g
  CROSS JOIN rule AS r
),
bounded AS (
  SELECT
    e.place,
    e.t,
    e.freedom,
    g.whole,
    atan(abs(e.t) / sqrt(e.freedom)) AS low,
    least(pi() / 2, atan(abs(e.t) / sqrt(e.freedom)) + g.reach) AS high
  FROM given AS e
  JOIN integral AS g ON g.freedom = e.freedom
)
SELECT
  e.place,
  e.t,
  e.freedom AS degrees_of_freedom,
  least(list_sum(list_transform(range(1, 25), lambda i:
    (e.high - e.low) * r.weights[i]
      * pow(greatest(cos(e.low + (e.high - e.low) * r.nodes[i]), 0), e.freedom - 1)))
    / e.whole, 1) AS p,
  q.t AS quantile
FROM bounded AS e
JOIN quantile AS q ON q.freedom = e.freedom
CROSS JOIN rule AS r
