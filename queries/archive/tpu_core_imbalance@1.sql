/* ---
name = "tpu_core_imbalance"
version = 1
title = "How unevenly the cores of a TPU work"
help = """
For each engine of cores: the core that works longest, the shortest, the mean. imbalance is how much longer the
longest works than the mean: what waiting for it costs where all wait. Cores without a command of the
engine count only if they have commands of another.
"""
grain = ["trace_id", "engine"]
requires = { schema = ">=9", queries = ["tpu_engine_step@1"] }

[[column]]
name = "run_id"
type = "BIGINT"
unit = "ref run.id"
help = "The run"

[[column]]
name = "trace_id"
type = "BIGINT"
unit = "ref trace.id"
help = "The trace"

[[column]]
name = "rank"
type = "BIGINT"
unit = "count"
nullable = true
help = "The trace's rank, if known"

[[column]]
name = "engine"
type = "VARCHAR"
unit = "text"
help = "TIU, GDMA or SDMA"

[[column]]
name = "n_cores"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "Cores"

[[column]]
name = "min_work_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Working time of the core that works least"

[[column]]
name = "mean_work_ns"
type = "DOUBLE"
unit = "ns"
check = ">= 0"
help = "Mean"

[[column]]
name = "max_work_ns"
type = "BIGINT"
unit = "ns"
check = ">= 0"
help = "Working time of the core that works most"

[[column]]
name = "slowest_core"
type = "BIGINT"
unit = "count"
help = "That core, the lowest of several"

[[column]]
name = "fastest_core"
type = "BIGINT"
unit = "count"
help = "The core that works least, the lowest of several"

[[column]]
name = "imbalance"
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "max_work_ns / mean_work_ns - 1; NULL when nobody works"

[[column]]
name = "first_end_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Earliest end of a core's commands of the engine, on the scale of slice.ts"

[[column]]
name = "last_end_ns"
type = "BIGINT"
unit = "ns"
nullable = true
help = "Latest"

[changes]
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
place AS (
  SELECT e.trace_id, e.engine, c.core
  FROM (SELECT DISTINCT trace_id, engine FROM worked) AS e
  JOIN (SELECT DISTINCT trace_id, core FROM worked) AS c ON c.trace_id = e.trace_id
),
filled AS (
  SELECT p.trace_id, p.engine, p.core, coalesce(w.work_ns, 0) AS work_ns, w.end_ns
  FROM place AS p
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
