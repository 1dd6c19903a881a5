/* ---
name = "op_summary"
version = 4
title = "Host operators by name: host and device time, self and total"
help = """
Ordered by self time. self_ns is the duration of a call minus its direct children of any category; a
call shorter than their sum counts as 0 ns. Totals count a call nested in another of the same name
once, in the outer one; torch's key_averages sums all calls, which is n_calls * mean_ns. Device
times sum the durations of kernels, copies and memsets: overlapping work counts twice, and work
launched outside operators does not count. Negative durations, including those of unfinished slices,
count as 0 ns. Work of replayed graphs counts for the captured operators and those around them, in the
trace that replays; an operator with such work only has no calls. In a time window a call counts if it runs in it or its device work does: sums are of
the parts inside the window, so disjoint windows add up to the whole; other statistics are of whole
durations.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=1", queries = ["cut_slice@1", "launched_work@1", "op_below_time@1", "work_category@1"] }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "name", "op_category", "n_calls", "self_ns", "total_ns", "self_share", "min_ns",
  "max_ns", "mean_ns", "median_ns", "p90_ns", "p99_ns", "n_device_ops", "self_device_ns",
  "total_device_ns", "self_device_share",
]

[column]
op_category.nullable = false
name.help = "Operator name"
n_calls = { check = ">= 0", help = "Number of calls; 0: only captured graphs replayed it" }
self_ns.help = "Sum of the self times of the calls"
total_ns.help = "Sum of the durations of calls not nested in another call of the same name"
min_ns = { nullable = true, help = "Shortest call; NULL without calls" }
max_ns = { nullable = true, help = "Longest call; NULL without calls" }
mean_ns = { nullable = true, help = "Mean over all calls; n_calls * mean_ns is the sum of all durations; NULL without calls" }
median_ns = { nullable = true, help = "Median over all calls; of an even number the mean of the middle two; NULL without calls" }
p90_ns = { nullable = true, help = "90th percentile over all calls, interpolated; NULL without calls" }
p99_ns = { nullable = true, help = "99th percentile over all calls, interpolated; NULL without calls" }
n_device_ops.help = "Number of kernels, copies and memsets launched in the calls, each once"
self_device_ns.help = "Sum of the durations of the work launched by the calls themselves"

[changes]
4 = "device time of replayed graphs; operators without calls"
3 = "new column: op_category"
1 = "first version"
2 = "total_ns counts a call nested in another of the same name once, in the outer one; device time launched by the operator, self and total; 90th and 99th percentiles"
--- */
-- No step keeps rows of all calls: sums over calls with children, over calls with device work and over
-- nested calls are taken from sums over all of them, or added to these. Conditions that are always true
-- make the estimate of few rows small, so that these are hashed, and not all calls.
WITH RECURSIVE launched AS MATERIALIZED (
  SELECT slice_id, level, n_device_ops, device_ns
  FROM launched_work()
),
-- One row if a time window is set: what is outside of it is read only then.
set_window AS (
  SELECT from_ns, to_ns
  FROM time_window
  WHERE from_ns > -9223372036854775807 OR to_ns < 9223372036854775807
),
cut_call AS MATERIALIZED (
  SELECT slice_id, self_ns
  FROM cut_slice()
),
few_cut AS (
  SELECT slice_id
  FROM cut_call
  WHERE slice_id >= 0 AND slice_id < 9223372036854775807
),
cut AS MATERIALIZED (
  SELECT x.slice_id, x.self_ns, b.below_ns
  FROM cut_call AS x
  LEFT JOIN (
    SELECT
      s.parent_id AS slice_id,
      sum(greatest(least(s.ts + s.dur, w.to_ns) - greatest(s.ts, w.from_ns), 0))::BIGINT
        AS below_ns
    FROM slice AS s
    CROSS JOIN time_window AS w
    SEMI JOIN few_cut AS x ON x.slice_id = s.parent_id
    GROUP BY s.parent_id
  ) AS b ON b.slice_id = x.slice_id
),
outside AS MATERIALIZED (
  SELECT o.slice_id
  FROM whole_cpu_op AS o
  CROSS JOIN set_window AS w
  WHERE o.ts >= w.to_ns
    OR (o.ts < w.from_ns AND o.ts + o.dur <= w.from_ns AND o.dur <> -1)
),
-- Calls outside of the window whose work is inside.
late AS MATERIALIZED (
  SELECT DISTINCT f.slice_id
  FROM launched AS f
  SEMI JOIN (SELECT slice_id FROM outside WHERE slice_id >= 0) AS o ON o.slice_id = f.slice_id
),
-- Read again wherever calls are used: to keep all of them, with their names, takes more memory than
-- everything else here.
chosen AS NOT MATERIALIZED (
  SELECT slice_id, trace_id, track_id, ts, dur, name
  FROM cpu_op
  UNION ALL
  SELECT o.slice_id, o.trace_id, o.track_id, o.ts, o.dur, o.name
  FROM whole_cpu_op AS o
  SEMI JOIN late AS k ON k.slice_id = o.slice_id
),
call AS NOT MATERIALIZED (
  SELECT
    c.*,
    greatest(least(c.ts + c.dur, w.to_ns) - greatest(c.ts, w.from_ns), 0) AS inside_ns
  FROM chosen AS c
  CROSS JOIN time_window AS w
),
-- A name can be nested in itself only if a slice of that name is deeper than one that has children. These
-- are few, so few calls are sorted.
candidate AS MATERIALIZED (
  SELECT *, row_number() OVER () AS candidate_n
  FROM (
    SELECT track_id, name
    FROM slice
    GROUP BY track_id, name
    HAVING max(depth) > min(CASE WHEN is_leaf IS NULL THEN depth END)
    UNION
    SELECT o.track_id, o.name
    FROM whole_cpu_op AS o
    SEMI JOIN late AS k ON k.slice_id = o.slice_id
  )
),
-- All of them; the conditions make their estimate small, so that not all calls are hashed.
few_candidate AS (
  SELECT *
  FROM candidate
  WHERE track_id >= 0 AND candidate_n > 0 AND candidate_n < 9223372036854775807
),
-- In nesting, an unfinished call lasts to the end.
reaching AS (
  SELECT
    c.slice_id,
    n.candidate_n,
    c.ts,
    c.ts + greatest(c.dur, 0) AS end_ns,
    CASE WHEN c.dur = -1 THEN 9223372036854775807 ELSE c.ts + greatest(c.dur, 0) END AS reach_ns
  FROM call AS c
  JOIN few_candidate AS n ON n.track_id = c.track_id AND n.name = c.name
),
-- Most calls that lie in the time of an earlier one of their name are below it, few of them much
-- deeper; only their parents are searched.
surrounded AS (
  SELECT r.slice_id, n.name
  FROM (
    SELECT
      slice_id,
      candidate_n,
      end_ns <= max(reach_ns) OVER (
        PARTITION BY candidate_n
        ORDER BY ts, reach_ns DESC, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS is_surrounded
    FROM reaching
  ) AS r
  JOIN few_candidate AS n ON n.candidate_n = r.candidate_n
  WHERE r.is_surrounded
),
parent AS MATERIALIZED (
  SELECT u.slice_id, u.name, s.depth, s.parent_id AS at_id, a.slice_id IS NOT NULL AS is_found
  FROM whole_slice AS s
  JOIN surrounded AS u ON u.slice_id = s.id
  LEFT JOIN call AS a ON a.slice_id = s.parent_id AND a.name = u.name
  WHERE s.parent_id IS NOT NULL
),
-- What a further search can find: calls that have one of these names.
sought AS MATERIALIZED (
  SELECT c.slice_id, c.name
  FROM call AS c
  SEMI JOIN (SELECT * FROM parent WHERE NOT is_found AND slice_id >= 0 AND at_id >= 0 AND depth >= 0) AS n
    ON n.name = c.name
),
-- Most are found there: the slices above the others are few. (Materialized: the database would join
-- all slices first.)
higher AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE depth < (SELECT max(depth) FROM parent WHERE NOT is_found)
),
search AS (
  SELECT slice_id, name, at_id, is_found
  FROM parent
  UNION ALL
  SELECT r.slice_id, r.name, s.parent_id, a.slice_id IS NOT NULL
  FROM higher AS s
  JOIN search AS r ON r.at_id = s.id
  LEFT JOIN sought AS a ON a.slice_id = s.parent_id AND a.name = r.name
  WHERE NOT r.is_found
    AND s.parent_id IS NOT NULL
),
inner_call AS (SELECT slice_id FROM search WHERE is_found),
inner_sum AS (
  SELECT
    c.trace_id,
    c.name,
    sum(c.inside_ns) AS inside_ns,
    sum(l.n_device_ops) AS n_device_ops,
    sum(l.device_ns) AS device_ns
  FROM call AS c
  SEMI JOIN (SELECT * FROM inner_call WHERE slice_id >= 0) AS i ON i.slice_id = c.slice_id
  LEFT JOIN (
    SELECT
      l.slice_id,
      sum(l.n_device_ops) AS n_device_ops,
      sum(l.device_ns) AS device_ns
    FROM launched AS l
    SEMI JOIN inner_call AS i ON i.slice_id = l.slice_id
    GROUP BY l.slice_id
  ) AS l ON l.slice_id = c.slice_id
  GROUP BY c.trace_id, c.name
),
part AS (
  SELECT
    trace_id,
    name,
    count(*) AS n_calls,
    sum(inside_ns) AS self_ns,
    sum(greatest(dur, 0))::BIGINT AS all_ns,
    sum(inside_ns) AS total_ns,
    min(greatest(dur, 0)) AS min_ns,
    max(greatest(dur, 0)) AS max_ns,
    quantile_cont(greatest(dur, 0), [0.5, 0.9, 0.99]) AS percentiles_ns,
    0 AS n_device_ops,
    0 AS self_device_ns,
    0 AS total_device_ns
  FROM call
  GROUP BY trace_id, name
  UNION ALL
  SELECT trace_id, name, 0, -below_ns, NULL, 0, NULL, NULL, NULL, 0, 0, 0
  FROM op_below_time()
  UNION ALL
  -- Self time of calls that cross a border of the time window is that of cut_slice.
  SELECT
    c.trace_id, c.name, 0,
    sum(x.self_ns - (c.inside_ns - least(c.inside_ns, coalesce(x.below_ns, 0)))), NULL, 0, NULL,
    NULL, NULL, 0, 0, 0
  FROM call AS c
  JOIN (SELECT * FROM cut WHERE slice_id >= 0) AS x ON x.slice_id = c.slice_id
  GROUP BY c.trace_id, c.name
  UNION ALL
  SELECT
    c.trace_id, c.name, 0, 0, NULL, 0, NULL, NULL, NULL,
    sum(CASE WHEN c.slice_id = l.slice_id THEN l.n_device_ops END),
    sum(CASE WHEN l.level = 0 THEN l.device_ns ELSE 0 END), sum(l.device_ns)
  FROM call AS c
  JOIN (
    SELECT * FROM launched WHERE slice_id >= 0 AND level >= 0 AND n_device_ops > 0 AND device_ns >= 0
  ) AS l ON l.slice_id = c.slice_id
  GROUP BY c.trace_id, c.name
  UNION ALL
  SELECT
    trace_id, name, 0, 0, NULL, -inside_ns, NULL, NULL, NULL, -coalesce(n_device_ops, 0), 0,
    -coalesce(device_ns, 0)
  FROM inner_sum
),
-- Work of replayed graphs, by the captured operator, and the slices above that.
replayed AS MATERIALIZED (
  SELECT
    g.trace_id,
    d.from_id AS slice_id,
    count(*) AS n_device_ops,
    sum(
      greatest(least(g.ts + g.dur, w.to_ns) - greatest(g.ts, w.from_ns), 0)
    )::BIGINT AS device_ns
  FROM gpu_op AS g
  CROSS JOIN time_window AS w
  JOIN whole_link AS d
    ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.rule = 'graph_capture'
    AND d.link_set = 'default'
  GROUP BY g.trace_id, d.from_id
),
-- Most traces have no such operators: their slices are not read. (Materialized: the database would
-- join all slices first.)
capturing AS MATERIALIZED (
  SELECT DISTINCT o.trace_id
  FROM whole_slice AS o
  SEMI JOIN replayed AS r ON r.slice_id = o.id
),
higher_slice AS MATERIALIZED (
  SELECT id, parent_id
  FROM whole_slice
  WHERE parent_id IS NOT NULL AND trace_id IN (SELECT trace_id FROM capturing)
),
operator AS MATERIALIZED (
  SELECT slice_id, name
  FROM whole_cpu_op
  WHERE trace_id IN (SELECT trace_id FROM capturing)
),
around AS (
  SELECT DISTINCT slice_id, slice_id AS at_id FROM replayed
  UNION ALL
  SELECT u.slice_id, s.parent_id
  FROM higher_slice AS s
  JOIN around AS u ON u.at_id = s.id
),
replayed_name AS (
  SELECT u.slice_id, o.name, bool_or(u.at_id = u.slice_id) AS is_own
  FROM around AS u
  JOIN operator AS o ON o.slice_id = u.at_id
  GROUP BY u.slice_id, o.name
),
counted AS (
  SELECT
    trace_id, name, n_calls, self_ns, all_ns, total_ns, min_ns, max_ns, percentiles_ns, n_device_ops,
    self_device_ns, total_device_ns
  FROM part
  UNION ALL
  SELECT
    r.trace_id, n.name, 0, 0, NULL, 0, NULL, NULL, NULL, sum(r.n_device_ops)::BIGINT,
    sum(CASE WHEN n.is_own THEN r.device_ns ELSE 0 END)::BIGINT, sum(r.device_ns)::BIGINT
  FROM replayed AS r
  JOIN replayed_name AS n ON n.slice_id = r.slice_id
  GROUP BY r.trace_id, n.name
),
summed AS (
  SELECT
    trace_id,
    name,
    sum(n_calls)::BIGINT AS n_calls,
    sum(self_ns)::BIGINT AS self_ns,
    max(all_ns) AS all_ns,
    sum(total_ns)::BIGINT AS total_ns,
    max(min_ns) AS min_ns,
    max(max_ns) AS max_ns,
    any_value(percentiles_ns) AS percentiles_ns,
    sum(n_device_ops)::BIGINT AS n_device_ops,
    sum(self_device_ns)::BIGINT AS self_device_ns,
    sum(total_device_ns)::BIGINT AS total_device_ns
  FROM counted
  GROUP BY trace_id, name
)
SELECT
  t.run_id,
  a.trace_id,
  t.rank,
  a.name,
  c.category AS op_category,
  a.n_calls,
  a.self_ns,
  a.total_ns,
  a.self_ns / nullif(sum(a.self_ns) OVER (PARTITION BY a.trace_id), 0) AS self_share,
  a.min_ns,
  a.max_ns,
  a.all_ns / nullif(a.n_calls, 0) AS mean_ns,
  a.percentiles_ns[1] AS median_ns,
  a.percentiles_ns[2] AS p90_ns,
  a.percentiles_ns[3] AS p99_ns,
  a.n_device_ops,
  a.self_device_ns,
  a.total_device_ns,
  a.self_device_ns / nullif(sum(a.self_device_ns) OVER (PARTITION BY a.trace_id), 0)
    AS self_device_share
FROM summed AS a
JOIN trace AS t ON t.id = a.trace_id
LEFT JOIN work_category() AS c ON c.kind = 'operator' AND c.name = a.name
ORDER BY t.run_id, t.rank, a.trace_id, a.self_ns DESC, a.total_ns DESC, a.name
