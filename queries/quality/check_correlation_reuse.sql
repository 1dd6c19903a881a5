/* ---
name = "check_correlation_reuse"
version = 3
title = "Correlation id shared by several calls"
help = """
Within one trace. A warning if device work has such an id and its cause is uncertain, because the
last call that began before it was taken; otherwise a note. Calls of other processes are not causes
where the processes of streams are known. In a time window, ids of calls and work that run in it.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of calls of the trace with a correlation id"
examples.help = "Up to three ids"

[changes]
3 = "in a time window, calls outside of it share ids, too"
2 = "only device work whose call is uncertain is counted and gives a warning"
1 = "first version"
--- */
WITH shared AS (
  SELECT trace_id, correlation_id, count(*) AS n_calls, min(slice_id) AS slice_id
  FROM whole_launch
  WHERE correlation_id IS NOT NULL
  GROUP BY trace_id, correlation_id
  HAVING count(*) > 1
),
work AS (
  SELECT g.trace_id, g.correlation_id, count(*) AS n_ops
  FROM gpu_op AS g
  JOIN shared AS s ON s.trace_id = g.trace_id AND s.correlation_id = g.correlation_id
  JOIN whole_link AS k
    ON k.to_id = g.slice_id AND k.kind = 'launch' AND k.link_set = 'default' AND k.confidence < 1
  WHERE g.kind <> 'sync'
  GROUP BY g.trace_id, g.correlation_id
),
placed AS (
  SELECT
    s.trace_id,
    s.correlation_id,
    s.n_calls,
    s.slice_id,
    coalesce(w.n_ops, 0) AS n_ops,
    row_number() OVER (
      PARTITION BY s.trace_id ORDER BY coalesce(w.n_ops, 0) DESC, s.slice_id, s.correlation_id
    ) AS place
  FROM shared AS s
  LEFT JOIN work AS w ON w.trace_id = s.trace_id AND w.correlation_id = s.correlation_id
  WHERE w.n_ops > 0
    OR (s.trace_id, s.correlation_id) IN (SELECT trace_id, correlation_id FROM launch)
),
total AS (
  SELECT trace_id, count(*) AS n_calls
  FROM launch
  WHERE correlation_id IS NOT NULL
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    sum(p.n_ops)::BIGINT AS n_ops,
    coalesce(max(a.n_calls), 0) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'id ' || p.correlation_id || ': ' || p.n_calls || ' calls, first slice ' || p.slice_id
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  LEFT JOIN total AS a ON a.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'correlation_reuse' AS check_name,
  CASE WHEN f.n_ops > 0 THEN 'warning' ELSE 'note' END AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Several calls share a correlation id; ' || f.n_ops || ' device operations have such an id, and '
    || 'their launching call was inferred from times.' AS meaning,
  'Check the confidence of launch links if the launching call matters.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
