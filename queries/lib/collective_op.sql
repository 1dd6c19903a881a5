/* ---
name = "collective_op"
version = 1
title = "Communication intervals with normalized kind, group and message size"
help = """
Sources spell kinds differently (allreduce, all_reduce, _allgather_base, alltoallv); here each kind
has one name. Older recordings have only the name of a call, and name kernels after the variant NCCL
selected; there the enclosing operator (c10d::allreduce_) gives the kind. Calls that move no data
(wait, init, the brackets of coalesced calls) and calls of unknown kind have no row.

The message size follows NCCL tests: the buffer of one rank for all_reduce, broadcast, reduce, send
and recv; the total over all ranks for all_gather (output), reduce_scatter and all_to_all (input),
gather and scatter. Bus bandwidth is message_bytes / time * bus_factor, with n the group size:
2(n-1)/n for all_reduce; (n-1)/n for all_gather, reduce_scatter, all_to_all, gather and scatter; 1
for the others.

Operations on two ranks can be the same communication only if their match_key is equal. It contains
the side, kind, group and the parts of message size and type that must be equal on all ranks; send
and recv share keys. Groups are distinguished by their members, and also by their names where ranks
agree on them. A time window hides none.
"""
scale = "trace"
computed_once = "reports"
requires = { rows = ["whole_collective"] }
grain = ["slice_id"]
columns = [
  "slice_id", "trace_id", "run_id", "rank", "side", "kind", "is_transfer", "is_synchronizing",
  "group_name", "group_size", "group_ranks_json", "sequence_number", "data_type", "message_bytes",
  "bus_factor", "match_key", "start_ns", "end_ns", "base_ns",
]

[column]
group_ranks_json = { type = "VARCHAR", unit = "json", nullable = true, help = "Ranks in the group, as recorded" }
data_type.help = "Element type"
message_bytes.help = "Message size, as NCCL tests count it; NULL: unknown"
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End, on the time axis of slice.ts; not before the start"
base_ns = { type = "BIGINT", unit = "ns", help = "Time of slice.ts = 0 on the trace's own clock" }

[column.kind]
help = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send, recv, send_recv, barrier, or the recorded kind in lower case"

[column.is_transfer]
type = "BOOLEAN"
unit = "bool"
help = "Whether the slice lasts as long as the communication: device work and ranges of host libraries, not calls that only enqueue it"

[column.is_synchronizing]
help = "Whether no member can end before the last has begun: is_transfer, and data of every rank reaches every rank"

[column.sequence_number]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Number of the operation in its group, if recorded"

[column.bus_factor]
type = "DOUBLE"
unit = "ratio"
nullable = true
help = "Bus bandwidth / algorithm bandwidth; NULL: unknown group size or kind"

[column.match_key]
type = "VARCHAR"
unit = "text"
help = "Key that is equal on all ranks that may take part in one communication"

[changes]
1 = "first version"
--- */
WITH bare AS (
  SELECT slice_id, trace_id, side
  FROM whole_collective
  WHERE group_ranks_json IS NULL
    AND n_input_elements IS NULL
    AND (side = 'device' OR name = 'record_param_comms')
),
-- The call that each bare call represents, or was enqueued by.
host_call AS (
  SELECT slice_id, slice_id AS call_id
  FROM bare
  WHERE side = 'host'
  UNION ALL
  SELECT c.to_id, o.from_id
  FROM whole_link AS o
  JOIN (
    SELECT l.from_id, l.to_id
    FROM whole_link AS l
    JOIN bare AS b ON b.slice_id = l.to_id
    WHERE l.kind = 'launch' AND l.link_set = 'default'
  ) AS c ON c.from_id = o.to_id
  WHERE o.kind = 'op_launch' AND o.link_set = 'default'
),
outer_kind AS (
  SELECT
    c.slice_id,
    min(coalesce(
      nullif(regexp_extract(c.name, '^c10d::([a-z_]+)', 1), ''),
      nullif(regexp_extract(p.name, '^c10d::([a-z_]+)', 1), '')
    )) AS kind
  FROM whole_slice AS p
  RIGHT JOIN (
    SELECT h.slice_id, s.name, s.parent_id
    FROM whole_slice AS s
    JOIN host_call AS h ON h.call_id = s.id
  ) AS c ON c.parent_id = p.id
  GROUP BY c.slice_id
),
spelled AS (
  SELECT
    c.*,
    t.run_id,
    t.rank,
    t.base_ns,
    regexp_replace(lower(coalesce(o.kind, c.kind)), '[^a-z0-9]', '', 'g') AS word,
    c.side = 'device' OR c.name <> 'record_param_comms' AS is_transfer,
    nullif(replace(c.group_ranks_json, ' ', ''), '[]') AS members
  FROM whole_collective AS c
  JOIN trace AS t ON t.id = c.trace_id
  LEFT JOIN outer_kind AS o ON o.slice_id = c.slice_id
  WHERE coalesce(o.kind, c.kind) IS NOT NULL
),
named AS (
  SELECT
    *,
    CASE
      WHEN word LIKE '%barrier%' THEN 'barrier'
      WHEN word LIKE 'allreduce%' THEN 'all_reduce'
      WHEN word LIKE 'allgather%' THEN 'all_gather'
      WHEN word LIKE 'reducescatter%' THEN 'reduce_scatter'
      WHEN word LIKE 'alltoall%' THEN 'all_to_all'
      WHEN word LIKE 'broadcast%' THEN 'broadcast'
      WHEN word LIKE 'reduce%' THEN 'reduce'
      WHEN word LIKE 'gather%' THEN 'gather'
      WHEN word LIKE 'scatter%' THEN 'scatter'
      WHEN word LIKE 'sendrecv%' THEN 'send_recv'
      WHEN word LIKE 'send%' THEN 'send'
      WHEN word LIKE 'recv%' THEN 'recv'
      ELSE word
    END AS common_kind,
    -- Some sources truncate long lists but record the size.
    coalesce(group_size, length(members) - length(replace(members, ',', '')) + 1) AS n_members,
    -- A peer is given by its position in the group; -1 is any.
    CASE WHEN peer_rank >= 0 THEN coalesce(
      TRY_CAST(
        split_part(regexp_replace(members, '[^0-9,]', '', 'g'), ',', (peer_rank + 1)::INTEGER)
        AS BIGINT
      ),
      peer_rank
    ) END AS peer,
    min(trace_id) OVER named_group <> max(trace_id) OVER named_group AS is_name_shared
  FROM spelled
  WHERE word NOT IN ('', 'wait', 'init', 'startcoalescing', 'endcoalescing')
  WINDOW named_group AS (PARTITION BY run_id, members, group_name)
),
sized AS (
  SELECT
    *,
    CASE
      WHEN common_kind = 'all_gather'
        THEN coalesce(nullif(output_bytes, 0), input_bytes * n_members)
      WHEN common_kind = 'reduce_scatter'
        THEN coalesce(nullif(input_bytes, 0), output_bytes * n_members)
      WHEN common_kind = 'gather' THEN input_bytes * n_members
      WHEN common_kind = 'scatter' THEN output_bytes * n_members
      WHEN common_kind = 'recv' THEN coalesce(nullif(output_bytes, 0), input_bytes)
      ELSE coalesce(nullif(input_bytes, 0), output_bytes)
    END AS message_bytes,
    CASE
      WHEN common_kind = 'all_reduce' THEN 2 * (n_members - 1) / nullif(n_members, 0)
      WHEN common_kind IN ('all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter')
        THEN (n_members - 1) / nullif(n_members, 0)
      WHEN common_kind IN ('broadcast', 'reduce', 'send', 'recv', 'send_recv') THEN 1
    END AS bus_factor
  FROM named
)
SELECT
  slice_id,
  trace_id,
  run_id,
  rank,
  side,
  common_kind AS kind,
  is_transfer,
  is_transfer AND common_kind IN (
    'all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'barrier'
  ) AS is_synchronizing,
  group_name,
  n_members AS group_size,
  group_ranks_json,
  sequence_number,
  data_type,
  message_bytes,
  bus_factor::DOUBLE AS bus_factor,
  concat_ws(
    '|',
    side,
    CASE WHEN is_transfer THEN 'transfer' ELSE 'call' END,
    CASE
      WHEN common_kind = 'send' AND peer + rank IS NOT NULL
        THEN concat('from ', rank, ' to ', peer)
      WHEN common_kind = 'recv' AND peer + rank IS NOT NULL
        THEN concat('from ', peer, ' to ', rank)
      -- What of an unknown peer belongs to nothing: least of all to one of its own kind.
      WHEN common_kind IN ('send', 'recv') THEN concat(common_kind, ' ', slice_id)
      ELSE common_kind
    END,
    coalesce(members, ''),
    CASE WHEN members IS NULL OR is_name_shared THEN coalesce(group_name, '') END,
    -- The other kinds may have different message sizes per rank.
    CASE WHEN common_kind IN ('all_reduce', 'broadcast', 'reduce', 'all_gather', 'reduce_scatter')
      THEN coalesce(message_bytes, n_input_elements)::VARCHAR
    END,
    -- Of a scatter only the root has an input.
    CASE WHEN common_kind NOT IN ('all_to_all', 'barrier', 'scatter') THEN data_type END,
    -- A kernel without metadata is identified by its name only.
    CASE WHEN n_input_elements IS NULL AND members IS NULL AND common_kind <> 'scatter' THEN name END
  ) AS match_key,
  ts AS start_ns,
  ts + greatest(dur, 0) AS end_ns,
  base_ns
FROM sized
ORDER BY slice_id
