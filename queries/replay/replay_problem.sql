/* ---
name = "replay_problem"
version = 4
title = "Why a run cannot be replayed, or only in part: steps, clocks, rings and missing files of ranks"
help = """
`tw replay` refuses a run that has an error; one of kind clock not with --assume-aligned. Of dPRO
trials: ranks of different steps, hosts whose clocks no Sync relates, a ring that a rank does not
continue, trees instead of rings, ranks without the communication that others recorded, and a time
window that cuts the trial, as the mean of its steps is replayed. A warning names ranks, files or logs
that are missing, so that the replay leaves out what they would contain.
"""
grain = ["run_id", "kind"]
requires = { schema = ">=17", queries = ["dpro_recorded_event@1", "dpro_group@1", "dpro_iteration@1", "dpro_operation@2"] }
scale = "run"
columns = ["run_id", "kind", "severity", "problem", "remedy"]

[column]
kind = { type = "VARCHAR", unit = "text", check = "IN ('steps', 'clock', 'ring', 'communication', 'rank', 'transfers', 'worker', 'messages', 'keys', 'log', 'server', 'window')", help = "Kind of problem" }
severity = { type = "VARCHAR", unit = "text", check = "IN ('error', 'warning')", help = "error: the run is not replayed; warning: it is, without what is missing" }
problem = { type = "VARCHAR", unit = "text", help = "What does not fit, with the ranks" }

[changes]
4 = "a time window that cuts a dPRO trial"
3 = "an incomplete last step of a rank does not count"
2 = "severity; missing ranks, files and logs"
1 = "first version"
--- */
WITH steps_of_rank AS (
  SELECT run_id, process, list(step ORDER BY step) AS steps
  FROM dpro_iteration()
  GROUP BY run_id, process
),
stage_of_rank AS (
  SELECT
    t.run_id,
    g.name AS process,
    t.host_name,
    count(e.slice_id) FILTER (e.stage = 'Sync') AS n_syncs,
    count(e.slice_id) FILTER (e.stage <> 'Sync') AS n_stages
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  LEFT JOIN dpro_recorded_event() AS e ON e.trace_id = t.id AND e.phase = 'Comm'
  WHERE g.kind = 'dpro'
  GROUP BY t.run_id, g.name, t.host_name
),
host AS (
  SELECT run_id, host_name, sum(n_syncs) AS n_syncs, sum(n_stages) AS n_stages
  FROM stage_of_rank
  GROUP BY run_id, host_name
),
channel AS (
  SELECT run_id, unnest(range(max(n_channels))) AS channel
  FROM dpro_group()
  WHERE n_ring_steps IS NOT NULL
  GROUP BY run_id
),
open_ring AS (
  SELECT c.run_id, c.channel, t.rank, g.name AS process
  FROM channel AS c
  JOIN trace AS t ON t.run_id = c.run_id
  JOIN graph AS g ON g.trace_id = t.id AND g.kind = 'dpro'
  WHERE NOT EXISTS (
    FROM communication_edge AS e
    JOIN trace AS o ON o.id = e.trace_id
    WHERE o.run_id = c.run_id AND e.algorithm = 'ring' AND e.channel = c.channel AND e.from_rank = t.rank
  )
),
tree AS (
  SELECT t.run_id
  FROM communication_edge AS e
  JOIN trace AS t ON t.id = e.trace_id
  GROUP BY t.run_id
  HAVING bool_and(e.algorithm = 'tree')
),
-- ranks that a topology names, without a recording
absent AS (
  SELECT t.run_id, unnest([e.from_rank, e.to_rank]) AS rank
  FROM communication_edge AS e
  JOIN trace AS t ON t.id = e.trace_id
  EXCEPT
  SELECT t.run_id, t.rank
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id
  WHERE g.kind = 'dpro'
),
-- of each rank, what its local graph communicates and what was recorded of it
reducing AS (
  SELECT
    t.run_id,
    g.name AS process,
    'worker_' || regexp_extract(g.name, '^traces_([0-9]+)\.rank', 1) AS worker,
    n.trace_id IS NOT NULL AS reduces,
    coalesce(n.is_byteps, false) AS is_byteps,
    coalesce(s.n_reductions, 0) AS n_reductions,
    coalesce(s.n_transfers, 0) AS n_transfers
  FROM trace AS t
  JOIN graph AS g ON g.trace_id = t.id AND g.kind = 'dpro'
  LEFT JOIN (
    SELECT trace_id, bool_or(contains(operator, 'BytePSPushPull')) AS is_byteps
    FROM dpro_operation()
    WHERE phase = 'Comm'
    GROUP BY trace_id
  ) AS n ON n.trace_id = t.id
  LEFT JOIN (
    SELECT
      trace_id,
      count(*) FILTER (stage NOT IN ('Sync', 'SEND', 'RECV')) AS n_reductions,
      count(*) FILTER (stage IN ('SEND', 'RECV')) AS n_transfers
    FROM collective
    WHERE stage IS NOT NULL
    GROUP BY trace_id
  ) AS s ON s.trace_id = t.id
),
-- what logs of BytePS recorded, by the node that sent or computed
message AS (
  SELECT
    t.run_id, p.name AS node, c.peer, c.peer IS NULL AS is_operation,
    regexp_matches(c.rpc_key, '^[0-9]+$') AS is_unnamed, count(*) AS n
  FROM rpc AS c
  JOIN trace AS t ON t.id = c.trace_id
  JOIN track AS k ON k.id = c.track_id
  JOIN process AS p ON p.id = k.process_id
  WHERE t.format = 'dpro'
  GROUP BY ALL
),
node AS (
  SELECT
    run_id, node,
    sum(n) FILTER (NOT is_operation) AS n_messages,
    sum(n) FILTER (is_operation) AS n_operations
  FROM (
    FROM message
    UNION ALL BY NAME
    SELECT run_id, peer AS node, n, false AS is_operation FROM message WHERE peer IS NOT NULL
  )
  GROUP BY run_id, node
)
SELECT
  run_id,
  'steps' AS kind,
  'error' AS severity,
  'ranks have different steps: '
    || string_agg(process || ' ' || array_to_string(steps, ', '), '; ' ORDER BY process) AS problem,
  'Record the same steps on all ranks, or replay one with --rank.' AS remedy
