/* ---
name = "et_node"
version = 2
title = "Chakra nodes for simulators, from a graph linked with a timeline"
help = """
A thread is one chain of operators in call order. Device work depends on the operator that launched
it; operators that waited for device work or for another thread depend on it; optionally, work of a
stream or process group depends on the preceding work there. Dependencies that point back in time
are dropped, so the graph is acyclic. Communication kernels get their kind from their own name, or
else from the nodes above them; their size is the bytes contributed by this rank; sends and receives
name ranks of the job. Durations exclude the time of nested nodes and are rounded to microseconds;
exact values are given as well.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["et_chain@1", "et_source@2"] }
scale = "run"
columns = [
  "graph_node_id", "text_id", "node_id", "name", "type", "ctrl_deps", "data_deps", "start_micros",
  "duration_micros", "rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema",
  "is_cpu_op", "stream", "comm_type", "comm_size", "pg_name", "comm_src", "comm_dst", "comm_tag",
  "duration_ns", "metadata_text", "n_left_out", "trouble",
]

[param.graph_id]
type = "BIGINT"
help = "Graph: an execution trace, or one linked with a timeline"

[param.with_start_times]
type = "BOOLEAN"
default = false
help = "Include start times of nodes"

[param.with_stream_order]
type = "BOOLEAN"
default = false
help = "Make device work depend on the preceding work on its stream"

[param.with_group_order]
type = "BOOLEAN"
default = false
help = "Make a collective depend on the preceding one in its process group"

[column]
graph_node_id.help = "Graph node it represents"
node_id = { nullable = false, help = "Node id in the file" }
name.nullable = false
rf_id.help = "Attribute, as in the execution trace; NULL: not written"
fw_parent.help = "Attribute, as in the execution trace"
seq_id.help = "Attribute, as in the execution trace"
scope.help = "Attribute, as in the execution trace"
tid = { type = "BIGINT", unit = "source id", nullable = true, help = "Attribute, as in the execution trace" }
fw_tid.help = "Attribute, as in the execution trace"
op_schema.help = "Attribute, as in the execution trace"
stream = { type = "BIGINT", unit = "source id", nullable = true, help = "Stream; 0 on the host" }
comm_src = { type = "BIGINT", unit = "count", nullable = true, help = "Sending rank, for sends and receives" }
comm_dst = { type = "BIGINT", unit = "count", nullable = true, help = "Receiving rank, for sends and receives" }
comm_tag = { type = "BIGINT", unit = "source id", nullable = true, help = "Tag, for sends and receives" }
duration_ns = { type = "BIGINT", unit = "ns", nullable = true, help = "Exact duration; NULL: not linked" }
n_left_out = { type = "BIGINT", unit = "count", help = "Number of excluded dependencies that point back in time" }

[column.type]
type = "BIGINT"
unit = "count"
check = "BETWEEN 1 AND 7"
help = "Number of the node type: 1 metadata, 4 computation, 5 send, 6 receive, 7 collective"

[column.metadata_text]
type = "VARCHAR"
unit = "text"
nullable = true
help = "For metadata nodes: the input values as text in the form that consumers parse; NULL: not needed"

[column.trouble]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Possible problem for consumers: a kernel of unknown collective, a missing peer of a send; NULL: none"

[changes]
1 = "first version"
2 = "same rows, faster"
--- */
WITH source AS MATERIALIZED (
  SELECT * FROM et_source($graph_id::BIGINT)
),
-- Without nodes that only pass on their inputs.
node AS MATERIALIZED (
  SELECT
    n.graph_node_id,
    n.node_id,
    n.parent_id,
    n.text_id,
    n.name,
    n.is_device,
    n.stream,
    n.group_name,
    n.start_ns,
    n.exclusive_us,
    p.name AS parent_name,
    p.text_id AS parent_text_id,
    g.name AS grandparent_name,
    g.text_id AS grandparent_text_id,
    contains(n.name, 'process_group:init') AND NOT n.is_device AS is_metadata
  FROM source AS n
  LEFT JOIN source AS p ON p.graph_node_id = n.parent_id
  LEFT JOIN source AS g ON g.graph_node_id = p.parent_id
),
chain AS MATERIALIZED (
  SELECT * FROM et_chain($graph_id::BIGINT)
),
-- Work that sends bytes to other ranks: kernels of NCCL and compatible libraries, old and new.
kernel AS MATERIALIZED (
  SELECT *
  FROM node
  WHERE is_device
    AND regexp_matches(lower(name), '\b(nccl|rccl|msccl)[a-z0-9_]*kernel')
),
-- Descriptions of the node and the two above it, nearest first.
context AS MATERIALIZED (
  SELECT
    k.graph_node_id,
    t.level,
    t.name,
    n.inputs_json,
    n.op_schema,
    from_json(n.attributes_json, '[{"name": "VARCHAR", "value": "VARCHAR"}]') AS attributes
  FROM kernel AS k
  CROSS JOIN LATERAL (VALUES
    (0, k.text_id, NULL), (1, k.parent_text_id, k.parent_name),
    (2, k.grandparent_text_id, k.grandparent_name)
  ) AS t(level, text_id, name)
  JOIN graph_node AS n ON n.id = t.text_id
),
stated AS (
  SELECT
    graph_node_id,
    min_by(attribute.value, level) FILTER (attribute.name = 'collective_name') AS collective_name,
    min_by(attribute.value, level) FILTER (attribute.name = 'pg_name') AS group_name,
    min_by(attribute.value, level) FILTER (attribute.name = 'dtype') AS data_type,
    min_by(TRY_CAST(attribute.value AS BIGINT), level)
      FILTER (attribute.name = 'in_msg_nelems') AS n_elements
  FROM (SELECT graph_node_id, level, unnest(attributes) AS attribute FROM context)
  WHERE attribute.value <> ''
  GROUP BY graph_node_id
),
element AS (
  SELECT data_type, n_bytes
  FROM (VALUES
    ('float', 4), ('half', 2), ('bfloat16', 2), ('double', 8), ('int', 4), ('long', 8), ('byte', 1),
    ('char', 1), ('bool', 1), ('short', 2), ('complexfloat', 8), ('complexdouble', 16),
    ('float8_e4m3fn', 1), ('float8_e5m2', 1), ('float8_e4m3fnuz', 1), ('float8_e5m2fnuz', 1)
  ) AS e(data_type, n_bytes)
),
-- All arguments of the host node; the first is a result if the schema declares it as one.
argument AS MATERIALIZED (
  SELECT
    graph_node_id,
    level,
    place,
    io.types[place] AS type,
    io.values[place] AS value,
    place = 1 AND regexp_matches(op_schema, '^[^(]*\([^,)]* output') AS is_result
  FROM (
    SELECT
      graph_node_id, level, op_schema, io, unnest(generate_series(1, len(io.values))) AS place
    FROM (
      SELECT
        graph_node_id,
        level,
        op_schema,
        TRY(from_json(inputs_json, '{"values": ["JSON"], "types": ["VARCHAR"]}')) AS io
      FROM context
    )
  )
),
size AS (
  SELECT
    graph_node_id,
    sum(TRY_CAST(parts[4] AS BIGINT) * TRY_CAST(parts[5] AS BIGINT))::BIGINT AS n_bytes
  FROM (
    SELECT
      graph_node_id,
      str_split(unnest(regexp_extract_all(
        replace(value::VARCHAR, ' ', ''), '\[((?:-?\d+,){5})"', 1
      )), ',') AS parts
    FROM argument
    WHERE level = 0 AND NOT coalesce(is_result, false) AND contains(type, 'Tensor')
  )
  GROUP BY graph_node_id
),
-- Names that identify the operation of a kernel, most reliable first; a send/recv kernel or a
-- generic kernel identifies nothing.
word AS (
  SELECT graph_node_id, place, regexp_replace(lower(name), '[^a-z0-9]', '', 'g') AS text
  FROM (
    SELECT
      graph_node_id,
      0 AS place,
      CASE WHEN NOT regexp_matches(name, '(?i)sendrecv|generic')
        THEN regexp_replace(name, '[(<].*', '')
      END AS name
    FROM kernel
    UNION ALL
    SELECT graph_node_id, 1, collective_name FROM stated
    UNION ALL
    SELECT graph_node_id, 2, parent_name FROM kernel
    UNION ALL
    SELECT graph_node_id, 3, grandparent_name FROM kernel
  )
  WHERE name IS NOT NULL
),
purpose AS (
  SELECT graph_node_id, min_by(purpose, place) AS purpose
  FROM (
    SELECT
      graph_node_id,
      place,
      CASE
        WHEN contains(text, 'allreduce') THEN 0
        WHEN contains(text, 'alltoall') THEN 6
        WHEN contains(text, 'allgather') THEN 2
        WHEN contains(text, 'reducescatter') THEN 7
        WHEN contains(text, 'broadcast') THEN 5
        WHEN contains(text, 'barrier') THEN 9
        WHEN contains(text, 'gather') THEN 3
        WHEN contains(text, 'scatter') THEN 4
        WHEN contains(text, 'isendirecv') OR contains(text, 'coalesced') THEN NULL
        WHEN contains(text, 'send') THEN 100
        WHEN contains(text, 'recv') THEN 101
        WHEN contains(text, 'reduce') THEN 1
      END AS purpose
    FROM word
  )
  WHERE purpose IS NOT NULL
  GROUP BY graph_node_id
),
-- The peer: the operator's argument, or the one in its annotation; both are numbered within the
-- process group.
peer AS (
  SELECT
    t.graph_node_id,
    min_by(coalesce(
      CASE WHEN regexp_matches(t.name, '^c10d::(send|recv_?)$') THEN a.third END,
      TRY_CAST(regexp_extract(t.name, '(\d+) ?(->|<-) ?(\d+)', 3) AS BIGINT),
      a.before_word
    ), t.level) AS peer,
    min_by(
      CASE
        WHEN regexp_matches(t.name, '^c10d::(send|recv_?)$') THEN a.fourth
        WHEN t.name = 'c10d::recv_any_source_' THEN a.third
      END,
      t.level
    ) AS tag
  FROM context AS t
  LEFT JOIN (
    SELECT
      graph_node_id,
      level,
      max(CASE WHEN place = 3 THEN number END) AS third,
      max(CASE WHEN place = 4 THEN number END) AS fourth,
      max(CASE WHEN next_word IN ('send', 'recv') THEN number END) AS before_word
    FROM (
      SELECT
        *,
        TRY_CAST(value AS BIGINT) AS number,
        lead(CASE WHEN type = 'String' THEN value ->> '$' END) OVER (
          PARTITION BY graph_node_id, level ORDER BY place
        ) AS next_word
      FROM argument
    )
    GROUP BY graph_node_id, level
  ) AS a ON a.graph_node_id = t.graph_node_id AND a.level = t.level
  GROUP BY t.graph_node_id
),
own AS (
  SELECT coalesce(g.of_graph_id, g.id) AS text_graph_id, t.rank, g.kind
  FROM graph AS g
  JOIN trace AS t ON t.id = g.trace_id
  WHERE g.id = $graph_id::BIGINT
),
member AS (
  SELECT DISTINCT name, from_json(ranks_json, '["BIGINT"]') AS ranks
  FROM process_group
  WHERE graph_id = (SELECT text_graph_id FROM own)
),
comm AS MATERIALIZED (
  SELECT
    k.graph_node_id,
    CASE p.purpose WHEN 100 THEN 5 WHEN 101 THEN 6 ELSE 7 END AS type,
    coalesce(p.purpose, CASE WHEN contains(lower(k.name), 'sendrecv') THEN 6 END) AS purpose,
    coalesce(s.n_elements * e.n_bytes, z.n_bytes, 0) AS comm_size,
    nullif(coalesce(s.group_name, k.group_name), '') AS group_name,
    CASE WHEN len(m.ranks) > 0 THEN m.ranks[q.peer + 1] ELSE q.peer END AS peer,
    q.tag
  FROM kernel AS k
  LEFT JOIN purpose AS p ON p.graph_node_id = k.graph_node_id
  LEFT JOIN stated AS s ON s.graph_node_id = k.graph_node_id
  LEFT JOIN element AS e
    ON e.data_type = regexp_replace(lower(s.data_type), '^(c10::|torch\.)', '')
  LEFT JOIN size AS z ON z.graph_node_id = k.graph_node_id
  LEFT JOIN peer AS q ON q.graph_node_id = k.graph_node_id
  LEFT JOIN member AS m ON m.name = coalesce(s.group_name, k.group_name)
),
-- A time for every node such that thread chains and launches never lead back: on the host, the
-- latest start so far on the thread. Other dependencies must lead to a later time, or among device
-- work of one time to a later node, so the result is acyclic for any input.
timed AS MATERIALIZED (
  SELECT
    n.graph_node_id,
    n.is_device,
    coalesce(
      greatest(
        CASE WHEN n.is_device THEN n.start_ns END,
        max(CASE WHEN NOT n.is_device THEN n.start_ns END) OVER (
          PARTITION BY c.root_id ORDER BY c.place
        )
      ),
      -9223372036854775808
    ) AS moment_ns
  FROM node AS n
  LEFT JOIN chain AS c ON c.graph_node_id = n.graph_node_id
),
requested AS (
  SELECT from_node_id, to_node_id, kind, 1 AS place
  FROM graph_edge
  WHERE graph_id = $graph_id::BIGINT
    AND (
      kind IN ('inter_thread', 'sync')
      OR (kind = 'stream_order' AND $with_stream_order::BOOLEAN)
      OR (kind = 'group_order' AND $with_group_order::BOOLEAN)
    )
  UNION ALL
  SELECT
    lag(graph_node_id) OVER (PARTITION BY stream ORDER BY start_ns, graph_node_id),
    graph_node_id,
    'stream_order',
    1
  FROM node
  WHERE $with_stream_order::BOOLEAN
    AND is_device
    AND stream IS NOT NULL
    AND (SELECT kind FROM own) = 'execution_trace'
  UNION ALL
  SELECT
    lag(n.graph_node_id) OVER (PARTITION BY c.group_name ORDER BY n.start_ns, n.graph_node_id),
    n.graph_node_id,
    'group_order',
    1
  FROM comm AS c
  JOIN node AS n ON n.graph_node_id = c.graph_node_id
  WHERE $with_group_order::BOOLEAN
    AND (SELECT kind FROM own) = 'execution_trace'
),
judged AS (
  SELECT
    w.from_node_id,
    w.to_node_id,
    w.kind,
    f.moment_ns < t.moment_ns
      OR (
        f.moment_ns = t.moment_ns
        AND f.is_device
        AND t.is_device
        AND w.from_node_id < w.to_node_id
      ) AS is_kept
  FROM requested AS w
  JOIN timed AS f ON f.graph_node_id = w.from_node_id
  JOIN timed AS t ON t.graph_node_id = w.to_node_id
  -- ET+ files repeat the dependencies of an operator for its device work.
  WHERE w.kind <> 'inter_thread' OR NOT t.is_device
),
dependency AS (
  SELECT to_node_id, from_node_id, min(place) AS place
  FROM (
    SELECT to_node_id, from_node_id, CASE WHEN kind = 'inter_thread' THEN 0 ELSE 2 END AS place
    FROM judged
    WHERE is_kept
    UNION ALL
    SELECT
      n.graph_node_id,
      CASE WHEN n.is_device THEN n.parent_id ELSE c.before_id END,
      1
    FROM node AS n
    LEFT JOIN chain AS c ON c.graph_node_id = n.graph_node_id
  )
  WHERE from_node_id IS NOT NULL
  GROUP BY to_node_id, from_node_id
),
on_node AS MATERIALIZED (
  SELECT d.to_node_id, f.node_id, d.place
  FROM dependency AS d
  JOIN node AS f ON f.graph_node_id = d.from_node_id
),
-- Most nodes have one dependency: only the lists of the others are sorted.
counted AS MATERIALIZED (
  SELECT to_node_id, count(*) AS n_deps, min(node_id) AS node_id FROM on_node GROUP BY to_node_id
),
depending AS (
  SELECT to_node_id, [node_id] AS data_deps
  FROM counted
  WHERE n_deps = 1
  UNION ALL
  SELECT d.to_node_id, list(d.node_id ORDER BY d.place, d.node_id)
  FROM on_node AS d
  SEMI JOIN (SELECT to_node_id FROM counted WHERE n_deps > 1) AS c ON c.to_node_id = d.to_node_id
  GROUP BY d.to_node_id
),
waited_for AS (
  SELECT DISTINCT from_node_id FROM dependency
),
left_out AS (
  SELECT to_node_id, count(*) AS n FROM judged WHERE NOT is_kept GROUP BY to_node_id
),
-- Texts of few nodes: a join with all texts would hold them all in memory.
metadata AS (
  SELECT m.graph_node_id, TRY(json_extract_string(x.inputs_json, '$.values[0]')) AS text
  FROM graph_node AS x
  JOIN (SELECT graph_node_id, text_id FROM node WHERE is_metadata) AS m ON m.text_id = x.id
),
-- Drops nodes without dependencies, dependents and duration.
kept AS (
  SELECT n.graph_node_id, n.node_id, n.is_metadata, d.data_deps
  FROM node AS n
  LEFT JOIN depending AS d ON d.to_node_id = n.graph_node_id
  LEFT JOIN waited_for AS w ON w.from_node_id = n.graph_node_id
  WHERE d.to_node_id IS NOT NULL
    OR w.from_node_id IS NOT NULL
    OR n.is_device
    OR n.is_metadata
    OR n.exclusive_us IS NOT NULL
)
SELECT
  n.graph_node_id,
  s.text_id,
  n.node_id,
  s.name,
  CASE
    WHEN n.is_metadata THEN 1
    WHEN c.purpose IS NOT NULL THEN c.type
    ELSE 4
  END::BIGINT AS type,
  CASE WHEN p.graph_node_id IS NOT NULL THEN [p.node_id] ELSE [] END::UBIGINT[] AS ctrl_deps,
  coalesce(n.data_deps, []) AS data_deps,
  CASE WHEN $with_start_times::BOOLEAN AND s.start_ns > 0 THEN s.start_ns // 1000 END::UBIGINT
    AS start_micros,
  greatest(round(coalesce(s.exclusive_us, 0)), 0)::UBIGINT AS duration_micros,
  s.rf_id,
  s.fw_parent,
  s.seq_id,
  s.scope,
  s.tid,
  s.fw_tid,
  s.op_schema,
  NOT s.is_device AS is_cpu_op,
  s.stream,
  CASE WHEN c.purpose < 100 THEN c.purpose END::BIGINT AS comm_type,
  CASE WHEN c.purpose IS NOT NULL THEN c.comm_size END AS comm_size,
  CASE WHEN c.purpose IS NOT NULL THEN c.group_name END AS pg_name,
  CASE c.purpose WHEN 100 THEN o.rank WHEN 101 THEN c.peer END AS comm_src,
  CASE c.purpose WHEN 100 THEN c.peer WHEN 101 THEN o.rank END AS comm_dst,
  CASE WHEN c.purpose >= 100 THEN coalesce(c.tag, 0) END::BIGINT AS comm_tag,
  CASE WHEN s.exclusive_us >= 0 THEN round(s.exclusive_us * 1000) END::BIGINT AS duration_ns,
  '[''' || x.text || ''']' AS metadata_text,
  coalesce(l.n, 0) AS n_left_out,
  CASE
    WHEN c.graph_node_id IS NOT NULL AND c.purpose IS NULL
      THEN 'kernels of unknown collectives are written as computation'
    WHEN c.purpose >= 100 AND c.peer IS NULL
      THEN 'sends and receives have no recorded peer'
    WHEN c.purpose IN (1, 3, 4, 9)
      THEN 'collectives are of a kind that ASTRA-sim does not simulate: reduce, gather, scatter, barrier'
    WHEN c.purpose IS NOT NULL AND NOT regexp_full_match(coalesce(c.group_name, '0'), '\d+')
      THEN 'collectives are in a process group whose name is not a number, which ASTRA-sim requires'
  END AS trouble
FROM kept AS n
JOIN source AS s ON s.graph_node_id = n.graph_node_id
CROSS JOIN own AS o
LEFT JOIN (SELECT graph_node_id, node_id FROM kept) AS p ON p.graph_node_id = s.parent_id
LEFT JOIN comm AS c ON c.graph_node_id = n.graph_node_id
LEFT JOIN left_out AS l ON l.to_node_id = n.graph_node_id
LEFT JOIN metadata AS x ON x.graph_node_id = n.graph_node_id
