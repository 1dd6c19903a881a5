/* ---
name = "link_launch"
version = 2
title = "Runtime or driver call → the device work it caused"
help = """Device work and its call share a correlation id. Where several calls of a trace carry the same
id (several processes, a wrapped counter, a call inside another), the last one that began before the
work is its cause; where all of them began later, the first. One call may cause much work: a graph
launch does."""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch", "gpu_op"] }
portable = false

[param.trace_id]
type = "BIGINT"
help = "The trace to link"

[[column]]
name = "from_id"
type = "BIGINT"
unit = "id"
help = "Slice of the call"

[[column]]
name = "to_id"
type = "BIGINT"
unit = "id"
help = "Slice of the device work"

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "launch; sync_call where the work is a wait"

[[column]]
name = "rule"
type = "VARCHAR"
unit = "text"
help = "correlation"

[[column]]
name = "confidence"
type = "DOUBLE"
unit = "ratio"
check = "between 0 and 1"
help = "1 where one call has the id, 0.9 where the last of several was taken, 0.5 where all began after the work"

[changes]
2 = "ids that many calls share cost no more than others; work before all its calls has confidence 0.5"
1 = "first version"
--- */
WITH call AS (
  SELECT correlation_id, count(*) AS n_calls, min(slice_id) AS call_id
  FROM launch
  WHERE trace_id = $trace_id::BIGINT
    AND correlation_id IS NOT NULL
  GROUP BY correlation_id
),
work AS MATERIALIZED (
  SELECT g.slice_id, g.kind, g.ts, g.correlation_id, c.n_calls, c.call_id
  FROM call AS c
  JOIN gpu_op AS g ON g.correlation_id = c.correlation_id
  WHERE g.trace_id = $trace_id::BIGINT
),
repeated AS (
  SELECT
    l.slice_id,
    l.correlation_id,
    -- the first call of an id also stands for all the time before it
    CASE
      WHEN row_number() OVER (PARTITION BY l.correlation_id ORDER BY l.ts, l.slice_id) > 1 THEN l.ts
      ELSE -9223372036854775807
    END AS from_ts,
    l.ts
  FROM launch AS l
  SEMI JOIN (
    SELECT DISTINCT correlation_id FROM work WHERE n_calls > 1
  ) AS w ON w.correlation_id = l.correlation_id
  WHERE l.trace_id = $trace_id::BIGINT
)
SELECT
  call_id AS from_id,
  slice_id AS to_id,
  CASE WHEN kind = 'sync' THEN 'sync_call' ELSE 'launch' END AS kind,
  'correlation' AS rule,
  confidence
FROM (
  SELECT slice_id, kind, call_id, 1::DOUBLE AS confidence
  FROM work
  WHERE n_calls = 1
  UNION ALL
  SELECT
    w.slice_id,
    w.kind,
    r.slice_id,
    CASE WHEN r.ts > w.ts THEN 0.5::DOUBLE ELSE 0.9::DOUBLE END
  FROM (SELECT slice_id, kind, ts, correlation_id FROM work WHERE n_calls > 1) AS w
  ASOF JOIN repeated AS r
    ON r.correlation_id = w.correlation_id
    AND w.ts >= r.from_ts
)
ORDER BY to_id
