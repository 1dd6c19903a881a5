/* ---
name = "cluster_problems"
version = 1
title = "What keeps dumped clusters from being replayed"
help = """
Problems found at the import, and failures that disc-replay-main is known to have with a cluster's
arguments; no GPU is needed to tell. Each row says what the replay does, and what to do.
"""
grain = ["disc_cluster_id", "kind", "ordinal"]
scale = "trace"
columns = [
  "run_id", "trace_id", "disc_cluster_id", "function", "kind", "ordinal", "outcome", "remedy",
]

[column]
disc_cluster_id = { type = "BIGINT", unit = "ref disc_cluster.id", help = "Cluster" }
function.help = "Name of the cluster's function"
kind.help = "Name of the problem"
ordinal = { type = "BIGINT", unit = "count", nullable = true, help = "Argument that has the problem; NULL: the cluster as a whole" }
outcome = { type = "VARCHAR", unit = "text", help = "What disc-replay-main does" }
remedy.help = "What to do"

[changes]
1 = "first version"
--- */
WITH known(kind, outcome, remedy) AS (
  VALUES
    ('no_values_recorded', 'exits with 1: load replay record failed',
     'Record again with DISC_DEBUG=true.'),
    ('program_missing', 'aborts (exit code 134)', 'Copy the .input file beside the log.'),
    ('program_not_protobuf', 'exits with 1: load replay record failed', 'Copy or record it again.'),
    ('tar_missing', 'exits with 1: load replay record failed', 'Copy the .tar file beside the log.'),
    ('tar_truncated', 'exits with 1: load replay record failed', 'Copy or record it again.'),
    ('tar_unreadable', 'exits with 1: load replay record failed', 'Copy or record it again.'),
    ('tensor_corrupt', 'exits with 1, or uses an empty tensor', 'Copy or record it again.'),
    ('member_missing', 'aborts (exit code 134)', 'Copy or record it again.'),
    ('unsafe_member', 'unpacks a file outside of its folder', 'Do not replay this archive.'),
    ('tar_without_program_line', 'ends while it compiles, as the recorded process did',
     'Look for the compiler''s error in the log.'),
    ('unpaired_archive', 'cannot be replayed: no program', 'Copy the .input file beside the log.'),
    ('resource_argument', 'binds the handle of a variable instead of its values',
     'Replay a cluster without variables.'),
    ('unsupported_constant', 'exits with 1: the type of a constant is not implemented',
     'Constants may be float32, int64, int32 and bool.'),
    ('unsupported_fixed_shape', 'aborts: the type of an argument of fixed shape is not implemented',
     'Such arguments may be float32, float64, float16, int64, int32 and bool.'),
    ('cpu_build', 'exits with 1: only host tag for CPU only build',
     'Parameters can be replayed on a GPU only: record the program on one.'),
    ('unknown_device', 'exits with 1: could not find registered compiler wrapper for device',
     'Only programs of MLIR_GPU and MLIR_CPU can be replayed.'),
    ('all_zero', 'runs, but branches and sparse inputs cost what they cost with zeros',
     'Record a step with real inputs.'),
    ('has_nan', 'runs, with values that are not a number', 'Check the inputs of the recorded step.')
),
found AS (
  SELECT id AS disc_cluster_id, status AS kind, NULL::BIGINT AS ordinal
  FROM disc_cluster
  WHERE status <> 'replayable'
  UNION ALL
  SELECT id, 'cpu_build', NULL
  FROM disc_cluster
  WHERE device_type = 'MLIR_CPU'
    AND id IN (SELECT disc_cluster_id FROM disc_cluster_argument WHERE kind = 'parameter')
  UNION ALL
  SELECT id, 'unknown_device', NULL
  FROM disc_cluster
  WHERE device_type NOT IN ('MLIR_GPU', 'MLIR_CPU')
  UNION ALL
  SELECT
    disc_cluster_id,
    unnest(list_filter([
      CASE WHEN kind IN ('resource', 'constant_resource') THEN 'resource_argument' END,
      CASE WHEN kind = 'constant' AND data_type NOT IN ('float32', 'int64', 'int32', 'bool')
        THEN 'unsupported_constant' END,
      CASE WHEN kind = 'fixed_shape'
          AND data_type NOT IN ('float32', 'float64', 'float16', 'int64', 'int32', 'bool')
        THEN 'unsupported_fixed_shape' END,
      CASE WHEN kind = 'parameter' AND min_value = 0 AND max_value = 0 AND n_zero > 1
        THEN 'all_zero' END,
      CASE WHEN n_nan > 0 THEN 'has_nan' END
    ], lambda kind: kind IS NOT NULL)),
    ordinal
  FROM disc_cluster_argument
)
SELECT
  t.run_id,
  c.trace_id,
  c.id AS disc_cluster_id,
  c.function,
  f.kind,
  f.ordinal,
  k.outcome,
  k.remedy
FROM found AS f
JOIN known AS k ON k.kind = f.kind
JOIN disc_cluster AS c ON c.id = f.disc_cluster_id
JOIN trace AS t ON t.id = c.trace_id
ORDER BY t.run_id, c.id, f.ordinal NULLS FIRST, f.kind
