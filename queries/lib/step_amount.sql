/* ---
name = "step_amount"
version = 1
title = "Amount of each step of two sides, ranks averaged, and which steps are warm-up"
help = """
The parameters are those of step_change, which describes them. The amounts of the ranks of a run are
averaged within a step; a step that a row lacks counts as 0; one with NULL, NaN or
an infinite amount is left out of the row.

Steps at the start of a run that are slower than the median by more than 5 % and by six scaled median
absolute deviations are warm-up; of runs of five or more steps also those, but less than half, that
are slower than the slowest of the later half by more than 5 % and by the range of that half. An
outlier is a step of warm-up, or one that far from the median anywhere, in either direction.
"""
grain = ["row_number", "side", "run_id", "position"]
requires = { schema = ">=1" }
columns = [
  "row_number", "side", "run_id", "position", "place", "amount", "is_warm_up", "is_outlier",
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
side = { type = "VARCHAR", unit = "text", help = "Name of the side, as in sides" }
position = { type = "BIGINT", unit = "count", help = "Step, as in positions" }
place = { type = "BIGINT", unit = "count", check = "> 0", help = "Place of the step among those of its run, from 1" }
amount = { type = "DOUBLE", unit = "see amounts", help = "Mean over the ranks" }
is_warm_up = { type = "BOOLEAN", unit = "boolean", help = "Whether the step and all before it are slow" }
is_outlier = { type = "BOOLEAN", unit = "boolean", help = "Whether it is warm-up or far from the median" }

[changes]
1 = "first version"
--- */
WITH given AS (
  SELECT
    unnest($row_numbers::BIGINT[]) AS row_number,
    unnest($sides::VARCHAR[]) AS side,
    unnest($run_ids::BIGINT[]) AS run_id,
    unnest($trace_ids::BIGINT[]) AS trace_id,
    unnest($positions::BIGINT[]) AS position,
    unnest($amounts::DOUBLE[]) AS amount
),
sample AS (
  SELECT * REPLACE (CASE WHEN isfinite(amount) THEN amount END AS amount)
  FROM given
),
axis AS (
  SELECT side, run_id, position, count(DISTINCT trace_id) AS n_traces
  FROM sample
  GROUP BY side, run_id, position
),
-- Sums in order of magnitude keep the last digit independent of the number of threads.
summed AS (
  SELECT
    row_number,
    side,
    run_id,
    position,
    list_sum(list(amount ORDER BY amount) FILTER (WHERE amount IS NOT NULL)) AS amount,
    sum(CASE WHEN amount IS NULL THEN 1 ELSE 0 END) AS n_left_out
  FROM sample
  GROUP BY row_number, side, run_id, position
),
stepped AS (
  SELECT
    r.row_number,
    a.side,
    a.run_id,
    a.position,
    coalesce(s.amount, 0) / (a.n_traces - coalesce(s.n_left_out, 0)) AS amount
  FROM (SELECT DISTINCT row_number FROM sample) AS r
  CROSS JOIN axis AS a
  LEFT JOIN summed AS s
    ON s.row_number = r.row_number
    AND s.side = a.side
    AND s.run_id = a.run_id
    AND s.position = a.position
  WHERE a.n_traces > coalesce(s.n_left_out, 0)
),
centred AS (
  SELECT
    *,
    median(amount) OVER series AS middle,
    row_number() OVER (PARTITION BY row_number, side, run_id ORDER BY position) AS place,
    (count(*) OVER series - 1) // 2 AS n_early
  FROM stepped
  WINDOW series AS (PARTITION BY row_number, side, run_id)
),
scaled AS (
  SELECT
    *,
    greatest(
      6 * 1.4826 * median(abs(amount - middle)) OVER (PARTITION BY row_number, side, run_id),
      0.05 * abs(middle)
    ) AS reach,
    max(CASE WHEN place > n_early THEN amount END) OVER series AS late_most,
    min(CASE WHEN place > n_early THEN amount END) OVER series AS late_least
  FROM centred
  WINDOW series AS (PARTITION BY row_number, side, run_id)
),
-- The steps before the first that is not slow are warm-up.
warmed AS (
  SELECT
    *,
    min(
      CASE
        WHEN amount - middle > reach THEN NULL
        WHEN n_early >= 2
          AND place <= n_early
          AND amount - late_most > greatest(late_most - late_least, 0.05 * abs(late_most))
        THEN NULL
        ELSE place
      END
    ) OVER (PARTITION BY row_number, side, run_id) - 1 AS n_warm_up
  FROM scaled
)
SELECT
  row_number,
  side,
  run_id,
  position,
  place,
  amount,
  place <= n_warm_up AS is_warm_up,
  abs(amount - middle) > reach OR place <= n_warm_up AS is_outlier
FROM warmed
