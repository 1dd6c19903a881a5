/* ---
name = "communication_sample"
version = 1
title = "Recorded communication with its size, for a cost model"
help = """
Collectives of which the wait for other ranks is known (collective_wait): the rest of their duration, by
library, kind, number of ranks, and whether their ranks are on one host. Those during which the same rank
computed are a group of their own. Of libraries that record sends around a ring, the mean send of each rank
and group of gradients (gradient_stage). Of groups with ten sizes or more, about a fifth of the
sizes is held out, to test a model.
"""
grain = ["trace_id", "sample"]
requires = { schema = ">=18", queries = ["collective_member@1", "collective_op@1", "collective_wait@1", "gradient_ring@1", "gradient_stage@2"] }
scale = "run"
columns = [
  "run_id", "trace_id", "rank", "sample", "model_group", "backend", "kind", "n_ranks", "is_between_hosts",
  "is_beside_compute", "is_held_out", "dur_ns", "bytes",
]

[column]
sample = { type = "VARCHAR", unit = "text", help = "Slice, or tensors of a group of gradients" }
model_group = { type = "VARCHAR", unit = "text", help = "What has a line of its own: library, kind, ranks, link, and whether beside computation" }
backend = { type = "VARCHAR", unit = "text", help = "Communication library, if named; else the format of the trace" }
kind.help = "all_reduce, ... as in collective_op; send: of a ring"
n_ranks = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Ranks in the group, if recorded" }
is_between_hosts = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether its ranks are on several hosts; NULL: not recorded" }
is_beside_compute = { type = "BOOLEAN", unit = "bool", nullable = true, help = "Whether the rank computed at the same time; NULL: a mean" }
is_held_out = { type = "BOOLEAN", unit = "bool", help = "Whether a model is tested with it, not fitted to it" }
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration without waiting for other ranks" }
bytes = { type = "DOUBLE", unit = "byte", nullable = false, check = ">= 0", help = "Size of the message (collective_op), or of what one send transfers" }

[changes]
1 = "first version"
--- */
WITH host AS (
  SELECT
    m.instance_id,
    CASE WHEN count(t.host_name) = count(*) THEN count(DISTINCT t.host_name) > 1 END AS is_between_hosts
  FROM collective_member() AS m
  JOIN trace AS t ON t.id = m.trace_id
  GROUP BY m.instance_id
),
transfer AS (
  SELECT
    o.run_id, o.trace_id, o.rank, o.slice_id, o.side, o.kind, o.group_size, o.start_ns, o.end_ns,
    greatest(o.end_ns - o.start_ns - w.wait_ns, 0)::DOUBLE AS dur_ns,
    o.message_bytes::DOUBLE AS bytes, h.is_between_hosts, c.track_id,
    lower(coalesce(nullif(regexp_extract(c.name, '^([A-Za-z]+)(:|Kernel|DevKernel|_)', 1), ''), t.format)) AS backend
  FROM collective_op() AS o
  JOIN collective_wait() AS w ON w.slice_id = o.slice_id
  JOIN collective AS c ON c.slice_id = o.slice_id
  JOIN trace AS t ON t.id = o.trace_id
  LEFT JOIN host AS h ON h.instance_id = w.instance_id
  WHERE o.is_transfer AND c.stage IS NULL AND o.message_bytes > 0
),
compute AS (
  SELECT trace_id, 'device' AS side, track_id, ts, ts + greatest(dur, 0) AS end_ts
  FROM whole_gpu_op
  WHERE kind = 'kernel' AND class = 'compute'
  UNION ALL
  SELECT trace_id, 'host', track_id, ts, ts + greatest(dur, 0)
  FROM whole_cpu_op
  WHERE name NOT LIKE 'c10d::%' AND name <> 'record_param_comms'
),
sample AS (
  SELECT
    f.run_id, f.trace_id, f.rank, f.slice_id::VARCHAR AS sample, f.backend, f.kind, f.group_size AS n_ranks,
    f.is_between_hosts,
    EXISTS (
      FROM compute AS c
      WHERE c.trace_id = f.trace_id AND c.side = f.side AND c.track_id <> f.track_id
        AND c.ts < f.end_ns AND c.end_ts > f.start_ns
    ) AS is_beside_compute,
    f.dur_ns, f.bytes
  FROM transfer AS f
  UNION ALL
  SELECT
    s.run_id, s.trace_id, s.rank, s.tensors, t.format, 'send', (s.n_ring_steps / 2 + 1)::BIGINT,
    (
      SELECT bool_or(n.host_name <> t.host_name)
      FROM gradient_ring() AS r
      JOIN trace AS n ON n.id = r.trace_id
      WHERE r.previous_trace_id = s.trace_id
    ),
    NULL, s.dur_ns, s.part_bytes
  FROM gradient_stage() AS s
  JOIN trace AS t ON t.id = s.trace_id
  WHERE s.stage = 'send' AND s.part_bytes > 0
),
grouped AS (
  SELECT
    *,
    concat_ws(' ', backend, kind, 'of', n_ranks, 'ranks',
      CASE WHEN is_between_hosts THEN 'between hosts' WHEN NOT is_between_hosts THEN 'on one host' END)
      || CASE WHEN is_beside_compute THEN ', beside computation' ELSE '' END AS model_group
  FROM sample
)
SELECT
  run_id,
  trace_id,
  rank,
  sample,
  model_group,
  backend,
  kind,
  n_ranks,
  is_between_hosts,
  is_beside_compute,
  md5_number_lower(bytes::VARCHAR) % 5 = 0 AND count(DISTINCT bytes) OVER (PARTITION BY model_group) >= 10 AS is_held_out,
  dur_ns,
  bytes
FROM grouped
ORDER BY trace_id, sample
