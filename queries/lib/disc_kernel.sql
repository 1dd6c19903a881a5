/* ---
name = "disc_kernel"
version = 1
title = "Names of kernels that BladeDISC compiled, taken apart"
help = """
main_<kind>_<roots>__<operations>_<results>_<counter>[___<variant>][_<part>]: a fusion of
operations; gKernel_<number>_<name>: a kernel that is not a fusion. All other kernels are of libraries.
Counters begin at 0 in every cluster: a name does not tell which cluster a kernel is of.
"""
grain = ["trace_id", "name"]
requires = { schema = ">=1" }
scale = "trace"
columns = [
  "trace_id", "name", "fusion_kind", "roots", "n_fused", "n_results", "fusion_number", "variant",
  "part", "is_library",
]

[column]
name.help = "Name of the kernel"
fusion_kind = { type = "VARCHAR", unit = "text", nullable = true, help = "kLoop, kRowReduction, ...; gKernel: no fusion; NULL: of a library" }
roots = { type = "VARCHAR", unit = "text", nullable = true, help = "Operations whose results it writes, joined by _" }
n_fused = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Operations in the fusion" }
n_results = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Results" }
fusion_number = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number in its cluster, from 0" }
variant = { type = "VARCHAR", unit = "text", nullable = true, help = "How it was compiled: 1w1r, vectile4, ..., joined by X" }
part = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Number among several kernels of one fusion; NULL: the first" }
is_library = { type = "BOOLEAN", unit = "bool", help = "Not compiled by BladeDISC" }

[changes]
1 = "first version"
--- */
WITH kernel AS (
  SELECT DISTINCT trace_id, name FROM gpu_op WHERE kind = 'kernel' AND name IS NOT NULL
),
found AS (
  SELECT
    trace_id,
    name,
    regexp_extract(
      name, '^main_(k[A-Za-z]+)_(.*)__(\d{1,9})_(\d{1,9})_(\d{1,9})(?:___(.*?))?(?:_(\d{1,9}))?$',
      ['kind', 'roots', 'n_ops', 'n_results', 'number', 'variant', 'part']
    ) AS fusion,
    regexp_extract(name, '^gKernel_(\d{1,9})_(.*)$', ['number', 'roots']) AS single
  FROM kernel
)
SELECT
  trace_id,
  name,
  CASE WHEN fusion.kind <> '' THEN fusion.kind WHEN single.number <> '' THEN 'gKernel' END AS fusion_kind,
  coalesce(nullif(fusion.roots, ''), nullif(single.roots, '')) AS roots,
  nullif(fusion.n_ops, '')::BIGINT AS n_fused,
  nullif(fusion.n_results, '')::BIGINT AS n_results,
  coalesce(nullif(fusion.number, ''), nullif(single.number, ''))::BIGINT AS fusion_number,
  nullif(fusion.variant, '') AS variant,
  nullif(fusion.part, '')::BIGINT AS part,
  fusion.kind = '' AND single.number = '' AS is_library
FROM found
ORDER BY trace_id, name
