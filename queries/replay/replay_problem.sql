/* ---
name = "replay_problem"
version = 1
title = "Why a run cannot be replayed: steps, clocks, rings and files of ranks that do not fit"
help = """
`tw replay` refuses a run that has such a problem; one of kind clock not with --assume-aligned. Of dPRO
trials: ranks of different steps, hosts whose clocks no Sync relates, a ring that a rank does not
continue, trees instead of rings, and ranks without the communication that others recorded.
"""
grain = ["run_id", "kind"]
requires = { schema = ">=17", queries = ["dpro_event@1", "dpro_group@1", "dpro_iteration@1"] }
portable = false
columns = ["run_id", "kind", "problem", "remedy"]

[column]
kind = { type = "VARCHAR", unit = "text", check = "IN ('steps', 'clock', 'ring', 'communication')", help = "Kind of problem" }
problem = { type = "VARCHAR", unit = "text", help = "What does not fit, with the ranks" }

[changes]
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
  LEFT JOIN dpro_event() AS e ON e.trace_id = t.id AND e.phase = 'Comm'
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
)
SELECT
  run_id,
  'steps' AS kind,
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
  string_agg(process, ', ' ORDER BY process) FILTER (n_stages = 0)
    || ' recorded no communication, other ranks did',
  'Copy the comm.json of that rank, or replay ranks without communication with --rank.'
FROM stage_of_rank
GROUP BY run_id
HAVING count(*) > 1 AND min(n_stages) = 0 AND max(n_stages) > 0
ORDER BY run_id, kind
