/* ---
name = "replay_link_use"
version = 1
title = "Time that collectives of a replay spend on a link of a given rate"
help = """
Of an all-reduce of n ranks 2 (n - 1) / n of the message crosses the link, of all-gather, reduce-scatter
and all-to-all (n - 1) / n, of others the message. Collectives of a rank use the link one after another if
most that are in flight together end as far apart as their bytes need: then a collective spends on it what its
own bytes need, and as long as it waited for those of the collective before. Else they share the link, and
spend all their time on it.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
columns = ["run_id", "node_id", "bytes", "need_ns", "use_ns", "is_serial"]

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "Rate of the recorded links; 0: no rows"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node of the collective" }
bytes = { nullable = false, help = "Size of the message" }
need_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time that its bytes need on the link" }
use_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Part of its duration that it spends on the link, or waits for it" }
is_serial = { type = "BOOLEAN", unit = "bool", help = "Whether collectives of its run use the link one after another" }

[changes]
1 = "first version"
--- */
WITH recorded AS (
  SELECT run_id, greatest(count(DISTINCT trace_id), 2) AS n
  FROM replay_node()
  WHERE kind = 'collective'
  GROUP BY run_id
),
transfer AS (
  SELECT
    x.run_id, x.node_id, x.trace_id, x.dur_ns, x.measured_start_ns, x.measured_end_ns, x.bytes,
    8e9 * x.bytes / $recorded_bits_per_s::DOUBLE * CASE
      WHEN regexp_matches(lower(x.name), 'all_?reduce') THEN 2 * (r.n - 1) / r.n
      WHEN regexp_matches(lower(x.name), 'all_?gather|reduce_?scatter|all_?to_?all') THEN (r.n - 1) / r.n
      ELSE 1
    END AS need_ns
  FROM replay_node() AS x
  JOIN recorded AS r ON r.run_id = x.run_id
  WHERE x.kind = 'collective' AND x.bytes > 0 AND $recorded_bits_per_s::DOUBLE > 0
),
queued AS (
  SELECT
    *,
    lag(need_ns) OVER of_rank AS before_ns,
    greatest(lag(measured_end_ns) OVER of_rank - measured_start_ns, 0) AS waited_ns,
    measured_end_ns - lag(measured_end_ns) OVER of_rank AS apart_ns
  FROM transfer
  WINDOW of_rank AS (PARTITION BY trace_id ORDER BY measured_start_ns, node_id)
),
ordered AS (
  SELECT
    *,
    coalesce(median(apart_ns / need_ns) FILTER (waited_ns > 0) OVER (PARTITION BY run_id), 1) >= 0.9
      AS is_serial
  FROM queued
)
SELECT
  run_id,
  node_id,
  bytes,
  need_ns,
  CASE WHEN is_serial THEN least(dur_ns, need_ns + coalesce(least(waited_ns, before_ns), 0)) ELSE dur_ns END
    AS use_ns,
  is_serial
FROM ordered
ORDER BY run_id, node_id
