/* ---
name = "cluster_profiles"
version = 1
title = "Profiles of replays, and the clusters that they may be of"
help = """
Profiles in the scope, and profiles of the clusters in the scope. With one candidate a profile is linked
to the cluster; several are listed, and no other query uses them: name one at the import
(--cluster).
"""
grain = ["profile_trace_id", "disc_cluster_id"]
requires = { schema = ">=22" }
scale = "sql"
columns = [
  "profile_trace_id", "disc_cluster_id", "function", "method", "confidence", "n_candidates",
  "n_iterations", "n_copies", "copied_bytes", "measured_ns", "linker", "linker_version",
]

[column]
profile_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Profile" }
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster that it may be of" }
function.help = "Name of the cluster's function"
method = { type = "VARCHAR", unit = "text", help = "chosen: named at the import; command: file names of the recorded command; bytes: sizes of the copies to the device" }
confidence.help = "1 where it was named, less where it was inferred"
n_candidates = { type = "BIGINT", unit = "count", check = "> 0", help = "Clusters of different signatures that it may be of" }
n_iterations = { type = "BIGINT", unit = "count", check = ">= 0", help = "Iterations" }
n_copies = { type = "BIGINT", unit = "count", check = ">= 0", help = "Copies to the device in each iteration" }
copied_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Size of these copies" }
measured_ns = { type = "BIGINT", unit = "ns", nullable = true, check = ">= 0", help = "Kernel time of the last iteration; NULL: no iteration" }
linker = { type = "VARCHAR", unit = "text", help = "Query that found it" }
linker_version = { type = "BIGINT", unit = "count", help = "Its version" }

[changes]
1 = "first version"
--- */
SELECT
  p.profile_trace_id,
  p.disc_cluster_id,
  p.function,
  p.method,
  p.confidence,
  p.n_candidates,
  len(p.first_copy_ids) AS n_iterations,
  len(p.copied_bytes) AS n_copies,
  coalesce(list_sum(p.copied_bytes), 0)::BIGINT AS copied_bytes,
  p.kernel_ns[-1] AS measured_ns,
  p.linker,
  p.linker_version
FROM disc_cluster_profile AS p
WHERE p.profile_trace_id IN (SELECT id FROM trace)
  OR p.cluster_trace_id IN (SELECT id FROM trace)
ORDER BY p.profile_trace_id, p.disc_cluster_id
