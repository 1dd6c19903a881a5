-- Where findings are drawn: at the longest slice that has the name of their subject, else at the first
-- slice; on the trace of their rank, else on the first of the scope.
WITH placed AS (
  SELECT
    f.*,
    coalesce(
      (SELECT min(t.id) FROM trace AS t WHERE t.rank = f.rank),
      (SELECT arg_min(t.id, (coalesce(t.rank, 0), t.id)) FROM trace AS t)
    ) AS trace_id
  FROM found AS f
),
named AS (
  SELECT s.trace_id, s.name, arg_max(s.ts, (s.dur, -s.ts)) AS ts
  FROM slice AS s
  SEMI JOIN placed AS p ON p.trace_id = s.trace_id AND p.subject = s.name
  GROUP BY s.trace_id, s.name
),
first AS (
  SELECT trace_id, min(ts) AS ts
  FROM slice
  GROUP BY trace_id
)
SELECT p.trace_id, coalesce(n.ts, f.ts) AS ts, p.title, p.args_json
FROM placed AS p
LEFT JOIN named AS n ON n.trace_id = p.trace_id AND n.name = p.subject
LEFT JOIN first AS f ON f.trace_id = p.trace_id
ORDER BY p.place
