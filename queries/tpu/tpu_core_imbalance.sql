/* ---
name = "tpu_core_imbalance"
version = 2
title = "Imbalance between TPU cores, by engine"
help = """
For each engine of cores: the longest, shortest and mean working time of a core. imbalance is how
much longer the longest works than the mean: the cost of waiting for it if all wait. Cores without a
command of the engine only count if they have commands of another engine. A time window contains the
commands that run in it, whole.
"""
grain = ["trace_id", "engine"]
requires = { schema = ">=9", queries = ["tpu_engine_step@2"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "engine", "n_cores", "min_work_ns", "mean_work_ns", "max_work_ns",
  "slowest_core", "fastest_core", "imbalance", "first_end_ns", "last_end_ns",
]

[column]
engine.help = "TIU, GDMA or SDMA"
n_cores.help = "Number of cores"
min_work_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Shortest working time of a core" }
mean_work_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Mean working time of a core" }
max_work_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Longest working time of a core" }
slowest_core = { type = "BIGINT", unit = "count", help = "Core with the longest working time; the lowest of several" }
fastest_core = { type = "BIGINT", unit = "count", help = "Core with the shortest working time; the lowest of several" }

[column.imbalance]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "max_work_ns / mean_work_ns - 1; NULL if no core works"

[column.first_end_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Earliest end of the engine's commands on a core, on the time axis of slice.ts"

[column.last_end_ns]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Latest end of the engine's commands on a core, on the time axis of slice.ts"

[changes]
2 = "same figures, reads less"
1 = "first version"
--- */
WITH worked AS (
  SELECT
    trace_id,
    engine,
    core,
    sum(work_ns)::BIGINT AS work_ns,
    max(end_ns) AS end_ns
  FROM tpu_engine_step()
  WHERE core IS NOT NULL
  GROUP BY trace_id, engine, core
),
core_engine AS (
  SELECT e.trace_id, e.engine, c.core
  FROM (SELECT DISTINCT trace_id, engine FROM worked) AS e
  JOIN (SELECT DISTINCT trace_id, core FROM worked) AS c ON c.trace_id = e.trace_id
),
filled AS (
  SELECT p.trace_id, p.engine, p.core, coalesce(w.work_ns, 0) AS work_ns, w.end_ns
  FROM core_engine AS p
  LEFT JOIN worked AS w
    ON w.trace_id = p.trace_id AND w.engine = p.engine AND w.core = p.core
),
ranked AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id, engine ORDER BY work_ns DESC, core) AS from_slowest,
    row_number() OVER (PARTITION BY trace_id, engine ORDER BY work_ns, core) AS from_fastest
  FROM filled
)
SELECT
  t.run_id,
  r.trace_id,
  t.rank,
  r.engine,
  count(*) AS n_cores,
  min(r.work_ns) AS min_work_ns,
  avg(r.work_ns) AS mean_work_ns,
  max(r.work_ns) AS max_work_ns,
  max(CASE WHEN r.from_slowest = 1 THEN r.core END) AS slowest_core,
  max(CASE WHEN r.from_fastest = 1 THEN r.core END) AS fastest_core,
  CASE
    WHEN max(r.work_ns) > 0 THEN greatest(max(r.work_ns) / avg(r.work_ns) - 1, 0)
  END AS imbalance,
  min(r.end_ns) AS first_end_ns,
  max(r.end_ns) AS last_end_ns
FROM ranked AS r
JOIN trace AS t ON t.id = r.trace_id
GROUP BY t.run_id, r.trace_id, t.rank, r.engine
ORDER BY t.run_id, t.rank, r.trace_id, r.engine
