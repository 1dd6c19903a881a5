/* ---
name = "step_change"
version = 1
title = "Change between the steps of two sides: estimate, interval, p and q"
help = """
The parameters are lists of equal length, one entry per sample: the amount of a row (of a report) in
a step of a trace. Every row has an amount in each step of its side that any row has; what is absent
counts as 0, and NULL leaves the step out of the row. The amounts of the ranks of a run are averaged
within a step.

Steps at the start of a run that are far slower than the others are warm-up (step_amount) and left
out. The typical amount is the mean of the other steps without the fifth part that is highest and the
fifth that is lowest. Its variance is that of Yuen's test: of the steps with these parts replaced by
the nearest amount kept.

Steps are not independent. Their autocorrelation is estimated from both sides, after averaging them
in at most 24 blocks of consecutive steps: with and without the replaced parts, of which the greater
counts. It is corrected for its bias in short series, and replaced by an upper bound: 1.9 standard
errors higher, at most 0.9. The variance of a mean of a series with
this autocorrelation follows. t has Welch's degrees of freedom, at most an eighth of the blocks of
both sides (but three), rounded down.

If a side has several runs, the means of its runs are the samples instead, compared with Welch's
test, or, if the other side has one run, with the spread of this side. basis names which.

change_low and change_high bound the typical change with a probability of 95 %; they equal it if
nothing varies. q is the p corrected for the number of rows, after Benjamini and Hochberg.
"""
grain = ["row_number"]
requires = { schema = ">=1", queries = ["step_amount@1", "student_t@1"] }
columns = [
  "row_number", "basis", "n_runs_a", "n_runs_b", "n_steps_a", "n_steps_b", "n_warm_up_a",
  "n_warm_up_b", "outliers_a", "outliers_b", "typical_a", "typical_b", "typical_change",
  "change_low", "change_high", "autocorrelation", "n_effective_a", "n_effective_b", "t",
  "degrees_of_freedom", "p", "q", "reason",
]

[param.row_numbers]
type = "BIGINT[]"
unit = "count"
help = "Row of each sample, any number"

[param.sides]
type = "VARCHAR[]"
unit = "text"
help = "Side of each sample: a or b"

[param.run_ids]
type = "BIGINT[]"
unit = "id"
help = "Run of each sample"

[param.trace_ids]
type = "BIGINT[]"
unit = "id"
help = "Trace, that is rank, of each sample"

[param.positions]
type = "BIGINT[]"
unit = "count"
help = "Step of each sample, in order of time and equal on all ranks"

[param.amounts]
type = "DOUBLE[]"
unit = "see amounts"
help = "Amount of each sample, usually ns"

[column]
row_number = { type = "BIGINT", unit = "count", help = "Row, as in row_numbers" }
n_runs_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of runs with steps on side a" }
n_runs_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_runs_a, on side b" }
n_steps_a.help = "Number of steps of side a, ranks averaged"
n_steps_b.help = "As n_steps_a, on side b"
n_warm_up_a = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of these that are warm-up" }
n_warm_up_b = { type = "BIGINT", unit = "count", check = ">= 0", help = "As n_warm_up_a, on side b" }
outliers_b = { type = "VARCHAR", unit = "text", nullable = true, help = "As outliers_a, on side b" }
typical_b = { type = "DOUBLE", unit = "see amounts", nullable = true, help = "As typical_a, on side b" }
typical_change = { type = "DOUBLE", unit = "see amounts", nullable = true, help = "typical_b - typical_a" }
n_effective_b = { type = "DOUBLE", unit = "count", nullable = true, help = "As n_effective_a, on side b" }

[column.basis]
type = "VARCHAR"
unit = "text"
check = "IN ('steps', 'runs')"
help = "steps: spread between the steps of one run a side; runs: spread between runs"

[column.outliers_a]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Positions of steps of side a that are warm-up or far from the median anywhere, in both directions; NULL: none"

[column.typical_a]
type = "DOUBLE"
unit = "see amounts"
nullable = true
help = "Trimmed mean of the steps of side a without warm-up, or mean of these of all runs; NULL: no steps"

[column.change_low]
type = "DOUBLE"
unit = "see amounts"
nullable = true
help = "Lower end of the 95 % interval of typical_change; NULL: see reason"

[column.change_high]
type = "DOUBLE"
unit = "see amounts"
nullable = true
help = "Upper end of the 95 % interval of typical_change; NULL: see reason"

[column.autocorrelation]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 0.9"
help = "Upper bound of the correlation of a block with the next; NULL: spread between runs, or none"

[column.n_effective_a]
type = "DOUBLE"
unit = "count"
nullable = true
help = "Number of independent samples that would give the mean of side a the same variance"

[column.t]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "typical_change by its standard error; above 0: more on side b"

[column.degrees_of_freedom]
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Degrees of freedom of t"

[column.q]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = "BETWEEN 0 AND 1"
help = "Smallest share of false findings among the rows with a q not above this one"

[column.reason]
type = "VARCHAR"
unit = "text"
nullable = true
check = "IN ('steps', 'constant')"
help = "Why p is NULL: steps, a side has fewer than two; constant, no spread on either side"

[changes]
1 = "first version"
--- */
WITH step AS MATERIALIZED (
  SELECT row_number, side, run_id, position, place, amount, is_warm_up, is_outlier
  FROM step_amount(
    $row_numbers::BIGINT[], $sides::VARCHAR[], $run_ids::BIGINT[], $trace_ids::BIGINT[],
    $positions::BIGINT[], $amounts::DOUBLE[]
  )
),
warmed AS (
  SELECT
    *,
    sum(CASE WHEN is_warm_up THEN 1 ELSE 0 END)
      OVER (PARTITION BY row_number, side, run_id)::BIGINT AS n_warm_up
  FROM step
),
kept AS (
  SELECT
    row_number,
    side,
    run_id,
    amount,
    n_warm_up,
    place - n_warm_up - 1 AS place,
    row_number() OVER (PARTITION BY row_number, side, run_id ORDER BY amount, place) AS size_place,
    count(*) OVER (PARTITION BY row_number, side, run_id) AS n_kept,
    count(*) OVER (PARTITION BY row_number, side, run_id) // 5 AS n_cut
  FROM warmed
  WHERE NOT is_warm_up
),
bounded AS (
  SELECT
    *,
    min(CASE WHEN size_place > n_cut THEN amount END)
      OVER (PARTITION BY row_number, side, run_id) AS least_amount,
    max(CASE WHEN size_place <= n_kept - n_cut THEN amount END)
      OVER (PARTITION BY row_number, side, run_id) AS most_amount
  FROM kept
),
run_mean AS (
  SELECT
    row_number,
    side,
    run_id,
    max(n_kept) AS n_kept,
    max(n_kept - 2 * n_cut) AS n_middle,
    max(n_warm_up) AS n_warm_up,
    list_sum(list(amount ORDER BY size_place)
      FILTER (WHERE size_place > n_cut AND size_place <= n_kept - n_cut))
      / max(n_kept - 2 * n_cut) AS typical
  FROM bounded
  GROUP BY row_number, side, run_id
),
outlier AS (
  SELECT row_number, side, string_agg(position::VARCHAR, ', ' ORDER BY run_id, position) AS positions
  FROM step
  WHERE is_outlier
  GROUP BY row_number, side
),
-- One row per row and side: the samples are runs, or the blocks of steps of the only run.
of_side AS (
  SELECT
    row_number,
    side,
    count(*) AS n_runs,
    sum(n_kept + n_warm_up)::BIGINT AS n_steps,
    sum(n_warm_up)::BIGINT AS n_warm_up,
    max(n_kept) AS n_kept,
    max(n_middle) AS n_middle,
    list_sum(list(typical ORDER BY typical)) / count(*) AS typical
  FROM run_mean
  GROUP BY row_number, side
),
run_square AS (
  SELECT
    r.row_number,
    r.side,
    list_sum(list((r.typical - o.typical) * (r.typical - o.typical) ORDER BY abs(r.typical - o.typical)))
      AS squares
  FROM run_mean AS r
  JOIN of_side AS o ON o.row_number = r.row_number AND o.side = r.side
  GROUP BY r.row_number, r.side
),
block AS (
  SELECT
    row_number,
    side,
    place * least(n_kept, 24) // n_kept AS block_n,
    list_sum(list(greatest(least(amount, most_amount), least_amount) ORDER BY place)) / count(*)
      AS amount,
    list_sum(list(amount ORDER BY place)) / count(*) AS whole_amount
  FROM bounded
  GROUP BY row_number, side, run_id, n_kept, block_n
),
block_mean AS (
  SELECT
    row_number,
    side,
    count(*) AS n_blocks,
    list_sum(list(amount ORDER BY block_n)) / count(*) AS mean,
    list_sum(list(whole_amount ORDER BY block_n)) / count(*) AS whole_mean
  FROM block
  GROUP BY row_number, side
),
block_difference AS (
  SELECT
    b.row_number,
    b.side,
    b.block_n,
    m.n_blocks,
    b.amount - m.mean AS difference,
    lead(b.amount - m.mean) OVER blocks AS following,
    b.whole_amount - m.whole_mean AS whole_difference,
    lead(b.whole_amount - m.whole_mean) OVER blocks AS whole_following
  FROM block AS b
  JOIN block_mean AS m ON m.row_number = b.row_number AND m.side = b.side
  WINDOW blocks AS (PARTITION BY b.row_number, b.side ORDER BY b.block_n)
),
block_square AS (
  SELECT
    row_number,
    side,
    max(n_blocks) AS n_blocks,
    list_sum(list(difference * difference ORDER BY block_n)) AS squares,
    list_sum(list(difference * coalesce(following, 0) ORDER BY block_n)) AS products,
    list_sum(list(whole_difference * whole_difference ORDER BY block_n)) AS whole_squares,
    list_sum(list(whole_difference * coalesce(whole_following, 0) ORDER BY block_n)) AS whole_products
  FROM block_difference
  GROUP BY row_number, side
),
-- Both sides in one row. What does not vary beyond rounding errors is constant.
paired AS (
  SELECT
    r.row_number,
    CASE WHEN coalesce(a.n_runs, 0) > 1 OR coalesce(b.n_runs, 0) > 1 THEN 'runs' ELSE 'steps' END
      AS basis,
    coalesce(a.n_runs, 0) AS n_runs_a,
    coalesce(b.n_runs, 0) AS n_runs_b,
    coalesce(a.n_steps, 0) AS n_steps_a,
    coalesce(b.n_steps, 0) AS n_steps_b,
    coalesce(a.n_warm_up, 0) AS n_warm_up_a,
    coalesce(b.n_warm_up, 0) AS n_warm_up_b,
    a.typical AS typical_a,
    b.typical AS typical_b,
    a.n_kept AS n_kept_a,
    b.n_kept AS n_kept_b,
    a.n_middle AS n_middle_a,
    b.n_middle AS n_middle_b,
    ka.n_blocks::DOUBLE AS n_blocks_a,
    kb.n_blocks::DOUBLE AS n_blocks_b,
    CASE WHEN ka.squares > 1e-24 * a.typical * a.typical THEN ka.squares ELSE 0 END AS squares_a,
    CASE WHEN kb.squares > 1e-24 * b.typical * b.typical THEN kb.squares ELSE 0 END AS squares_b,
    ka.products AS products_a,
    kb.products AS products_b,
    ka.whole_products / nullif(ka.whole_squares, 0) AS whole_correlation_a,
    kb.whole_products / nullif(kb.whole_squares, 0) AS whole_correlation_b,
    ra.squares AS run_squares_a,
    rb.squares AS run_squares_b
  FROM (SELECT DISTINCT row_number FROM step) AS r
  LEFT JOIN of_side AS a ON a.row_number = r.row_number AND a.side = 'a'
  LEFT JOIN of_side AS b ON b.row_number = r.row_number AND b.side = 'b'
  LEFT JOIN block_square AS ka ON ka.row_number = r.row_number AND ka.side = 'a'
  LEFT JOIN block_square AS kb ON kb.row_number = r.row_number AND kb.side = 'b'
  LEFT JOIN run_square AS ra ON ra.row_number = r.row_number AND ra.side = 'a'
  LEFT JOIN run_square AS rb ON rb.row_number = r.row_number AND rb.side = 'b'
),
-- A side that does not vary shows no autocorrelation.
correlated AS (
  SELECT
    row_number,
    n_blocks,
    greatest(
      coalesce(n_blocks_a * products_a / nullif(squares_a, 0), 0)
        + coalesce(n_blocks_b * products_b / nullif(squares_b, 0), 0),
      CASE WHEN squares_a > 0 THEN n_blocks_a * whole_correlation_a ELSE 0 END
        + CASE WHEN squares_b > 0 THEN n_blocks_b * whole_correlation_b ELSE 0 END
    ) / n_blocks AS estimate,
    n_blocks / n_varying AS mean_blocks
  FROM (
    SELECT
      *,
      CASE WHEN squares_a > 0 THEN n_blocks_a ELSE 0 END
        + CASE WHEN squares_b > 0 THEN n_blocks_b ELSE 0 END AS n_blocks,
      CASE WHEN squares_a > 0 THEN 1 ELSE 0 END + CASE WHEN squares_b > 0 THEN 1 ELSE 0 END AS n_varying
    FROM paired
    WHERE basis = 'steps' AND n_kept_a > 1 AND n_kept_b > 1
  )
  WHERE n_varying > 0
),
corrected AS (
  SELECT
    row_number,
    n_blocks,
    greatest(least(estimate + (1 + 3 * greatest(estimate, 0)) / mean_blocks, 0.95), 0) AS estimate
  FROM correlated
),
upper_bound AS (
  SELECT row_number, least(estimate + 1.9 * sqrt((1 - estimate * estimate) / n_blocks), 0.9) AS r
  FROM corrected
),
-- The variance of the mean of n terms of a first-order autoregression is that of n independent
-- terms times `inflation`.
inflated AS (
  SELECT
    p.*,
    u.r,
    (1 + u.r) / (1 - u.r) - 2 * u.r * (1 - pow(u.r, n_blocks_a)) / (n_blocks_a * (1 - u.r) * (1 - u.r))
      AS inflation_a,
    (1 + u.r) / (1 - u.r) - 2 * u.r * (1 - pow(u.r, n_blocks_b)) / (n_blocks_b * (1 - u.r) * (1 - u.r))
      AS inflation_b
  FROM paired AS p
  JOIN upper_bound AS u ON u.row_number = p.row_number
),
test_error AS (
  SELECT
    row_number,
    r,
    n_blocks_a / inflation_a AS n_effective_a,
    n_blocks_b / inflation_b AS n_effective_b,
    squares_a / (n_blocks_a - inflation_a) * inflation_a / n_blocks_a
      * n_kept_a * (n_kept_a - 1) / (n_middle_a * (n_middle_a - 1)) AS error_a,
    squares_b / (n_blocks_b - inflation_b) * inflation_b / n_blocks_b
      * n_kept_b * (n_kept_b - 1) / (n_middle_b * (n_middle_b - 1)) AS error_b,
    least(n_blocks_a, n_middle_a) - 1 AS freedom_a,
    least(n_blocks_b, n_middle_b) - 1 AS freedom_b,
    greatest((n_blocks_a + n_blocks_b) / 8, 3) AS most_freedom
  FROM inflated
  UNION ALL
  SELECT
    row_number,
    NULL AS r,
    n_runs_a AS n_effective_a,
    n_runs_b AS n_effective_b,
    run_squares_a / (n_runs_a - 1) / n_runs_a AS error_a,
    run_squares_b / (n_runs_b - 1) / n_runs_b AS error_b,
    n_runs_a - 1 AS freedom_a,
    n_runs_b - 1 AS freedom_b,
    n_runs_a + n_runs_b AS most_freedom
  FROM paired
  WHERE n_runs_a > 1 AND n_runs_b > 1
  UNION ALL
  -- One run on a side: its spread is that of the other.
  SELECT
    row_number,
    NULL AS r,
    n_runs_a AS n_effective_a,
    n_runs_b AS n_effective_b,
    (run_squares_a + run_squares_b) / (n_runs_a + n_runs_b - 2) * (1 / n_runs_a + 1 / n_runs_b) AS error_a,
    0 AS error_b,
    n_runs_a + n_runs_b - 2 AS freedom_a,
    1 AS freedom_b,
    n_runs_a + n_runs_b AS most_freedom
  FROM paired
  WHERE basis = 'runs' AND least(n_runs_a, n_runs_b) = 1
),
test_t AS (
  SELECT
    e.row_number,
    (p.typical_b - p.typical_a) / sqrt(e.error_a + e.error_b) AS t,
    sqrt(e.error_a + e.error_b) AS error,
    -- Rounding up by a billionth: equal errors give whole numbers but for rounding errors.
    greatest(floor(1e-9 + least(
      (e.error_a + e.error_b) * (e.error_a + e.error_b)
        / (e.error_a * e.error_a / e.freedom_a + e.error_b * e.error_b / e.freedom_b),
      e.most_freedom
    )), 1) AS freedom
  FROM test_error AS e
  JOIN paired AS p ON p.row_number = e.row_number
  WHERE e.error_a + e.error_b > 1e-24 * p.typical_a * p.typical_a
),
numbered AS (
  SELECT *, row_number() OVER (ORDER BY row_number) AS place
  FROM test_t
),
tested AS (
  SELECT n.row_number, n.t, n.freedom, s.quantile * n.error AS margin, s.p
  FROM numbered AS n
  JOIN student_t(
    (SELECT list(t ORDER BY row_number) FROM test_t),
    (SELECT list(freedom::BIGINT ORDER BY row_number) FROM test_t)
  ) AS s ON s.place = n.place
),
-- Benjamini and Hochberg: p times the number of rows by its place, and not above that of a greater p.
placed AS (
  SELECT
    *,
    p * count(*) OVER () / count(*) OVER (ORDER BY p RANGE UNBOUNDED PRECEDING) AS raised_p
  FROM tested
),
controlled AS (
  SELECT *, min(raised_p) OVER (ORDER BY p DESC RANGE UNBOUNDED PRECEDING) AS q
  FROM placed
)
SELECT
  p.row_number,
  p.basis,
  p.n_runs_a,
  p.n_runs_b,
  p.n_steps_a,
  p.n_steps_b,
  p.n_warm_up_a,
  p.n_warm_up_b,
  oa.positions AS outliers_a,
  ob.positions AS outliers_b,
  p.typical_a,
  p.typical_b,
  p.typical_b - p.typical_a AS typical_change,
  CASE WHEN p.is_tested THEN p.typical_b - p.typical_a - coalesce(c.margin, 0) END AS change_low,
  CASE WHEN p.is_tested THEN p.typical_b - p.typical_a + coalesce(c.margin, 0) END AS change_high,
  e.r AS autocorrelation,
  e.n_effective_a,
  e.n_effective_b,
  c.t,
  c.freedom::BIGINT AS degrees_of_freedom,
  c.p,
  c.q,
  CASE WHEN NOT p.is_tested THEN 'steps' WHEN c.p IS NULL THEN 'constant' END AS reason
FROM (
  SELECT
    *,
    CASE basis
      WHEN 'runs' THEN least(n_runs_a, n_runs_b) > 0
      ELSE coalesce(least(n_kept_a, n_kept_b), 0) > 1 AND n_runs_a > 0 AND n_runs_b > 0
    END AS is_tested
  FROM paired
) AS p
LEFT JOIN test_error AS e ON e.row_number = p.row_number
LEFT JOIN controlled AS c ON c.row_number = p.row_number
LEFT JOIN outlier AS oa ON oa.row_number = p.row_number AND oa.side = 'a'
LEFT JOIN outlier AS ob ON ob.row_number = p.row_number AND ob.side = 'b'
