/* ---
name = "et_node_1_0"
version = 2
title = "Chakra nodes by the rules of chakra_converter 1.0"
help = """
Reproduces the output of that program including its defects: durations are truncated to
microseconds, there are no start times and no waits of calls for device work, and sizes count
outputs together with inputs. A thread is one chain of operators; device work depends on the
operator that launched it. Nodes without dependencies and dependents are dropped, although others
may still refer to them by control edges. Where the program would stop with an error, trouble gives
the reason.
"""
grain = ["graph_node_id"]
requires = { schema = ">=10", queries = ["et_chain@1", "et_source@2"] }
scale = "run"
columns = [
  "graph_node_id", "text_id", "node_id", "name", "type", "ctrl_deps", "data_deps", "start_micros",
  "duration_micros", "rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema",
  "is_cpu_op", "stream", "comm_type", "comm_size", "pg_name", "trouble",
]

[param.graph_id]
type = "BIGINT"
help = "Graph: an execution trace, or one linked with a timeline"

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

[column.type]
type = "BIGINT"
unit = "count"
check = "BETWEEN 1 AND 7"
help = "Number of the node type: 1 metadata, 4 computation, 5 send, 6 receive, 7 collective"

[column.trouble]
type = "VARCHAR"
unit = "text"
nullable = true
help = "Why the program would stop here; NULL: it would not"

[changes]
1 = "first version"
2 = "same rows, faster"
--- */
WITH source AS MATERIALIZED (
  SELECT * FROM et_source($graph_id::BIGINT)
),
-- Excludes device work below device work or without a parent.
node AS MATERIALIZED (
  SELECT
    n.*,
    p.name AS parent_name,
    p.parent_id AS grandparent_id,
    p.node_id AS parent_node_id,
    CASE WHEN p.is_device THEN p.parent_id ELSE p.graph_node_id END AS after_id,
    contains(n.name, 'process_group:init') AS is_metadata
  FROM source AS n
  LEFT JOIN source AS p ON p.graph_node_id = n.parent_id
  WHERE NOT n.is_device OR NOT p.is_device
),
-- The operation of a send/recv kernel is only known from the names above it.
kernel AS MATERIALIZED (
  SELECT
    n.graph_node_id,
    n.text_id,
    n.name,
    n.group_name,
    CASE
      WHEN NOT contains(n.name, 'ncclDevKernel_SendRecv') THEN ''
      WHEN n.parent_name = 'record_param_comms' THEN g.name
      ELSE n.parent_name
    END AS keyword,
    replace(replace(lower(n.name), '_', ''), '-', '') AS plain_name
  FROM node AS n
  LEFT JOIN source AS g ON g.graph_node_id = n.grandparent_id
  WHERE n.is_device
    AND NOT n.is_metadata
    AND (contains(n.name, 'ncclKernel') OR contains(n.name, 'ncclDevKernel'))
),
text_of AS (
  SELECT id, inputs_json, attributes_json
  FROM graph_node
  WHERE id IN (SELECT text_id FROM kernel)
),
stated_group AS (
  SELECT id, any_value(attribute.value) AS name
  FROM (
    SELECT
      id, unnest(from_json(attributes_json, '[{"name": "VARCHAR", "value": "VARCHAR"}]')) AS attribute
    FROM text_of
  )
  WHERE attribute.name = 'pg_name'
  GROUP BY id
),
-- The bytes of a tensor are its elements times their size; nested lists have none.
size AS (
  SELECT
    id,
    CASE WHEN bool_and(n_bytes IS NOT NULL) THEN sum(n_bytes)::BIGINT END AS n_bytes
  FROM (
    SELECT
      id,
      CASE
        WHEN type IS NULL OR value IS NULL OR NOT contains(type, 'Tensor') THEN 0
        WHEN starts_with(type, 'GenericList[Tensor') THEN list_reduce(
          [
            TRY_CAST(t ->> 3 AS BIGINT) * TRY_CAST(t ->> 4 AS BIGINT)
            FOR t IN TRY(from_json(value, '["JSON"]'))
          ],
          lambda a, b: a + b,
          0::BIGINT
        )
        ELSE TRY_CAST(value ->> 3 AS BIGINT) * TRY_CAST(value ->> 4 AS BIGINT)
      END AS n_bytes
    FROM (
      SELECT id, unnest(io.types) AS type, unnest(io.values) AS value
      FROM (
        SELECT
          id, from_json(inputs_json, '{"values": ["JSON"], "types": ["VARCHAR"]}') AS io
        FROM text_of
      )
    )
  )
  GROUP BY id
),
comm AS (
  SELECT
    k.graph_node_id,
    CASE
      WHEN contains(k.keyword, 'send') THEN 5
      WHEN contains(k.keyword, 'recv') THEN 6
      ELSE 7
    END AS type,
    CASE
      WHEN contains(k.keyword, 'send') OR contains(k.keyword, 'recv') THEN NULL
      WHEN contains(k.plain_name, 'allreduce') THEN 0
      WHEN contains(k.plain_name, 'alltoall') THEN 6
      WHEN contains(k.plain_name, 'allgather') THEN 2
      WHEN contains(k.plain_name, 'reducescatter') THEN 7
      WHEN contains(k.plain_name, 'broadcast') THEN 5
      WHEN contains(k.name, 'ncclDevKernel_SendRecv') THEN 6
    END AS comm_type,
    CASE WHEN s.id IS NULL THEN 0 ELSE s.n_bytes END AS comm_size,
    nullif(coalesce(g.name, k.group_name), '') AS pg_name
  FROM kernel AS k
  LEFT JOIN size AS s ON s.id = k.text_id
  LEFT JOIN stated_group AS g ON g.id = k.text_id
),
-- The program treats the id 0 of a dependency between threads as none.
other_thread AS (
  SELECT e.to_node_id, min_by(f.node_id, e.ordinal) AS node_id
  FROM graph_edge AS e
  JOIN graph_node AS f ON f.id = e.from_node_id
  WHERE e.graph_id = $graph_id::BIGINT
    AND e.kind = 'inter_thread'
    AND f.node_id > 0
  GROUP BY e.to_node_id
),
chained AS MATERIALIZED (
  SELECT
    n.*,
    CASE
      WHEN c.graph_node_id IS NULL THEN []::UBIGINT[]
      WHEN n.is_device OR o.node_id IS NULL OR o.node_id = b.node_id
        THEN CASE WHEN b.node_id IS NULL THEN [] ELSE [b.node_id] END
      WHEN b.node_id IS NULL THEN [o.node_id]
      ELSE [o.node_id, b.node_id]
    END AS data_deps,
    o.node_id AS other_thread_id
  FROM node AS n
  LEFT JOIN (SELECT * FROM et_chain($graph_id::BIGINT) WHERE is_thread) AS c
    ON c.graph_node_id = n.graph_node_id
  LEFT JOIN source AS b ON b.graph_node_id = c.before_id
  LEFT JOIN other_thread AS o ON o.to_node_id = n.graph_node_id
),
waited_for AS (
  SELECT DISTINCT unnest(data_deps) AS node_id FROM chained
)
SELECT
  n.graph_node_id,
  n.text_id,
  n.node_id,
  n.name,
  CASE WHEN n.is_metadata THEN 1 ELSE coalesce(c.type, 4) END::BIGINT AS type,
  CASE WHEN n.after_id < n.graph_node_id OR n.is_device THEN [n.parent_node_id] ELSE [] END
    ::UBIGINT[] AS ctrl_deps,
  n.data_deps,
  NULL::UBIGINT AS start_micros,
  CASE
    WHEN contains(n.name, 'Optimizer.step') OR n.exclusive_us IS NULL THEN 0
    ELSE greatest(trunc(n.exclusive_us), 0)
  END::UBIGINT AS duration_micros,
  n.rf_id,
  n.fw_parent,
  n.seq_id,
  n.scope,
  n.tid,
  n.fw_tid,
  n.op_schema,
  NOT n.is_device AS is_cpu_op,
  n.stream,
  c.comm_type::BIGINT AS comm_type,
  c.comm_size,
  c.pg_name,
  CASE
    WHEN n.name IS NULL THEN 'it has no name'
    WHEN n.rf_id IS NULL THEN 'it has no usable rf_id'
    WHEN n.fw_parent IS NULL THEN 'it has no usable fw_parent'
    WHEN n.seq_id IS NULL THEN 'it has no usable seq_id'
    WHEN n.scope IS NULL THEN 'it has no usable scope'
    WHEN n.tid IS NULL THEN 'it has no usable tid'
    WHEN n.fw_tid IS NULL THEN 'it has no usable fw_tid'
    WHEN n.op_schema IS NULL THEN 'it has no op_schema'
    WHEN n.exclusive_us <= -1 THEN 'its duration is negative'
    WHEN c.type = 7 AND c.comm_type IS NULL THEN 'its name is not that of a supported collective'
    WHEN c.graph_node_id IS NOT NULL AND c.comm_size IS NULL
      THEN 'its inputs hold lists of lists of tensors'
    WHEN n.stated_thread_id > 0 AND n.other_thread_id IS NULL
      THEN 'it waits for the missing node ' || n.stated_thread_id
  END AS trouble
FROM chained AS n
LEFT JOIN waited_for AS w ON w.node_id = n.node_id
LEFT JOIN comm AS c ON c.graph_node_id = n.graph_node_id
WHERE len(n.data_deps) > 0 OR w.node_id IS NOT NULL OR trouble IS NOT NULL
ORDER BY n.node_id, n.graph_node_id
