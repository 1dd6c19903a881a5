/* ---
name = "graph_communication"
version = 1
title = "Communications in graphs, each once: kind, group, message size, device time"
help = """
A communication is recorded several times: as the call (c10d::allreduce_), as record_param_comms
inside it, as a library range (nccl:all_reduce, gloo:all_reduce) and as device work. It is counted
once: at record_param_comms; at the call if that contains no record_param_comms; at library ranges
only in graphs without either; at device work (kernels of NCCL and RCCL, nodes of type COMM_...)
only if no such host node is above it, otherwise its time counts for that node. Calls that move no
data (wait, init, coalescing brackets) have no row; a barrier has no size.

Sizes are those given by record_param_comms in elements, else of the tensors the call takes and
returns, else those of a COMM node (comm_size). message_bytes and bus_factor are as in
collective_op, following NCCL tests: the buffer of one rank for all_reduce, broadcast, reduce, send
and recv; the total over all ranks for the others.
"""
grain = ["graph_node_id"]
requires = { schema = ">=11", queries = ["graph_call@2"] }
scale = "trace"
columns = [
  "graph_node_id", "trace_id", "run_id", "rank", "graph_id", "graph_kind", "link_set", "side",
  "kind", "group_name", "group_size", "peer_rank", "data_type", "message_bytes", "bus_factor",
  "n_device_ops", "device_ns",
]

[column]
side.help = "Side of the node it is counted at: host or device"
group_name.help = "Process group; NULL: not recorded and the graph has more than one"
data_type.help = "Element type, as recorded"
n_device_ops.help = "Device work of the communication"

[column.kind]
help = "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, send, recv, send_recv, barrier"

[column.group_size]
type = "BIGINT"
unit = "count"
nullable = true
check = "> 0"
help = "Ranks in the group; NULL: unknown"

[column.message_bytes]
type = "BIGINT"
unit = "byte"
nullable = true
check = ">= 0"
help = "Message size; NULL: unknown"

[column.bus_factor]
type = "DOUBLE"
unit = "ratio"
nullable = true
check = ">= 0"
help = "Bytes on the links / message_bytes; NULL: unknown group size"

[changes]
1 = "first version"
--- */
WITH RECURSIVE call AS MATERIALIZED (
  SELECT
    graph_node_id, trace_id, run_id, rank, graph_id, graph_kind, link_set, parent_id, side, name,
    type, slice_id, host_node_id, self_ns
  FROM graph_call()
),
-- preference: of several records of one communication, the lowest counts.
candidate AS MATERIALIZED (
  SELECT
    c.*,
    CASE
      WHEN c.side = 'device' THEN 4
      WHEN c.name = 'record_param_comms' THEN 1
      WHEN contains(c.name, 'c10d') THEN 2
      ELSE 3
    END AS preference,
    TRY(from_json(
      CASE WHEN c.side = 'device' THEN o.attributes_json ELSE coalesce(n.attributes_json, o.attributes_json) END,
      '[{"name": "VARCHAR", "value": "VARCHAR"}]'
    )) AS attributes,
    o.extra_json,
    TRY(json_extract_string(coalesce(o.inputs_json, n.inputs_json), ['$.values', '$.types'])) AS input,
    TRY(json_extract_string(coalesce(o.outputs_json, n.outputs_json), '$.values')) AS output_values
  FROM call AS c
  JOIN graph_node AS o ON o.id = c.graph_node_id
  LEFT JOIN graph_node AS n ON n.id = c.host_node_id
  WHERE
    CASE
      WHEN c.side = 'device' THEN c.type LIKE 'COMM%' OR contains(c.name, 'nccl')
      ELSE c.name = 'record_param_comms'
        OR starts_with(c.name, 'c10d::')
        OR starts_with(c.name, '_c10d_functional::')
        OR (
          contains(c.name, ':')
          AND regexp_matches(c.name, '^(nccl|rccl|gloo|mpi|ucc|xccl|hccl):[a-zA-Z_]')
        )
    END
),
described AS (
  SELECT
    c.*,
    list_filter(c.attributes, lambda a: a.name = 'collective_name')[1].value AS collective_name,
    nullif(list_filter(c.attributes, lambda a: a.name = 'pg_name')[1].value, '') AS pg_name,
    TRY_CAST(list_filter(c.attributes, lambda a: a.name = 'pg_size')[1].value AS BIGINT) AS pg_size,
    list_filter(c.attributes, lambda a: a.name = 'dtype')[1].value AS dtype,
    TRY_CAST(list_filter(c.attributes, lambda a: a.name = 'in_msg_nelems')[1].value AS DOUBLE) AS n_in,
    TRY_CAST(list_filter(c.attributes, lambda a: a.name = 'out_msg_nelems')[1].value AS DOUBLE) AS n_out,
    TRY_CAST(list_filter(c.attributes, lambda a: a.name = 'comm_type')[1].value AS BIGINT) AS comm_type,
    TRY_CAST(list_filter(c.attributes, lambda a: a.name = 'comm_size')[1].value AS DOUBLE) AS comm_size,
    TRY_CAST(
      list_filter(
        c.attributes,
        lambda a: a.name = CASE WHEN c.type = 'COMM_SEND_NODE' THEN 'comm_dst' ELSE 'comm_src' END
      )[1].value AS BIGINT
    ) AS comm_peer,
    TRY(json_extract(c.input[1], ['$[0]', '$[1]', '$[2]'])) AS v,
    TRY(json_extract(c.input[2], ['$[0]', '$[1]', '$[2]'])) AS t,
    TRY(json_extract_string(
      c.input[1],
      '$[' || (list_position(TRY(from_json(c.input[2], '["VARCHAR"]')), 'String') - 1) || ']'
    )) AS first_text,
    -- The process group in newer recordings: its name and its description.
    TRY(json_extract_string(
      c.input[1],
      '$[' || (list_position(TRY(from_json(c.input[2], '["VARCHAR"]')), 'Tuple[String,String]') - 1)
        || '][0]'
    )) AS pair_name
  FROM candidate AS c
),
with_word AS (
  SELECT
    *,
    regexp_replace(lower(CASE preference
      WHEN 1 THEN coalesce(nullif(collective_name, ''), first_text)
      WHEN 2 THEN regexp_extract(name, '::_?([a-z_]+)', 1)
      WHEN 3 THEN regexp_extract(name, ':_?([a-zA-Z_]+)', 1)
      ELSE CASE
        WHEN type = 'COMM_SEND_NODE' THEN 'send'
        WHEN type = 'COMM_RECV_NODE' THEN 'recv'
        ELSE coalesce(
          ['all_reduce', 'reduce', 'all_gather', 'gather', 'scatter', 'broadcast', 'all_to_all',
            'reduce_scatter', 'reduce_scatter', 'barrier'][comm_type + 1],
          regexp_extract(name, 'nccl(?:Dev)?Kernel_?([A-Za-z]+)', 1)
        )
      END
    END), '[^a-z0-9]', '', 'g') AS word
  FROM described
),
classified AS MATERIALIZED (
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
      WHEN preference = 4 AND (type LIKE 'COMM%' OR word = 'generic') THEN 'unknown'
    END AS kind
  FROM with_word
),
-- The nodes below each of them.
below AS (
  SELECT graph_node_id AS top_id, graph_node_id AS node_id
  FROM classified
  WHERE side = 'host' AND kind IS NOT NULL
  UNION ALL
  SELECT b.top_id, c.graph_node_id
  FROM below AS b
  JOIN call AS c ON c.parent_id = b.node_id
),
inner_call AS (
  SELECT b.top_id, b.node_id
  FROM below AS b
  JOIN classified AS u ON u.graph_node_id = b.top_id
  JOIN classified AS l ON l.graph_node_id = b.node_id
  WHERE b.node_id <> b.top_id AND l.side = 'host' AND l.kind IS NOT NULL
    AND l.preference <= u.preference AND l.preference < 3
),
has_call AS (
  SELECT DISTINCT graph_id FROM classified WHERE preference < 3 AND kind IS NOT NULL
),
host_unit AS (
  SELECT k.*
  FROM classified AS k
  ANTI JOIN inner_call AS i ON i.top_id = k.graph_node_id
  LEFT JOIN has_call AS h ON h.graph_id = k.graph_id
  WHERE k.side = 'host' AND k.kind IS NOT NULL AND (k.preference < 3 OR h.graph_id IS NULL)
),
-- A call around exactly one of them has more details.
around AS (
  SELECT i.top_id, min(u.graph_node_id) AS unit_id
  FROM inner_call AS i
  JOIN host_unit AS u ON u.graph_node_id = i.node_id
  GROUP BY i.top_id
  HAVING count(*) = 1
),
device_unit AS (
  SELECT d.graph_node_id AS device_id, min_by(b.unit_id, (b.preference, b.unit_id)) AS unit_id
  FROM classified AS d
  JOIN (
    SELECT b.node_id, coalesce(a.unit_id, u.graph_node_id) AS unit_id, k.preference
    FROM below AS b
    JOIN classified AS k ON k.graph_node_id = b.top_id
    LEFT JOIN around AS a ON a.top_id = b.top_id
    LEFT JOIN host_unit AS u ON u.graph_node_id = b.top_id
  ) AS b ON b.node_id = d.graph_node_id AND b.unit_id IS NOT NULL
  WHERE d.side = 'device'
  GROUP BY d.graph_node_id
),
unit AS (
  SELECT *, graph_node_id AS unit_id FROM host_unit
  UNION ALL BY NAME
  SELECT k.*, k.graph_node_id AS unit_id
  FROM classified AS k
  ANTI JOIN device_unit AS d ON d.device_id = k.graph_node_id
  WHERE k.side = 'device' AND k.kind IS NOT NULL
),
device_part AS (
  SELECT
    coalesce(d.unit_id, k.graph_node_id) AS unit_id,
    count(*) AS n_device_ops,
    sum(k.self_ns) AS device_ns,
    min(coalesce(
      k.pg_name, TRY(json_extract_string(k.extra_json, '$.pg_name')), o.group_name
    )) AS group_name,
    max(coalesce(k.pg_size, o.group_size)) AS group_size,
    sum(k.comm_size) AS comm_bytes
  FROM classified AS k
  LEFT JOIN device_unit AS d ON d.device_id = k.graph_node_id
  LEFT JOIN collective AS o ON o.slice_id = k.slice_id
  WHERE k.side = 'device'
  GROUP BY coalesce(d.unit_id, k.graph_node_id)
),
-- tensors: [id, storage, offset, elements, bytes per element, device]
sized AS (
  SELECT
    k.graph_node_id,
    coalesce(a.unit_id, k.graph_node_id) AS unit_id,
    k.kind IN ('all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter') AND k.preference = 2
      AND NOT starts_with(k.name, '_c10d') AS has_both,
    CASE WHEN k.preference = 2 AND k.kind IN ('send', 'recv') THEN TRY_CAST(k.v[3]::VARCHAR AS BIGINT)
      WHEN k.preference = 2 AND k.kind IN ('broadcast', 'reduce', 'gather', 'scatter')
        AND json_type(k.v[3]) IN ('UBIGINT', 'BIGINT') THEN TRY_CAST(k.v[3]::VARCHAR AS BIGINT)
      ELSE k.comm_peer END AS peer_rank,
    list_sum([
      TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){3} ?(\d+)', 1) AS DOUBLE)
        * TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){4} ?(\d+)', 1) AS DOUBLE)
      FOR x IN regexp_extract_all(k.v[1]::VARCHAR, '\[(?:-?\d+, ?){5}"[^"]*"\]')
    ]) AS first_bytes,
    list_sum([
      TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){3} ?(\d+)', 1) AS DOUBLE)
        * TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){4} ?(\d+)', 1) AS DOUBLE)
      FOR x IN regexp_extract_all(k.v[2]::VARCHAR, '\[(?:-?\d+, ?){5}"[^"]*"\]')
    ]) AS second_bytes,
    list_sum([
      TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){3} ?(\d+)', 1) AS DOUBLE)
        * TRY_CAST(regexp_extract(x, '^\[(?:[^,]*,){4} ?(\d+)', 1) AS DOUBLE)
      FOR x IN regexp_extract_all(k.output_values, '\[(?:-?\d+, ?){5}"[^"]*"\]')
    ]) AS made_bytes,
    nullif(regexp_extract(k.t[1]::VARCHAR, 'Tensor\(([^)]*)\)', 1), '') AS tensor_type
  FROM classified AS k
  LEFT JOIN around AS a ON a.top_id = k.graph_node_id
),
element AS (
  SELECT unnest(names) AS name, n_bytes
  FROM (VALUES
    (['Byte', 'Char', 'Bool', 'Float8_e4m3fn', 'Float8_e5m2', 'Float8_e4m3fnuz', 'Float8_e5m2fnuz'], 1),
    (['Half', 'BFloat16', 'Short', 'UInt16'], 2),
    (['Float', 'Int', 'UInt32', 'ComplexHalf'], 4),
    (['Double', 'Long', 'UInt64', 'ComplexFloat'], 8),
    (['ComplexDouble'], 16)
  ) AS e(names, n_bytes)
),
moved AS (
  SELECT
    s.unit_id,
    max(s.peer_rank) AS peer_rank,
    max(CASE WHEN s.has_both THEN s.second_bytes ELSE s.first_bytes END)
      FILTER (s.graph_node_id = s.unit_id) AS own_in,
    max(CASE WHEN s.has_both THEN s.first_bytes ELSE coalesce(nullif(s.made_bytes, 0), s.first_bytes) END)
      FILTER (s.graph_node_id = s.unit_id) AS own_out,
    max(CASE WHEN s.has_both THEN s.second_bytes ELSE s.first_bytes END) AS any_in,
    max(CASE WHEN s.has_both THEN s.first_bytes ELSE coalesce(nullif(s.made_bytes, 0), s.first_bytes) END) AS any_out,
    min(s.tensor_type) AS tensor_type
  FROM sized AS s
  GROUP BY s.unit_id
),
lone_group AS (
  SELECT graph_id, min(name) AS name
  FROM process_group
  GROUP BY graph_id
  HAVING count(DISTINCT name) = 1
),
grouped AS (
  SELECT
    u.*,
    coalesce(u.pg_name, u.pair_name, p.group_name, l.name) AS group_name,
    p.group_size AS device_group_size,
    coalesce(p.n_device_ops, 0) AS n_device_ops,
    coalesce(p.device_ns, 0)::BIGINT AS device_ns,
    m.peer_rank,
    coalesce(nullif(u.dtype, ''), m.tensor_type) AS data_type,
    coalesce(u.n_in * e.n_bytes, nullif(m.own_in, 0), nullif(m.any_in, 0)) AS in_bytes,
    coalesce(u.n_out * e.n_bytes, nullif(m.own_out, 0), nullif(m.any_out, 0)) AS out_bytes,
    coalesce(u.comm_size, p.comm_bytes) AS stated_bytes
  FROM unit AS u
  JOIN graph AS g ON g.id = u.graph_id
  LEFT JOIN device_part AS p ON p.unit_id = u.unit_id
  LEFT JOIN moved AS m ON m.unit_id = u.unit_id
  LEFT JOIN element AS e ON e.name = u.dtype
  LEFT JOIN lone_group AS l ON l.graph_id = coalesce(g.of_graph_id, g.id)
),
group_of AS (
  SELECT graph_id, name, nullif(max(n_ranks), 0) AS n_ranks
  FROM process_group
  GROUP BY graph_id, name
),
with_members AS (
  SELECT r.*, coalesce(nullif(r.pg_size, 0), r.device_group_size, q.n_ranks) AS n_members
  FROM grouped AS r
  JOIN graph AS g ON g.id = r.graph_id
  LEFT JOIN group_of AS q
    ON q.graph_id = coalesce(g.of_graph_id, g.id) AND q.name = r.group_name
)
SELECT
  graph_node_id,
  trace_id,
  run_id,
  rank,
  graph_id,
  graph_kind,
  link_set,
  side,
  kind,
  group_name,
  n_members AS group_size,
  peer_rank,
  data_type,
  TRY_CAST(CASE
    WHEN kind = 'barrier' THEN NULL
    WHEN in_bytes IS NULL AND out_bytes IS NULL THEN stated_bytes
    WHEN kind = 'all_gather' THEN coalesce(out_bytes, in_bytes * n_members)
    WHEN kind = 'reduce_scatter' THEN coalesce(in_bytes, out_bytes * n_members)
    WHEN kind = 'gather' THEN in_bytes * n_members
    WHEN kind = 'scatter' THEN out_bytes * n_members
    WHEN kind = 'recv' THEN coalesce(out_bytes, in_bytes)
    ELSE coalesce(in_bytes, out_bytes)
  END AS BIGINT) AS message_bytes,
  CASE
    WHEN kind = 'all_reduce' THEN 2 * (n_members - 1) / n_members
    WHEN kind IN ('all_gather', 'reduce_scatter', 'all_to_all', 'gather', 'scatter')
      THEN (n_members - 1) / n_members
    WHEN kind IN ('broadcast', 'reduce', 'send', 'recv', 'send_recv') THEN 1
  END::DOUBLE AS bus_factor,
  n_device_ops,
  device_ns
FROM with_members
ORDER BY graph_node_id