FROM steps_of_rank
GROUP BY run_id
HAVING count(DISTINCT steps) > 1
UNION ALL
SELECT
  run_id,
  'clock',
  'error',
  'the clock of ' || string_agg(host_name, ', ' ORDER BY host_name) FILTER (n_syncs = 0)
    || ' is not related to that of other hosts: no Sync event was recorded',
  'With --assume-aligned their clocks are taken as equal.'
FROM host
GROUP BY run_id
HAVING count(*) > 1 AND sum(n_stages) > 0 AND min(n_syncs) = 0
UNION ALL
SELECT
  run_id,
  'ring',
  'error',
  CASE
    WHEN run_id IN (SELECT run_id FROM tree)
      THEN 'the ranks reduce along trees of NCCL, and sends do not tell to which rank'
    ELSE 'the ring of channel ' || min(channel) || ' has no rank behind '
      || arg_min(process, (channel, process))
  END,
  CASE
    WHEN run_id IN (SELECT run_id FROM tree)
      THEN 'Record it with NCCL_ALGO=Ring, or query the recording without a replay.'
    ELSE 'Import the nccl_rank_graph.json of all ranks.'
  END
FROM open_ring
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'communication',
  'error',
  string_agg(process, ', ' ORDER BY process) FILTER (n_stages = 0)
    || ' recorded no communication, other ranks did',
  'Copy the comm.json of that rank, or replay ranks without communication with --rank.'
FROM stage_of_rank
GROUP BY run_id
HAVING count(*) > 1 AND min(n_stages) = 0 AND max(n_stages) > 0
UNION ALL
SELECT
  t.run_id,
  'window',
  'error',
  'the time window cuts the trial, of which the mean of the steps is replayed',
  'Omit --from and --to; `tw import --option profile_start_step=N` imports some of the steps.'
FROM trace AS t
JOIN graph AS g ON g.trace_id = t.id AND g.kind = 'dpro'
CROSS JOIN time_window AS w
WHERE t.start_ts < w.from_ns OR t.end_ts > w.to_ns
GROUP BY t.run_id
UNION ALL
SELECT
  run_id,
  'rank',
  'warning',
  'no recording of rank ' || string_agg(rank, ', ' ORDER BY rank)
    || ' is in scope, though others exchange data with it; nothing waits for it in the replay',
  'Import the trial with the folders of all ranks, and replay it without --rank.'
FROM absent
WHERE rank IS NOT NULL
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'messages',
  'warning',
  'the graph of ' || string_agg(process, ', ' ORDER BY process)
    || ' reduces gradients, but no communication of it was recorded; it takes no time in the replay',
  CASE
    WHEN bool_or(is_byteps) THEN 'Import the trial with the logs of BytePS on all workers and servers.'
    ELSE 'Import the trial with the comm.json and comm_detail.json of each rank.'
  END
FROM reducing AS r
WHERE reduces AND n_reductions + n_transfers = 0
  AND NOT EXISTS (FROM node AS n WHERE n.run_id = r.run_id AND n.node = r.worker AND n.n_messages > 0)
GROUP BY run_id
HAVING count(*) = any_value((SELECT count(*) FROM reducing AS o WHERE o.run_id = r.run_id AND o.reduces))
  OR bool_or(is_byteps)
UNION ALL
SELECT
  run_id,
  'transfers',
  'warning',
  string_agg(process, ', ' ORDER BY process)
    || ' recorded reductions, but no sends and receives of NCCL; they take no time in the replay',
  'Import the trial with the comm_detail.json of each rank.'
FROM reducing
WHERE n_reductions > 0 AND n_transfers = 0
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'worker',
  'warning',
  'no recording of ' || string_agg(node, ', ' ORDER BY node)
    || ' is in scope, though its messages are; its operators take no time in the replay',
  'Import the trial with the folders traces_N of all workers, and replay it without --rank.'
FROM node AS n
WHERE starts_with(node, 'worker_')
  AND NOT EXISTS (FROM reducing AS r WHERE r.run_id = n.run_id AND r.worker = n.node)
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'log',
  'warning',
  'no log of ' || string_agg(replace(node, '_', ' '), ', ' ORDER BY length(node), node)
    || ' was imported, though others exchange messages with it; they take no time in the replay',
  'Import the trial with the logs that begin with these numbers (role=…,id=NUMBER).'
FROM node
WHERE starts_with(node, 'node_')
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'server',
  'warning',
  'no operations of ' || string_agg(node, ', ' ORDER BY node)
    || ' were recorded; gradients summed there take no time in the replay',
  'Import the trial with the log of operations of each server.'
FROM node
WHERE starts_with(node, 'server_') AND coalesce(n_operations, 0) = 0
GROUP BY run_id
UNION ALL
SELECT
  run_id,
  'keys',
  'warning',
  sum(n) || ' messages and operations have keys without a tensor; they take no time in the replay',
  'Import the trial with its key_dict.txt.'
FROM message
WHERE is_unnamed
GROUP BY run_id
ORDER BY run_id, kind
