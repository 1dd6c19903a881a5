/* ---
name = "finding_bucket_size"
version = 2
title = "Finding: gradients are reduced in small buckets"
help = """
Reductions of DistributedDataParallel on the host (gloo) of less than 1 MiB on average, more than two in each forward
pass. A part of their time does not depend on their bytes: it follows from reductions of different sizes by a
straight line, and is an estimate, as reductions also slow down the host code beside them. If no size is twice
another, the cost is unknown. The trace with most reductions counts. A time window contains the
reductions and forward passes that run in it, and cuts the former.
"""
grain = ["run_id", "subject", "rank"]
requires = { schema = ">=13", queries = ["collective_op@1"], rows = ["slice where name = 'DistributedDataParallel.forward'", "collective where name = 'gloo:all_reduce' AND input_bytes > 0"] }
scale = "run"
needs = "gradients that DistributedDataParallel reduces on the host (gloo), with recorded shapes (record_shapes=True)"
columns = [
  "run_id", "finding", "subject", "rank", "location", "n_events", "bound_ns", "coverage", "what_if",
  "evidence", "sentence", "remedy",
]

[column]
finding.check = "= 'bucket_size'"
subject.help = "Kind of collective"
n_events.help = "Number of reductions"
bound_ns.help = "Fixed time of reductions beyond the first of each forward pass; NULL: unknown"

[changes]
2 = "a time window limits it"
1 = "first version"
--- */
WITH reduction AS (
  SELECT
    o.run_id, o.trace_id, o.message_bytes AS bytes, o.start_ns, o.end_ns,
    greatest(o.start_ns, w.from_ns) AS from_ns,
    least(o.end_ns, w.to_ns) AS to_ns,
    max(o.end_ns) OVER (
      PARTITION BY o.trace_id ORDER BY o.start_ns, o.end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reach_ns
  FROM collective_op() AS o
  SEMI JOIN collective AS c ON c.slice_id = o.slice_id
  CROSS JOIN time_window AS w
  WHERE o.is_transfer AND o.side = 'host' AND o.kind = 'all_reduce' AND o.message_bytes > 0
),
forward AS (
  SELECT trace_id, count(*) AS n_passes
  FROM slice
  WHERE name = 'DistributedDataParallel.forward'
  GROUP BY trace_id
),
counted AS (
  SELECT r.run_id, r.trace_id, count(*) AS n, any_value(f.n_passes) AS n_passes
  FROM reduction AS r
  JOIN forward AS f ON f.trace_id = r.trace_id
  GROUP BY r.run_id, r.trace_id
  QUALIFY row_number() OVER (PARTITION BY r.run_id ORDER BY n DESC, r.trace_id) = 1
),
fitted AS (
  SELECT
    run_id,
    avg(bytes) AS mean_bytes,
    max(bytes) >= 2 * min(bytes) AS has_sizes,
    -- time in which no earlier reduction was in flight, so that it adds up to the time of all
    avg(greatest(to_ns - greatest(from_ns, coalesce(reach_ns, from_ns)), 0)) AS alone_ns,
    CASE WHEN max(bytes) > min(bytes)
      THEN regr_intercept(end_ns - start_ns, bytes) / nullif(avg(end_ns - start_ns), 0) END AS fixed_share
  FROM reduction
  GROUP BY run_id
),
estimated AS (
  SELECT
    c.run_id, c.n, f.has_sizes,
    CASE WHEN f.has_sizes
      THEN round(f.alone_ns * least(greatest(f.fixed_share, 0), 1) * (c.n - c.n_passes))::BIGINT END AS fixed_ns
  FROM counted AS c
  JOIN fitted AS f ON f.run_id = c.run_id
  WHERE f.mean_bytes < 1048576 AND c.n > 2 * c.n_passes
)
SELECT
  run_id,
  'bucket_size' AS finding,
  'all_reduce' AS subject,
  NULL::BIGINT AS rank,
  NULL::VARCHAR AS location,
  n AS n_events,
  fixed_ns AS bound_ns,
  NULL::DOUBLE AS coverage,
  NULL::VARCHAR AS what_if,
  'collective_instance' AS evidence,
  CASE WHEN has_sizes THEN 'Gradients are reduced in small buckets'
    ELSE 'Gradients are reduced in small buckets, all of about one size, so that their fixed time is unknown'
  END AS sentence,
  'Omit bucket_cap_mb, or raise it (tw optimize buckets)' AS remedy
FROM estimated
WHERE NOT has_sizes OR fixed_ns > 0
ORDER BY run_id
