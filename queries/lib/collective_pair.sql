/* ---
name = "collective_pair"
version = 1
title = "Collectives linked between two ranks, each end on its own clock"
help = """
One row per link of kind collective_peer in the default set. Times are nanoseconds since the epoch
of each trace's own clock, so the two ends are not comparable.
"""
grain = ["slice_id"]
requires = { schema = ">=1", queries = ["collective_op@1"] }
scale = "run"
columns = [
  "run_id", "hub_id", "slice_id", "hub_trace_id", "trace_id", "confidence", "is_synchronizing",
  "is_from_hub", "hub_start_ns", "hub_end_ns", "start_ns", "end_ns",
]

[column]
hub_id = { type = "BIGINT", unit = "ref slice.id", help = "Slice of the collective on the lowest rank that has it" }
slice_id.help = "Slice of the collective on the other rank"
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "Trace of the lowest rank" }
trace_id.help = "Trace of the other rank"
confidence = { type = "DOUBLE", unit = "ratio", check = "BETWEEN 0 AND 1", help = "Confidence of the link" }
is_synchronizing.help = "Whether neither end can precede the other's start"
hub_start_ns = { type = "BIGINT", unit = "ns", help = "Start on the lowest rank, on its clock" }
hub_end_ns = { type = "BIGINT", unit = "ns", help = "End on the lowest rank, on its clock" }
start_ns.help = "Start on the other rank, on its clock"
end_ns.help = "End on the other rank, on its clock"

[column.is_from_hub]
type = "BOOLEAN"
unit = "bool"
nullable = true
help = "For a send and its recv: whether the lowest rank sends; NULL: other kinds"

[changes]
1 = "first version"
--- */
SELECT
  l.run_id,
  l.from_id AS hub_id,
  l.to_id AS slice_id,
  h.trace_id AS hub_trace_id,
  s.trace_id,
  l.confidence,
  h.is_synchronizing AND s.is_synchronizing AS is_synchronizing,
  CASE
    WHEN NOT (h.is_transfer AND s.is_transfer) THEN NULL
    WHEN h.kind = 'send' AND s.kind = 'recv' THEN true
    WHEN h.kind = 'recv' AND s.kind = 'send' THEN false
  END AS is_from_hub,
  h.base_ns + h.start_ns AS hub_start_ns,
  h.base_ns + h.end_ns AS hub_end_ns,
  s.base_ns + s.start_ns AS start_ns,
  s.base_ns + s.end_ns AS end_ns
FROM collective_op() AS h
JOIN whole_link AS l ON l.from_id = h.slice_id
JOIN collective_op() AS s ON s.slice_id = l.to_id
WHERE l.kind = 'collective_peer'
  AND l.link_set = 'default'
  AND l.trace_id IS NULL
ORDER BY l.to_id
