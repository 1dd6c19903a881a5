/* ---
name = "gradient_part_rate"
version = 1
title = "How long messages and operations of servers take by the size of the part"
help = """
For each kind a line with the least squares of relative errors and no negative coefficient, fitted to all links
and threads, times the mean ratio of each of them to it. A slope requires two sizes a factor of 2 apart. Without
them, bytes_per_s is the rate of pushes and of answers to pulls, and operations take a time proportional to the size.
"""
grain = ["run_id", "kind", "process"]
requires = { schema = ">=18", queries = ["gradient_part_node@1"] }
scale = "run"
columns = ["run_id", "kind", "process", "fixed_ns", "slope_ns", "n_nodes", "least_size", "most_size", "has_sizes"]

[param.bytes_per_s]
type = "DOUBLE"
unit = "byte/s"
default = 0.0
min = 0
help = "Rate of messages; 0: as fitted to the recorded ones"

[column]
kind.help = "PUSH_REQ, PUSH_RES, PULL_REQ, PULL_RES, COPY_FIRST, SUM or COPY_MERGED"
process = { type = "VARCHAR", unit = "text", help = "Link or thread of a server" }
fixed_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time besides the bytes" }
slope_ns = { type = "DOUBLE", unit = "ns/byte", check = ">= 0", help = "Time for each byte" }
n_nodes = { type = "BIGINT", unit = "count", check = "> 0", help = "Nodes of the kind that the line is fitted to" }
least_size = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Smallest part" }
most_size = { type = "DOUBLE", unit = "byte", check = ">= 0", help = "Largest part" }
has_sizes = { type = "BOOLEAN", unit = "bool", help = "Whether two parts differ by a factor of 2 in size" }

[changes]
1 = "first version"
--- */
WITH point AS MATERIALIZED (
  SELECT run_id, kind, process, bytes AS x, dur_ns AS y
  FROM gradient_part_node()
  WHERE dur_ns > 0 AND bytes > 0
),
-- each point counts as the inverse of its square: relative errors
total AS (
  SELECT
    run_id, kind, count(*) AS n,
    sum(1 / (y * y)) AS w, sum(x / (y * y)) AS wx, sum(1 / y) AS wy, sum(x * x / (y * y)) AS wxx, sum(x / y) AS wxy,
    min(x) AS least_size, max(x) AS most_size, max(x) >= 2 * min(x) AS has_sizes,
    kind IN ('PUSH_REQ', 'PULL_RES') AS is_sent, kind IN ('PUSH_RES', 'PULL_REQ') AS is_empty,
    avg(y) AS mean_ns, avg(x) AS mean_size
  FROM point
  GROUP BY run_id, kind
),
free AS (
  SELECT
    *,
    CASE
      WHEN is_sent AND $bytes_per_s::DOUBLE > 0 THEN 1e9 / $bytes_per_s::DOUBLE
      WHEN is_empty THEN 0
      WHEN has_sizes THEN greatest((w * wxy - wx * wy) / (w * wxx - wx * wx), 0)
      WHEN is_sent THEN 0
      ELSE mean_ns / mean_size
    END AS free_slope,
    is_sent AND $bytes_per_s::DOUBLE > 0 AS is_given
  FROM total
),
line AS (
  SELECT
    *,
    CASE WHEN wy < free_slope * wx AND NOT is_given THEN wxy / wxx ELSE free_slope END AS slope_ns,
    greatest(wy - free_slope * wx, 0) / w AS fixed_ns
  FROM free
),
ratio AS (
  SELECT p.run_id, p.kind, p.process, avg(p.y / (l.fixed_ns + l.slope_ns * p.x)) AS ratio
  FROM point AS p
  JOIN line AS l ON l.run_id = p.run_id AND l.kind = p.kind
  GROUP BY p.run_id, p.kind, p.process
)
SELECT
  l.run_id,
  l.kind,
  r.process,
  -- sums of fractions depend on their order in the last digits
  round(l.fixed_ns * r.ratio, 3) AS fixed_ns,
  round(CASE WHEN l.is_given THEN l.slope_ns ELSE l.slope_ns * r.ratio END, 9) AS slope_ns,
  l.n AS n_nodes,
  l.least_size,
  l.most_size,
  l.has_sizes
FROM line AS l
JOIN ratio AS r ON r.run_id = l.run_id AND r.kind = l.kind
ORDER BY l.run_id, l.kind, r.process
