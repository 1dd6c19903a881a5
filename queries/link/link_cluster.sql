/* ---
name = "link_cluster"
version = 1
title = "Profiles of replays and the clusters that were replayed"
help = """
Links a profile, and the profiles of the warehouse when a log is imported. In order: the cluster
named at the import; the names of program and archive in the recorded command; the sizes of the
copies to the device. Each iteration of a replay copies all arguments but those on the host, in
order: where these sizes follow each other, an iteration begins. Of several clusters, those are
taken whose sizes account for most copies; those that are left are listed, and none is chosen. Dumps
of one signature with equal sizes are one candidate, the first. A cluster that was named, but whose
sizes do not occur, was replayed with other shapes: then the sizes of the first copies count; one
that was named and is not in the warehouse is waited for.
Contexts with over 100,000 copies are not replays.
"""
grain = ["profile_trace_id", "disc_cluster_id"]
requires = { schema = ">=22", rows = ["disc_cluster"] }
stored_in = "disc_cluster_profile"
columns = [
  "profile_trace_id", "cluster_trace_id", "disc_cluster_id", "method", "confidence",
  "n_candidates", "function", "graph_hash", "signature_hash", "copied_bytes", "first_copy_ids",
  "kernel_ns",
]

[param.trace_id]
type = "BIGINT"
help = "Trace to link: a profile, or a log with clusters"

[column]
profile_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Profile" }
cluster_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Log with the cluster" }
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
method = { type = "VARCHAR", unit = "text", help = "chosen, command or bytes" }
confidence = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "1 for chosen; command 1 if both names are equal, else 0.9; bytes 0.9 if an iteration has three copies or a kernel of the compiler runs, else 0.5" }
n_candidates = { type = "BIGINT", unit = "count", check = "> 0", help = "Clusters of different signatures that the profile may be of" }
function.help = "Function of the cluster"
graph_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "graph_hash of the cluster" }
signature_hash = { type = "VARCHAR", unit = "text", nullable = true, help = "signature_hash of the cluster" }
copied_bytes = { type = "BIGINT[]", unit = "byte", help = "Sizes of the copies of each iteration, in order" }
first_copy_ids = { type = "BIGINT[]", unit = "see slice.id", help = "First copy of each iteration, in order" }
kernel_ns = { type = "BIGINT[]", unit = "ns", help = "Sum of the durations of the kernels of each iteration, in order" }

[changes]
1 = "first version"
--- */
-- The profiles to link: the trace itself, or all where it has clusters.
WITH profile AS MATERIALIZED (
  SELECT
    id AS trace_id,
    nullif(json_extract_string(metadata_json, '$.replay.cluster'), '') AS chosen,
    json_extract_string(metadata_json, '$.replay.program') AS program,
    json_extract_string(metadata_json, '$.replay.data') AS data
  FROM trace
  WHERE format IN ('nsys', 'nvprof', 'rocpd', 'rocprof', 'rocprofv3', 'rpd')
    AND (
      id = $trace_id::BIGINT
      OR EXISTS (SELECT 1 FROM disc_cluster WHERE trace_id = $trace_id::BIGINT)
    )
),
copy AS MATERIALIZED (
  SELECT
    g.trace_id,
    k.process_id,
    g.context_id,
    g.slice_id,
    g.ts,
    g.bytes,
    row_number() OVER (PARTITION BY g.trace_id, k.process_id, g.context_id ORDER BY g.ts, g.slice_id)
      AS place,
    count(*) OVER (PARTITION BY g.trace_id, k.process_id, g.context_id) AS n_copies
  FROM gpu_op AS g
  JOIN track AS k ON k.id = g.track_id
  WHERE g.kind = 'memcpy'
    AND g.direction = 'HtoD'
    AND g.trace_id IN (SELECT trace_id FROM profile)
  QUALIFY n_copies <= 100000
),
argument AS (
  SELECT
    disc_cluster_id,
    list(bytes ORDER BY ordinal) FILTER (placement IS DISTINCT FROM 'cpu') AS bytes,
    count(*) FILTER (placement IS DISTINCT FROM 'cpu' AND bytes IS NULL) AS n_unknown
  FROM disc_cluster_argument
  GROUP BY disc_cluster_id
),
cluster AS MATERIALIZED (
  SELECT
    c.id,
    c.trace_id,
    c.function,
    c.graph_hash,
    c.signature_hash,
    c.func_hash,
    c.program,
    c.data,
    CASE WHEN a.n_unknown = 0 THEN coalesce(a.bytes, []) ELSE [] END AS bytes,
    -- Dumps that a replay cannot tell apart.
    coalesce(c.signature_hash, c.id::VARCHAR) AS signature
  FROM disc_cluster AS c
  LEFT JOIN argument AS a ON a.disc_cluster_id = c.id
),
named AS MATERIALIZED (
  SELECT p.trace_id AS profile_trace_id, c.id, 'chosen' AS method, 1::DOUBLE AS confidence
  FROM profile AS p
  JOIN cluster AS c
    ON p.chosen = c.id::VARCHAR OR p.chosen = c.function
    OR (len(p.chosen) >= 4 AND (
      starts_with(c.graph_hash, p.chosen) OR starts_with(c.signature_hash, p.chosen)
      OR starts_with(c.func_hash, p.chosen)
    ))
  UNION ALL
  SELECT
    p.trace_id,
    c.id,
    'command',
    CASE WHEN p.program = c.program AND p.data = c.data THEN 1::DOUBLE ELSE 0.9::DOUBLE END
  FROM profile AS p
  JOIN cluster AS c ON p.program = c.program OR p.data = c.data
  WHERE p.chosen IS NULL
),
-- Names decide; without any, each cluster whose sizes all occur may be the one. A cluster that was
-- named at the import, and is not there yet, may come with another log.
size_of_profile AS (
  SELECT c.trace_id, list(DISTINCT c.bytes) AS sizes
  FROM copy AS c
  JOIN profile AS p ON p.trace_id = c.trace_id AND p.chosen IS NULL
  GROUP BY c.trace_id
),
candidate AS MATERIALIZED (
  SELECT profile_trace_id, id, method, max(confidence) AS confidence
  FROM named
  GROUP BY profile_trace_id, id, method
  UNION ALL
  SELECT s.trace_id, c.id, 'bytes', NULL
  FROM size_of_profile AS s
  JOIN cluster AS c ON list_has_all(s.sizes, c.bytes)
  WHERE len(c.bytes) > 0
    AND s.trace_id NOT IN (SELECT profile_trace_id FROM named)
),
-- What to look for: the sizes of the arguments; for named clusters also those of the first copies.
pattern AS MATERIALIZED (
  SELECT n.profile_trace_id, c.id, n.method, c.bytes, false AS is_other
  FROM candidate AS n
  JOIN cluster AS c ON c.id = n.id
  WHERE len(c.bytes) > 0
  UNION ALL
  SELECT n.profile_trace_id, c.id, n.method, f.bytes, true
  FROM candidate AS n
  JOIN cluster AS c ON c.id = n.id
  JOIN (
    SELECT
      w.trace_id, w.process_id, w.context_id, c.id,
      list(w.bytes ORDER BY w.place) AS bytes
    FROM copy AS w
    JOIN candidate AS n ON n.profile_trace_id = w.trace_id AND n.method <> 'bytes'
    JOIN cluster AS c ON c.id = n.id AND w.place <= len(c.bytes)
    GROUP BY ALL
  ) AS f ON f.id = c.id AND f.trace_id = n.profile_trace_id
  WHERE n.method <> 'bytes'
    AND len(f.bytes) = len(c.bytes)
    AND f.bytes <> c.bytes
),
element AS MATERIALIZED (
  SELECT
    profile_trace_id, id, is_other, bytes AS sizes,
    unnest(bytes) AS bytes,
    generate_subscripts(bytes, 1) AS ordinal
  FROM pattern
),
-- Places where all sizes follow each other.
hit AS (
  SELECT
    e.profile_trace_id, e.id, e.is_other, e.sizes, c.process_id, c.context_id, any_value(c.n_copies) AS n_copies,
    c.place - e.ordinal + 1 AS place,
    any_value(c.slice_id) FILTER (e.ordinal = 1) AS slice_id
  FROM element AS e
  JOIN copy AS c ON c.trace_id = e.profile_trace_id AND c.bytes = e.bytes
  GROUP BY e.profile_trace_id, e.id, e.is_other, e.sizes, c.process_id, c.context_id, c.place - e.ordinal + 1
  HAVING count(*) = len(e.sizes)
),
-- Sizes that repeat themselves overlap; iterations follow each other without a gap.
marked AS (
  SELECT
    *,
    CASE WHEN place - lag(place) OVER places < len(sizes) THEN 0 ELSE 1 END AS is_first
  FROM hit
  WINDOW places AS (
    PARTITION BY profile_trace_id, id, is_other, sizes, process_id, context_id ORDER BY place
  )
),
grouped AS (
  SELECT
    *,
    sum(is_first) OVER (
      PARTITION BY profile_trace_id, id, is_other, sizes, process_id, context_id ORDER BY place
    ) AS island
  FROM marked
),
tiled AS (
  SELECT
    *,
    (place - min(place) OVER (
      PARTITION BY profile_trace_id, id, is_other, sizes, process_id, context_id, island
    )) % len(sizes) AS beside
  FROM grouped
),
found AS (
  SELECT
    profile_trace_id, id, is_other, sizes, process_id, context_id,
    list(slice_id ORDER BY place) AS first_copy_ids,
    count(*) AS n_iterations,
    any_value(n_copies) AS n_copies
  FROM tiled
  WHERE beside = 0
  GROUP BY profile_trace_id, id, is_other, sizes, process_id, context_id
),
-- Of each cluster the context with the most iterations, with its own sizes if they occur.
best AS (
  SELECT *
  FROM found
  QUALIFY row_number() OVER (
    PARTITION BY profile_trace_id, id ORDER BY is_other, n_iterations DESC, process_id, context_id
  ) = 1
),
compiled AS (
  SELECT DISTINCT trace_id
  FROM gpu_op
  WHERE kind = 'kernel'
    AND trace_id IN (SELECT trace_id FROM profile)
    AND regexp_matches(name, '^main_k[A-Z]')
),
judged AS (
  SELECT
    n.profile_trace_id,
    n.id,
    n.method,
    coalesce(n.confidence, CASE WHEN len(b.sizes) >= 3 OR k.trace_id IS NOT NULL
      THEN 0.9::DOUBLE ELSE 0.5::DOUBLE END) AS confidence,
    coalesce(b.sizes, []) AS copied_bytes,
    coalesce(b.first_copy_ids, []) AS first_copy_ids,
    b.process_id,
    b.context_id,
    coalesce(b.n_iterations * len(b.sizes), 0) AS n_explained,
    coalesce(b.is_other, true) AS is_other
  FROM candidate AS n
  LEFT JOIN best AS b ON b.profile_trace_id = n.profile_trace_id AND b.id = n.id
  LEFT JOIN compiled AS k ON k.trace_id = n.profile_trace_id
  WHERE n.method <> 'bytes'
    OR b.n_iterations > 1
    OR len(b.sizes) = b.n_copies
),
-- Those that explain most copies, with their own sizes rather than others; of one signature the first.
kept AS (
  SELECT *
  FROM judged
  QUALIFY rank() OVER (
    PARTITION BY profile_trace_id ORDER BY is_other, n_explained DESC, confidence DESC
  ) = 1
),
one AS (
  SELECT k.*, c.trace_id, c.function, c.graph_hash, c.signature_hash, c.signature
  FROM kept AS k
  JOIN cluster AS c ON c.id = k.id
  QUALIFY row_number() OVER (PARTITION BY k.profile_trace_id, c.signature ORDER BY c.id) = 1
),
-- A kernel belongs to the last iteration that had begun.
begun AS (
  SELECT o.id, o.profile_trace_id, c.process_id, c.context_id, c.ts, c.slice_id
  FROM (SELECT id, profile_trace_id, unnest(first_copy_ids) AS slice_id FROM one) AS o
  JOIN copy AS c ON c.slice_id = o.slice_id
),
ended AS (
  SELECT
    *,
    lead(ts) OVER (PARTITION BY id, profile_trace_id ORDER BY ts, slice_id) AS until_ts
  FROM begun
),
timed AS (
  SELECT e.id, e.profile_trace_id, e.ts, e.slice_id, coalesce(sum(g.dur), 0)::BIGINT AS kernel_ns
  FROM ended AS e
  LEFT JOIN (
    SELECT w.trace_id, k.process_id, w.context_id, w.ts, w.dur
    FROM gpu_op AS w
    JOIN track AS k ON k.id = w.track_id
    WHERE w.kind = 'kernel'
      AND w.trace_id IN (SELECT profile_trace_id FROM one)
  ) AS g
    ON g.trace_id = e.profile_trace_id
    AND g.process_id IS NOT DISTINCT FROM e.process_id
    AND g.context_id IS NOT DISTINCT FROM e.context_id
    AND g.ts >= e.ts AND g.ts < coalesce(e.until_ts, 9223372036854775807)
  GROUP BY e.id, e.profile_trace_id, e.ts, e.slice_id
),
summed AS (
  SELECT id, profile_trace_id, list(kernel_ns ORDER BY ts, slice_id) AS kernel_ns
  FROM timed
  GROUP BY id, profile_trace_id
)
SELECT
  o.profile_trace_id,
  o.trace_id AS cluster_trace_id,
  o.id AS disc_cluster_id,
  method,
  confidence,
  count(*) OVER (PARTITION BY o.profile_trace_id) AS n_candidates,
  function,
  graph_hash,
  signature_hash,
  copied_bytes,
  first_copy_ids,
  coalesce(s.kernel_ns, []) AS kernel_ns
FROM one AS o
LEFT JOIN summed AS s ON s.id = o.id AND s.profile_trace_id = o.profile_trace_id
ORDER BY o.profile_trace_id, disc_cluster_id
