/* ---
name = "costly_call_name"
version = 1
title = "Names of calls that wait for devices, or that allocate or release memory"
help = """
Runtime and driver calls of CUDA, HIP, Level Zero and SYCL, by their names: those that return only after device work
is done, and those that allocate or release memory of devices or pinned memory.
"""
grain = ["name"]
requires = { schema = ">=1" }
scale = "once"
computed_once = "reports"
columns = ["name", "kind"]

[column]
name.help = "Name of the calls"
kind = { type = "VARCHAR", unit = "text", check = "IN ('synchronization', 'allocation')", help = "synchronization or allocation" }

[changes]
1 = "first version"
--- */
SELECT name, kind
FROM (
  SELECT
    name,
    CASE
      WHEN name ILIKE '%synchronize%' OR name ILIKE '%queuefinish%' THEN 'synchronization'
      WHEN regexp_matches(name, '^(cu|cuda|hip)(Mem)?(Malloc|Free|Alloc|Host(Alloc|Malloc|Free|Register|Unregister)|AddressReserve|Create|Map|Unmap|Release|SetAccess)(Managed|Pitch|Array|Host|3D|Async|FromPoolAsync)*(_v[0-9]+)?$')
        THEN 'allocation'
    END AS kind
  FROM (SELECT DISTINCT name FROM launch)
)
WHERE kind IS NOT NULL
