/* ---
name = "recorded_operation"
version = 1
title = "Operations that flight recorders keep, with rank, process group and Python line"
help = """
Groups are distinguished by name and members: ranks may use one name for several groups. A time window
hides none. recorded_group has the members.
"""
grain = ["slice_id"]
requires = { schema = ">=27" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "group_key", "group_name", "group_description",
  "group_size", "is_p2p", "sequence_number", "ordinal", "record_id", "kind",
  "peer_rank", "state", "is_done", "input_sizes", "input_types", "output_sizes", "output_types",
  "input_elements", "output_elements", "python_line", "called_ns", "is_overwritten",
]

[column]
slice_id.help = "Slice of the operation"
group_name.help = "Process group"
group_size.help = "Ranks in the group, if recorded"
is_p2p.help = "Whether it is counted among sends and receives"
sequence_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number among the collectives of the group, or among its sends and receives on the rank" }
ordinal = { type = "BIGINT", unit = "count", check = "> 0", help = "Position among the operations of the rank with this number, which are coalesced, from 1" }
record_id = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the record on its rank" }
kind = { type = "VARCHAR", unit = "text", nullable = true, help = "Operation, as the library names it" }
peer_rank.help = "Rank of the other side of a send or recv"
state = { type = "VARCHAR", unit = "text", nullable = true, help = "scheduled, started or completed" }
is_done = { type = "BOOLEAN", unit = "bool", help = "Whether it has ended: completed, no longer watched, or before a collective of the group that has ended" }
input_sizes = { type = "BIGINT[][]", unit = "count", nullable = true, help = "Shapes of the inputs" }
input_types = { type = "VARCHAR[]", unit = "text", nullable = true, help = "Data types of the inputs" }
output_sizes = { type = "BIGINT[][]", unit = "count", nullable = true, help = "Shapes of the outputs" }
output_types = { type = "VARCHAR[]", unit = "text", nullable = true, help = "Data types of the outputs" }
input_elements = { type = "BIGINT", unit = "count", nullable = true, help = "Elements of all inputs" }
output_elements = { type = "BIGINT", unit = "count", nullable = true, help = "Elements of all outputs" }
python_line.help = "Line of the innermost call outside of PyTorch: file(line): function; NULL: no stacks were dumped"
called_ns = { type = "BIGINT", unit = "ns", help = "When it was called, since the epoch of the rank's clock" }
is_overwritten = { type = "BOOLEAN", unit = "bool", help = "Whether the rank recorded operations before the first of the dump, which were overwritten" }

[changes]
1 = "first version"
--- */
WITH line AS (
  SELECT
    call_stack_id,
    concat(
      arg_min(file, (contains(file, '/torch/') OR file = '??', depth)),
      '(', arg_min(line, (contains(file, '/torch/') OR file = '??', depth)), '): ',
      arg_min(function, (contains(file, '/torch/') OR file = '??', depth))
    ) AS python_line
  FROM call_frame
  WHERE file IS NOT NULL AND line IS NOT NULL AND function IS NOT NULL
  GROUP BY call_stack_id
),
config AS (
  SELECT
    trace_id, name,
    any_value(TRY_CAST(ranks_json AS BIGINT[])) AS ranks,
    concat_ws(' ', name, left(md5(any_value(ranks_json)), 8)) AS group_key
  FROM process_group
  WHERE graph_id IS NULL
  GROUP BY trace_id, name
),
operation AS (
  SELECT
    t.run_id,
    t.rank,
    t.base_ns + c.ts AS called_ns,
    c.*,
    coalesce(c.group_name, c.group_number::VARCHAR, '') AS name_of_group,
    g.group_key,
    len(g.ranks) AS group_size,
    coalesce(g.ranks[c.peer_rank + 1], c.peer_rank) AS peer,
    l.python_line,
    min(c.record_id) OVER (PARTITION BY c.trace_id) > 0 AS is_overwritten,
    -- Collectives of a group end in their order; some libraries do not note the end of each.
    max(CASE WHEN (c.state = 'completed' OR c.is_retired) AND c.is_p2p IS NOT TRUE THEN c.record_id END)
      OVER (PARTITION BY c.trace_id, c.group_number, c.group_name) AS last_done_id
  FROM whole_recorded_collective AS c
  JOIN trace AS t ON t.id = c.trace_id
  LEFT JOIN config AS g ON g.trace_id = c.trace_id AND g.name = c.group_name
  LEFT JOIN line AS l ON l.call_stack_id = c.call_stack_id
)
SELECT
  o.run_id,
  o.trace_id,
  o.rank,
  o.slice_id,
  coalesce(o.group_key, o.name_of_group) AS group_key,
  o.name_of_group AS group_name,
  nullif(nullif(o.group_description, ''), 'undefined') AS group_description,
  o.group_size,
  coalesce(o.is_p2p, false) AS is_p2p,
  o.sequence_number,
  row_number() OVER (
    PARTITION BY o.trace_id, o.name_of_group, coalesce(o.is_p2p, false), o.sequence_number
    ORDER BY o.record_id, o.slice_id
  ) AS ordinal,
  o.record_id,
  o.kind,
  o.peer AS peer_rank,
  o.state,
  o.state = 'completed' IS TRUE OR o.is_retired
    OR (o.is_p2p IS NOT TRUE AND o.record_id < o.last_done_id) IS TRUE AS is_done,
  TRY_CAST(o.input_sizes_json AS BIGINT[][]) AS input_sizes,
  TRY_CAST(o.input_types_json AS VARCHAR[]) AS input_types,
  TRY_CAST(o.output_sizes_json AS BIGINT[][]) AS output_sizes,
  TRY_CAST(o.output_types_json AS VARCHAR[]) AS output_types,
  TRY(list_sum(list_transform(
    TRY_CAST(o.input_sizes_json AS BIGINT[][]), lambda s: coalesce(list_product(s), 1)
  ))::BIGINT) AS input_elements,
  TRY(list_sum(list_transform(
    TRY_CAST(o.output_sizes_json AS BIGINT[][]), lambda s: coalesce(list_product(s), 1)
  ))::BIGINT) AS output_elements,
  o.python_line,
  o.called_ns,
  o.is_overwritten
FROM operation AS o
ORDER BY o.slice_id
