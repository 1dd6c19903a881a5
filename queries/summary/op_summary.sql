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
requires = { schema = ">=1", queries = ["op_call@2", "work_category@1"] }
portable = false
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
WITH RECURSIVE figure AS (
  SELECT
    c.trace_id,
    c.name,
    count(*) AS n_calls,
    sum(c.self_ns)::BIGINT AS self_ns,
    sum(c.dur_ns)::BIGINT AS all_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.inside_ns END)::BIGINT AS total_ns,
    min(c.dur_ns) AS min_ns,
    max(c.dur_ns) AS max_ns,
    quantile_cont(c.dur_ns, [0.5, 0.9, 0.99]) AS percentiles_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.n_device_ops END)::BIGINT AS n_device_ops,
    sum(c.self_device_ns)::BIGINT AS self_device_ns,
    sum(CASE WHEN c.is_inner THEN 0 ELSE c.device_ns END)::BIGINT AS total_device_ns
  FROM op_call() AS c
  GROUP BY c.trace_id, c.name
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
higher AS MATERIALIZED (
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
  FROM higher AS s
  JOIN around AS u ON u.at_id = s.id
),
replayed_name AS (
  SELECT u.slice_id, o.name, bool_or(u.at_id = u.slice_id) AS is_own
  FROM around AS u
  JOIN operator AS o ON o.slice_id = u.at_id
  GROUP BY u.slice_id, o.name
),
both_kinds AS (
  SELECT
    trace_id, name, n_calls, self_ns, all_ns, total_ns, min_ns, max_ns, percentiles_ns, n_device_ops,
    self_device_ns, total_device_ns
  FROM figure
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
  FROM both_kinds
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
