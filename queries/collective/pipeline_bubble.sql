/* ---
name = "pipeline_bubble"
version = 2
title = "Time in which ranks of a pipeline wait for other stages, by step, beside that of an ideal schedule"
help = """
Of traces with a process group of class pipeline (process_group_class). A rank works while a device runs
anything of the step but communication with other stages: sends, receives, and collectives of groups that
contain several ranks of the pipeline. Without device work, it works while an operator runs on the
host, and no call that communicates. Between the begin of its first and the end of its last work in a step,
it waits: in communication with other stages, or without any work. Other steps' work does not count.

Before and after that a rank has no work of the step, but the pipeline has: fill_ns and drain_ns, up to
the first and last work of all ranks. They are known if all ranks of the pipeline are recorded, with
steps of the same number, and the offsets of their clocks. All three together are the bubble.

Microbatches are counted by the sends of a step: as many to each neighbour that a rank sends to; where the
neighbour is not recorded, as many or twice as many from each rank. If the numbers differ (several
tensors, or several stages on a rank), they are NULL. An ideal schedule (GPipe, 1F1B) of equal stages waits
for (p - 1) / (m + p - 1) of its time, with p ranks and m microbatches. The number of ranks is that of the
group, NULL if a rank has several such groups.

A trace without steps is one step. A time window contains the steps that run in it on the host, whole; they
are compared with the step of the same number on other ranks, whenever that runs.
"""
grain = ["trace_id", "device_id", "step_id"]
scale = "run"
needs = "a process group that is a pipeline: see process_group_class"
requires = { schema = ">=11", queries = ["collective_op@1", "group_class@1", "group_use@1", "step_window@1", "whole_device_op@1"], rows = ["process_group | whole_collective"] }
columns = [
  "run_id", "trace_id", "rank", "device_id", "device", "side", "step_id", "step", "n_stages",
  "n_microbatches", "ideal_share", "span_ns", "work_ns", "wait_ns", "wait_share", "transfer_ns",
  "fill_ns", "drain_ns", "pipeline_ns", "bubble_ns", "bubble_share",
]

[column]
device_id.help = "Device; NULL: on the host, or not recorded"
device.help = "Device number, as recorded; NULL: on the host"
step_id = { type = "BIGINT", unit = "ref slice.id", nullable = true, help = "Step; NULL: the trace has no steps" }
n_stages = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Ranks of the pipeline; NULL: unknown" }
n_microbatches = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Microbatches of the step; NULL: sends do not tell" }
ideal_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "bubble_share of an ideal schedule; NULL: unknown number of ranks or microbatches" }
span_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "From the begin of the first to the end of the last work of the rank" }
work_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Time in which it works" }
wait_ns = { type = "BIGINT", unit = "ns", check = ">= 0", help = "Time in which it waits: span_ns - work_ns" }
wait_share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "wait_ns / span_ns" }
transfer_ns.help = "Part of wait_ns in communication with other stages"
fill_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "From the first work of any rank to that of this one; NULL: unknown" }
drain_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "From the last work of this rank to that of any; NULL: unknown" }
pipeline_ns = { type = "BIGINT", unit = "ns", nullable = true, check = "> 0", help = "fill_ns + span_ns + drain_ns; NULL: unknown" }
bubble_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "fill_ns + wait_ns + drain_ns; NULL: unknown" }
bubble_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "bubble_ns / pipeline_ns; NULL: unknown" }

[changes]
2 = "in a time window, steps of other ranks outside of it count"
1 = "first version"
--- */
WITH member AS MATERIALIZED (
  SELECT
    c.trace_id, c.group_name, c.class, u.member_ranks, u.group_size,
    count(*) OVER (PARTITION BY c.trace_id) = 1 AS is_sole
  FROM group_class() AS c
  JOIN group_use() AS u ON u.trace_id = c.trace_id AND u.group_name = c.group_name
),
pipe AS MATERIALIZED (
  SELECT
    m.trace_id,
    CASE WHEN count(*) = 1 THEN any_value(m.group_size) END AS n_stages,
    list_sort(list_distinct(flatten(list(m.member_ranks)))) AS members,
    t.run_id,
    t.rank,
    -- Nanoseconds to add to times of the trace; NULL: unknown.
    t.base_ns + c.offset_ns AS shift_ns,
    coalesce(c.drift, 0) AS drift,
    EXISTS (SELECT 1 FROM whole_step AS s WHERE s.trace_id = m.trace_id) AS has_steps,
    EXISTS (SELECT 1 FROM whole_gpu_op AS g WHERE g.trace_id = m.trace_id) AS has_device
  FROM member AS m
  JOIN trace AS t ON t.id = m.trace_id
  LEFT JOIN clock AS c ON c.id = t.clock_id
  WHERE m.class = 'pipeline'
  GROUP BY m.trace_id, t.run_id, t.rank, t.base_ns, c.offset_ns, c.drift
),
-- Communication with other stages; what names no group is of the only one.
between_stages AS MATERIALIZED (
  SELECT o.slice_id, o.trace_id, o.side, o.kind, o.is_transfer, o.start_ns, o.end_ns
  FROM collective_op() AS o
  JOIN pipe AS p ON p.trace_id = o.trace_id
  JOIN member AS m
    ON m.trace_id = o.trace_id AND (m.group_name = o.group_name OR (m.is_sole AND o.group_name IS NULL))
  WHERE m.class = 'pipeline' OR len(list_intersect(m.member_ranks, p.members)) > 1
),
placed_on_host AS (
  SELECT slice_id, trace_id, track_id, ts AS start_ns, ts + greatest(dur, 0) AS end_ns,
    CASE WHEN name LIKE 'c10d::%' OR name = 'record_param_comms' THEN 'call' ELSE 'work' END AS part
  FROM whole_cpu_op
  WHERE trace_id IN (SELECT trace_id FROM pipe WHERE NOT has_device)
  UNION ALL
  SELECT b.slice_id, b.trace_id, s.track_id, b.start_ns, b.end_ns, 'transfer'
  FROM between_stages AS b
  JOIN whole_slice AS s ON s.id = b.slice_id
  WHERE b.side = 'host' AND b.is_transfer AND b.trace_id IN (SELECT trace_id FROM pipe WHERE NOT has_device)
),
part AS MATERIALIZED (
  SELECT
    o.trace_id, 'device' AS side, o.device_id, l.from_id AS step_id, o.start_ns, o.end_ns,
    CASE WHEN b.slice_id IS NULL THEN 'work' ELSE 'transfer' END AS part
  FROM whole_device_op() AS o
  JOIN pipe AS p ON p.trace_id = o.trace_id
  LEFT JOIN between_stages AS b ON b.slice_id = o.slice_id
  LEFT JOIN whole_link AS l
    ON l.to_id = o.slice_id AND l.kind = 'step' AND l.link_set = 'default'
  WHERE l.from_id IN (SELECT slice_id FROM whole_step) OR NOT p.has_steps
  UNION ALL
  SELECT h.trace_id, 'host', NULL, w.step_id, h.start_ns, h.end_ns, h.part
  FROM placed_on_host AS h
  JOIN pipe AS p ON p.trace_id = h.trace_id
  JOIN track AS k ON k.id = h.track_id
  LEFT JOIN step_window() AS w
    ON w.trace_id = h.trace_id AND w.process_id IS NOT DISTINCT FROM k.process_id
    AND w.start_ns <= h.start_ns AND w.end_ns > h.start_ns
  WHERE w.step_id IN (SELECT slice_id FROM whole_step) OR NOT p.has_steps
),
border AS (
  SELECT
    trace_id, side, device_id, step_id,
    unnest([start_ns, end_ns]) AS ts,
    unnest([1, -1]) AS change,
    part
  FROM part
  WHERE end_ns > start_ns
),
span AS (
  SELECT
    trace_id, side, device_id, step_id, ts,
    lead(ts) OVER ordered - ts AS dur,
    coalesce(sum(change) FILTER (part = 'work') OVER ordered, 0) > 0
      AND coalesce(sum(change) FILTER (part = 'call') OVER ordered, 0) = 0 AS works,
    coalesce(sum(change) FILTER (part <> 'work') OVER ordered, 0) > 0 AS transfers
  FROM border
  WINDOW ordered AS (
    PARTITION BY trace_id, side, device_id, step_id ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
),
extent AS (
  SELECT
    *,
    min(ts) FILTER (works) OVER of_step AS first_ns,
    max(ts + dur) FILTER (works) OVER of_step AS last_ns
  FROM span
  WHERE dur > 0
  WINDOW of_step AS (PARTITION BY trace_id, side, device_id, step_id)
),
of_rank AS (
  SELECT
    e.trace_id, e.side, e.device_id, e.step_id, e.first_ns, e.last_ns,
    s.number AS step,
    (sum(e.dur) FILTER (e.works))::BIGINT AS work_ns,
    coalesce(sum(e.dur) FILTER (e.transfers AND NOT e.works AND e.ts >= e.first_ns AND e.ts < e.last_ns), 0)::BIGINT
      AS transfer_ns
  FROM extent AS e
  LEFT JOIN whole_step AS s ON s.slice_id = e.step_id
  WHERE e.first_ns IS NOT NULL
  GROUP BY e.trace_id, e.side, e.device_id, e.step_id, e.first_ns, e.last_ns, s.number
),
-- Sends of one source: calls, else ranges of the host's library, else kernels.
send AS (
  SELECT
    b.slice_id, b.trace_id, b.side, b.start_ns, s.track_id, c.peer_rank,
    CASE WHEN b.side = 'device' THEN 3 WHEN b.is_transfer THEN 2 ELSE 1 END AS source
  FROM between_stages AS b
  JOIN whole_slice AS s ON s.id = b.slice_id
  JOIN whole_collective AS c ON c.slice_id = b.slice_id
  WHERE b.kind = 'send'
  QUALIFY source = min(source) OVER (PARTITION BY b.trace_id)
),
n_send AS (
  SELECT n.trace_id, coalesce(l.from_id, w.step_id) AS step_id, n.peer_rank, count(*) AS n
  FROM send AS n
  JOIN track AS k ON k.id = n.track_id
  LEFT JOIN whole_link AS l
    ON n.side = 'device' AND l.to_id = n.slice_id AND l.kind = 'step' AND l.link_set = 'default'
  LEFT JOIN step_window() AS w
    ON n.side = 'host' AND w.trace_id = n.trace_id AND w.process_id IS NOT DISTINCT FROM k.process_id
    AND w.start_ns <= n.start_ns AND w.end_ns > n.start_ns
  GROUP BY n.trace_id, coalesce(l.from_id, w.step_id), n.peer_rank
),
-- What all ranks of a pipeline did in a step.
together AS (
  SELECT
    p.run_id, p.members, r.step, p.has_steps,
    min(p.shift_ns + r.first_ns + round(p.drift * r.first_ns)::BIGINT) AS first_ns,
    max(p.shift_ns + r.last_ns + round(p.drift * r.last_ns)::BIGINT) AS last_ns,
    count(DISTINCT r.trace_id) = any_value(p.n_stages) AS is_whole,
    bool_and(p.shift_ns IS NOT NULL) AND (bool_and(r.step IS NOT NULL) OR NOT p.has_steps) AS is_comparable
  FROM of_rank AS r
  JOIN pipe AS p ON p.trace_id = r.trace_id
  WHERE p.members IS NOT NULL
  GROUP BY p.run_id, p.members, r.step, p.has_steps
),
counted AS (
  SELECT
    p.run_id, p.members, r.step, p.has_steps,
    min(n.n) AS least,
    bool_and(n.peer_rank IS NOT NULL) AS is_named,
    list(n.n) FILTER (n.peer_rank IS NOT NULL) AS to_neighbours,
    list(n.n) FILTER (n.peer_rank IS NULL) AS to_any
  FROM (SELECT DISTINCT trace_id, step_id, step FROM of_rank) AS r
  JOIN pipe AS p ON p.trace_id = r.trace_id
  JOIN n_send AS n ON n.trace_id = r.trace_id AND n.step_id IS NOT DISTINCT FROM r.step_id
  GROUP BY p.run_id, p.members, r.step, p.has_steps
),
known AS (
  SELECT
    r.*, p.run_id, p.rank, p.n_stages,
    CASE
      WHEN len(list_filter(coalesce(c.to_neighbours, []), lambda n: n <> c.least)) = 0
        AND len(list_filter(coalesce(c.to_any, []), lambda n: n NOT IN (c.least, 2 * c.least))) = 0
        AND (c.is_named OR t.is_whole)
      THEN c.least
    END AS n_microbatches,
    CASE WHEN t.is_whole AND t.is_comparable
      THEN p.shift_ns + r.first_ns + round(p.drift * r.first_ns)::BIGINT - t.first_ns END AS fill_ns,
    CASE WHEN t.is_whole AND t.is_comparable
      THEN t.last_ns - (p.shift_ns + r.last_ns + round(p.drift * r.last_ns)::BIGINT) END AS drain_ns,
    r.last_ns - r.first_ns AS span_ns
  FROM of_rank AS r
  JOIN pipe AS p ON p.trace_id = r.trace_id
  LEFT JOIN together AS t
    ON t.run_id = p.run_id AND t.members = p.members AND t.has_steps = p.has_steps
    AND t.step IS NOT DISTINCT FROM r.step
  LEFT JOIN counted AS c
    ON c.run_id = p.run_id AND c.members IS NOT DISTINCT FROM p.members AND c.has_steps = p.has_steps
    AND c.step IS NOT DISTINCT FROM r.step
)
SELECT
  k.run_id,
  k.trace_id,
  k.rank,
  k.device_id,
  d.ordinal AS device,
  k.side,
  k.step_id,
  k.step,
  k.n_stages,
  k.n_microbatches,
  (k.n_stages - 1) / (k.n_microbatches + k.n_stages - 1) AS ideal_share,
  k.span_ns,
  k.work_ns,
  k.span_ns - k.work_ns AS wait_ns,
  (k.span_ns - k.work_ns) / k.span_ns AS wait_share,
  k.transfer_ns,
  k.fill_ns,
  k.drain_ns,
  k.fill_ns + k.span_ns + k.drain_ns AS pipeline_ns,
  k.fill_ns + k.span_ns - k.work_ns + k.drain_ns AS bubble_ns,
  (k.fill_ns + k.span_ns - k.work_ns + k.drain_ns) / (k.fill_ns + k.span_ns + k.drain_ns) AS bubble_share
FROM known AS k
LEFT JOIN device AS d ON d.id = k.device_id
WHERE k.step_id IS NULL OR k.step_id IN (SELECT slice_id FROM step)
ORDER BY k.run_id, k.rank, k.trace_id, d.ordinal, k.device_id, k.step, k.step_id
