/* ---
name = "hot_clusters"
version = 1
title = "Clusters by calls and the time of a replay, in buckets of shapes"
help = """
Which cluster is worth a replay: calls of the log, times the kernel time of a replay where there is one.
Dumps of one graph are one cluster. A bucket has the calls whose sizes are equal where all calls of the
graph agree, and have the same next power of two where they vary. Calls that may be of several clusters
are in none. Of a log without calls, those count that the runtime recorded (as cluster_times), with the
shapes of the dump. A replay of another shape is an estimate (is_of_bucket). Most time first, then most
calls.
"""
grain = ["run_id", "graph_hash", "bucket"]
requires = { schema = ">=24" }
columns = [
  "run_id", "disc_cluster_id", "function", "graph_hash", "bucket", "n_dumps", "n_calls", "n_shapes",
  "call_share", "replay_ns", "is_of_bucket", "estimated_ns", "estimated_share",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "One of the dumps: one that can be replayed, if there is one" }
function.help = "Name of the function"
graph_hash = { type = "VARCHAR", unit = "text", help = "Equal for clusters that compute the same" }
bucket = { type = "VARCHAR", unit = "text", help = "Shapes of the arguments; sizes that vary are rounded up to a power of two" }
n_dumps = { type = "BIGINT", unit = "count", check = "> 0", help = "Dumps of the graph" }
n_calls.help = "Calls in the log"
n_shapes = { type = "BIGINT", unit = "count", check = "> 0", help = "Different shapes of these calls" }
call_share = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "Share of the calls of the run" }
replay_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Kernel time of the measured iteration of the last replay; NULL: not replayed" }
is_of_bucket = { type = "BOOLEAN", unit = "bool", nullable = true, help = "The replay had a shape of this bucket" }
estimated_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "n_calls times replay_ns" }
estimated_share = { type = "DOUBLE", unit = "ratio", nullable = true, check = "BETWEEN 0 AND 1", help = "Share of the sum of estimated_ns of the run" }

[changes]
1 = "first version"
--- */
WITH cluster AS (
  SELECT t.run_id, c.*
  FROM disc_cluster AS c
  JOIN trace AS t ON t.id = c.trace_id
  WHERE c.graph_hash IS NOT NULL
),
one AS (
  SELECT
    run_id,
    graph_hash,
    count(*) AS n_dumps,
    arg_min(id, (CASE WHEN status = 'replayable' THEN 0 ELSE 1 END, id)) AS disc_cluster_id,
    arg_min(function, (CASE WHEN status = 'replayable' THEN 0 ELSE 1 END, id)) AS function
  FROM cluster
  GROUP BY run_id, graph_hash
),
call AS (
  SELECT c.run_id, c.graph_hash, r.id, r.disc_cluster_id, r.shapes_json,
    from_json(r.shapes_json, '[["BIGINT"]]') AS shapes
  FROM disc_cluster_call AS r
  JOIN cluster AS c ON c.id = r.disc_cluster_id
),
recorded AS (
  SELECT disc_cluster_id, sum(n_calls)::BIGINT AS n_calls
  FROM disc_cluster_total
  WHERE n_calls > 0
  GROUP BY disc_cluster_id
  UNION ALL
  SELECT disc_cluster_id, count(*)
  FROM disc_call_time
  WHERE trace_id NOT IN (SELECT trace_id FROM disc_cluster_total)
  GROUP BY disc_cluster_id
),
dumped AS (
  SELECT
    disc_cluster_id,
    '[' || string_agg(coalesce(shape_json, '[]'), ',' ORDER BY ordinal) || ']' AS shapes_json
  FROM disc_cluster_argument
  GROUP BY disc_cluster_id
),
-- Each shape once, with the number of its calls.
shape AS (
  SELECT run_id, graph_hash, disc_cluster_id, shapes_json, any_value(shapes) AS shapes, count(*) AS n_calls
  FROM call
  GROUP BY run_id, graph_hash, disc_cluster_id, shapes_json
  UNION ALL
  SELECT
    c.run_id, c.graph_hash, n.disc_cluster_id, d.shapes_json,
    from_json(d.shapes_json, '[["BIGINT"]]'),
    n.n_calls
  FROM recorded AS n
  JOIN cluster AS c ON c.id = n.disc_cluster_id
  JOIN dumped AS d ON d.disc_cluster_id = c.id
  WHERE c.trace_id NOT IN (SELECT trace_id FROM disc_cluster_call)
),
argument AS (
  SELECT
    run_id, graph_hash, disc_cluster_id, shapes_json,
    generate_subscripts(shapes, 1) - 1 AS ordinal,
    unnest(shapes) AS sizes
  FROM shape
),
dimension AS (
  SELECT
    run_id, graph_hash, disc_cluster_id, shapes_json, ordinal,
    generate_subscripts(sizes, 1) AS place,
    unnest(sizes) AS size
  FROM argument
),
varying AS (
  SELECT run_id, graph_hash, ordinal, place
  FROM dimension
  GROUP BY run_id, graph_hash, ordinal, place
  HAVING count(DISTINCT size) > 1
),
rounded AS (
  SELECT
    d.run_id, d.graph_hash, d.disc_cluster_id, d.shapes_json, d.ordinal,
    list(
      CASE WHEN v.place IS NOT NULL AND d.size > 1 AND d.size < 1152921504606846976
        THEN pow(2, ceil(log2(d.size)))::BIGINT ELSE d.size END
      ORDER BY d.place
    ) AS sizes
  FROM dimension AS d
  LEFT JOIN varying AS v
    ON v.run_id = d.run_id AND v.graph_hash = d.graph_hash AND v.ordinal = d.ordinal AND v.place = d.place
  GROUP BY d.run_id, d.graph_hash, d.disc_cluster_id, d.shapes_json, d.ordinal
),
-- Scalars have no dimension.
bucketed AS (
  SELECT
    a.run_id, a.graph_hash, a.disc_cluster_id, a.shapes_json,
    string_agg('[' || coalesce(array_to_string(r.sizes, ','), '') || ']', ',' ORDER BY a.ordinal) AS bucket,
    -- The sizes of the copies that a replay of this shape makes.
    list(
      (e.bytes // nullif(e.n_elements, 0)) * coalesce(list_product(a.sizes), 1)::BIGINT
      ORDER BY a.ordinal
    ) FILTER (e.placement IS DISTINCT FROM 'cpu') AS copied_bytes
  FROM argument AS a
  LEFT JOIN rounded AS r
    ON r.run_id = a.run_id AND r.graph_hash = a.graph_hash AND r.disc_cluster_id = a.disc_cluster_id
    AND r.shapes_json = a.shapes_json AND r.ordinal = a.ordinal
  LEFT JOIN (
    SELECT *, coalesce(list_product(from_json(shape_json, '["BIGINT"]')), 1)::BIGINT AS n_elements
    FROM disc_cluster_argument
  ) AS e ON e.disc_cluster_id = a.disc_cluster_id AND e.ordinal = a.ordinal
  GROUP BY a.run_id, a.graph_hash, a.disc_cluster_id, a.shapes_json
),
replayed AS (
  SELECT profile_trace_id, graph_hash, copied_bytes, kernel_ns[-1] AS measured_ns
  FROM disc_cluster_profile
  WHERE n_candidates = 1
    AND len(kernel_ns) > 0
),
-- For each shape the last replay of it, else the last one of the graph.
timed AS (
  SELECT
    s.run_id, s.graph_hash, s.shapes_json, s.n_calls, b.bucket,
    arg_max(p.measured_ns, p.profile_trace_id) FILTER (p.copied_bytes = b.copied_bytes) AS own_ns,
    max(p.profile_trace_id) FILTER (p.copied_bytes = b.copied_bytes) AS own_id,
    arg_max(p.measured_ns, p.profile_trace_id) AS any_ns
  FROM shape AS s
  LEFT JOIN bucketed AS b
    ON b.run_id = s.run_id AND b.graph_hash = s.graph_hash AND b.disc_cluster_id = s.disc_cluster_id
    AND b.shapes_json = s.shapes_json
  LEFT JOIN replayed AS p ON p.graph_hash = s.graph_hash
  GROUP BY s.run_id, s.graph_hash, s.disc_cluster_id, s.shapes_json, s.n_calls, b.bucket
),
figure AS (
  SELECT
    run_id,
    graph_hash,
    coalesce(bucket, '') AS bucket,
    sum(n_calls)::BIGINT AS n_calls,
    count(DISTINCT shapes_json) AS n_shapes,
    coalesce(arg_max(own_ns, own_id), any_value(any_ns)) AS replay_ns,
    CASE WHEN any_value(any_ns) IS NOT NULL THEN count(own_ns) > 0 END AS is_of_bucket
  FROM timed
  GROUP BY run_id, graph_hash, coalesce(bucket, '')
)
SELECT
  f.run_id,
  o.disc_cluster_id,
  o.function,
  f.graph_hash,
  f.bucket,
  o.n_dumps,
  f.n_calls,
  f.n_shapes,
  f.n_calls / sum(f.n_calls) OVER (PARTITION BY f.run_id)::DOUBLE AS call_share,
  f.replay_ns,
  f.is_of_bucket,
  f.n_calls * f.replay_ns AS estimated_ns,
  f.n_calls * f.replay_ns / nullif(sum(f.n_calls * f.replay_ns) OVER (PARTITION BY f.run_id), 0)::DOUBLE
    AS estimated_share
FROM figure AS f
JOIN one AS o ON o.run_id = f.run_id AND o.graph_hash = f.graph_hash
ORDER BY f.run_id, estimated_ns DESC NULLS LAST, f.n_calls DESC, f.graph_hash, f.bucket
