/* ---
name = "what_if_equal_ranks"
version = 3
title = "What if: all ranks computed equally fast"
help = """
Operators, pieces of host threads and device work last as long as on the mean of all ranks that run
them: those of the same name and kind, by their place on the thread or stream. Collectives stay as
they are. With rank, only that rank changes, to the mean of the others.
"""
grain = ["run_id", "node_id"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
columns = [
  "node_id", "run_id", "trace_id", "rank", "resource_id", "kind", "name", "dur_ns", "gap_ns",
  "priority", "order_key", "slot_id", "bytes", "release_ns", "slice_id", "track_id",
  "measured_start_ns", "measured_end_ns",
]

[param.rank]
type = "BIGINT"
default = -1
help = "Rank that becomes like the others; -1 for all"

[column]
node_id = { type = "BIGINT", unit = "id", help = "Node; counts from 0 in a run" }
trace_id.nullable = true
kind.help = "operator, or the stage of communication; of timelines host, call, gradient, copy, kernel, memcpy, memset, arrival, barrier, collective, end"
name.nullable = false
dur_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Duration after the change" }
gap_ns = { type = "DOUBLE", unit = "ns", check = ">= 0", help = "Time the resource stays in use afterwards" }
bytes.help = "Bytes that a transfer moves"
slice_id = { nullable = true, help = "Slice that it stands for, or call that begins with it" }
track_id = { nullable = true, help = "Thread or stream" }

[changes]
3 = "new parameter rank"
2 = "timelines"
1 = "first version"
--- */
WITH placed AS (
  SELECT
    *,
    CASE WHEN kind = 'operator' THEN regexp_replace(name, '^[^>]*->', '') ELSE name END AS bare_name,
    CASE WHEN kind <> 'operator' THEN
      row_number() OVER (PARTITION BY run_id, track_id, kind, name ORDER BY node_id)
    END AS place
  FROM (
    SELECT *, dense_rank() OVER (PARTITION BY trace_id ORDER BY track_id) AS track_place FROM replay_node()
  )
)
SELECT
  node_id, run_id, trace_id, rank, resource_id, kind, name,
  CASE WHEN kind IN ('operator', 'host', 'call', 'kernel', 'memcpy', 'memset')
    AND ($rank::BIGINT = -1 OR rank IS NOT DISTINCT FROM $rank::BIGINT)
    THEN coalesce(
      avg(CASE WHEN $rank::BIGINT = -1 OR rank IS DISTINCT FROM $rank::BIGINT THEN dur_ns END)
        OVER (PARTITION BY run_id, kind, bare_name, track_place, place),
      dur_ns
    )
    ELSE dur_ns
  END AS dur_ns,
  gap_ns, priority, order_key, slot_id, bytes, release_ns, slice_id, track_id, measured_start_ns,
  measured_end_ns
FROM placed
ORDER BY run_id, node_id
