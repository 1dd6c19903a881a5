/* ---
name = "link_rpc"
version = 1
title = "Links between the two sides of remote calls, on different hosts"
help = """
A call is the k-th of its key on both sides; if both state the step, the k-th of the key and step.
Requests without a key are counted by name, in runs with two traces that have remote calls.
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["rpc"] }
scale = "run"
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.run_id]
type = "BIGINT"
help = "Run to link"

[column]
from_id.help = "Sent request, or request as the client sees it"
to_id.help = "Received request, or its processing on the server"
kind.help = "rpc"
rule.help = "key, or order for requests without a key"
confidence.help = "1 for a key and step, 0.9 for a key, 0.8 for order"

[changes]
1 = "first version"
--- */
WITH side AS (
  SELECT
    r.slice_id,
    r.trace_id,
    r.kind,
    r.rpc_key,
    contains(r.rpc_key, ';') AS has_key,
    r.step_number,
    row_number() OVER (
      PARTITION BY r.trace_id, r.kind, r.rpc_key, r.step_number ORDER BY r.ts, r.slice_id
    ) AS n_of_step,
    row_number() OVER (PARTITION BY r.trace_id, r.kind, r.rpc_key ORDER BY r.ts, r.slice_id) AS n
  FROM rpc AS r
  JOIN trace AS t ON t.id = r.trace_id
  -- What came from another process of the same host is not a call between hosts.
  ANTI JOIN (
    SELECT from_id AS slice_id FROM link
    WHERE kind = 'rpc' AND link_set = 'default' AND trace_id IS NOT NULL AND run_id = $run_id::BIGINT
    UNION ALL
    SELECT to_id FROM link
    WHERE kind = 'rpc' AND link_set = 'default' AND trace_id IS NOT NULL AND run_id = $run_id::BIGINT
  ) AS x ON x.slice_id = r.slice_id
  WHERE t.run_id = $run_id::BIGINT
    AND r.kind IN ('send', 'recv', 'client', 'server')
),
scale AS (
  SELECT count(DISTINCT trace_id) AS n_traces FROM side
),
pair AS (
  SELECT
    a.slice_id AS from_id,
    b.slice_id AS to_id,
    CASE WHEN a.has_key THEN 'key' ELSE 'order' END AS rule,
    CASE
      WHEN NOT a.has_key THEN 0.8::DOUBLE
      WHEN a.step_number IS NOT NULL AND b.step_number IS NOT NULL THEN 1::DOUBLE
      ELSE 0.9::DOUBLE
    END AS confidence,
    count(*) OVER (PARTITION BY b.slice_id) AS n_senders
  FROM side AS a
  JOIN side AS b
    ON b.rpc_key = a.rpc_key
    AND b.trace_id <> a.trace_id
    AND b.kind = CASE a.kind WHEN 'send' THEN 'recv' WHEN 'client' THEN 'server' END
  CROSS JOIN scale AS s
  WHERE (a.has_key OR s.n_traces = 2)
    AND CASE
      WHEN a.step_number IS NOT NULL AND b.step_number IS NOT NULL
        THEN a.step_number = b.step_number AND a.n_of_step = b.n_of_step
      ELSE a.n = b.n
    END
)
SELECT from_id, to_id, 'rpc' AS kind, rule, confidence
FROM pair
WHERE n_senders = 1
ORDER BY to_id
