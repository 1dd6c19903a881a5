/* ---
name = "check_id_unique"
version = 3
title = "Duplicate id"
help = """
Duplicate table keys, and slices with two rows in one detail table. The schema has no constraints,
because an index over every row would make the memory of imports grow.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=14" }
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "NULL: every key of the trace is checked"
examples.help = "Up to three: table, column and id, number of rows"

[changes]
3 = "TPU capture commands are stored in other tables"
2 = "includes the tables of TPU captures"
1 = "first version"
--- */
WITH key AS (
  SELECT 'process.id' AS key_name, id
  FROM process
  UNION ALL
  SELECT 'thread.id' AS key_name, id
  FROM thread
  UNION ALL
  SELECT 'device.id' AS key_name, id
  FROM device
  UNION ALL
  SELECT 'track.id' AS key_name, id
  FROM track
  UNION ALL
  SELECT 'slice.id' AS key_name, id
  FROM slice
  UNION ALL
  SELECT 'counter.id' AS key_name, id
  FROM counter
  UNION ALL
  SELECT 'flow_point.id' AS key_name, id
  FROM flow_point
  UNION ALL
  SELECT 'source_event.id' AS key_name, id
  FROM source_event
  UNION ALL
  SELECT 'source_file.id' AS key_name, id
  FROM source_file
  UNION ALL
  SELECT 'clock.id' AS key_name, id
  FROM clock
  UNION ALL
  SELECT 'import_problem.id' AS key_name, id
  FROM import_problem
  UNION ALL
  SELECT 'import_stat.id' AS key_name, id
  FROM import_stat
  UNION ALL
  SELECT 'metric.id' AS key_name, id
  FROM metric
  UNION ALL
  SELECT 'link.id' AS key_name, id
  FROM link
  UNION ALL
  SELECT 'graph.id' AS key_name, id
  FROM graph
  UNION ALL
  SELECT 'graph_node.id' AS key_name, id
  FROM graph_node
  UNION ALL
  SELECT 'graph_edge.id' AS key_name, id
  FROM graph_edge
  UNION ALL
  SELECT 'tensor.id' AS key_name, id
  FROM tensor
  UNION ALL
  SELECT 'memory_segment.id' AS key_name, id
  FROM memory_segment
  UNION ALL
  SELECT 'memory_block.id' AS key_name, id
  FROM memory_block
  UNION ALL
  SELECT 'cpu_op.slice_id' AS key_name, slice_id AS id
  FROM cpu_op
  UNION ALL
  SELECT 'launch.slice_id' AS key_name, slice_id AS id
  FROM launch
  UNION ALL
  SELECT 'gpu_op.slice_id' AS key_name, slice_id AS id
  FROM gpu_op
  UNION ALL
  SELECT 'annotation.slice_id' AS key_name, slice_id AS id
  FROM annotation
  UNION ALL
  SELECT 'step.slice_id' AS key_name, slice_id AS id
  FROM step
  UNION ALL
  SELECT 'python_call.slice_id' AS key_name, slice_id AS id
  FROM python_call
  UNION ALL
  SELECT 'tpu_command_extra.slice_id' AS key_name, slice_id AS id
  FROM tpu_command_extra
  UNION ALL
  SELECT 'tpu_operation.id' AS key_name, id
  FROM tpu_operation
  UNION ALL
  SELECT 'rpc.slice_id' AS key_name, slice_id AS id
  FROM rpc
  UNION ALL
  SELECT 'tpu_tiu_record.slice_id' AS key_name, slice_id AS id
  FROM tpu_tiu_record
  UNION ALL
  SELECT 'tpu_dma_record.slice_id' AS key_name, slice_id AS id
  FROM tpu_dma_record
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.slice_id' AS key_name, slice_id AS id
  FROM tpu_dma_bm1688_record
  UNION ALL
  SELECT 'tpu_cdma_record.slice_id' AS key_name, slice_id AS id
  FROM tpu_cdma_record
  UNION ALL
  SELECT 'tpu_layer.id' AS key_name, id
  FROM tpu_layer
  UNION ALL
  SELECT 'tensor_use.id' AS key_name, id
  FROM tensor_use
  UNION ALL
  SELECT 'process_group.id' AS key_name, id
  FROM process_group
),
-- A block of 32 consecutive ids is one number with a bit per id: fewer bits than rows mean a
-- duplicate.
block AS (
  SELECT 'process.id' AS key_name, id >> 5 AS block
  FROM process
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'thread.id' AS key_name, id >> 5 AS block
  FROM thread
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'device.id' AS key_name, id >> 5 AS block
  FROM device
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'track.id' AS key_name, id >> 5 AS block
  FROM track
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'slice.id' AS key_name, id >> 5 AS block
  FROM slice
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'counter.id' AS key_name, id >> 5 AS block
  FROM counter
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'flow_point.id' AS key_name, id >> 5 AS block
  FROM flow_point
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'source_event.id' AS key_name, id >> 5 AS block
  FROM source_event
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'source_file.id' AS key_name, id >> 5 AS block
  FROM source_file
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'clock.id' AS key_name, id >> 5 AS block
  FROM clock
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'import_problem.id' AS key_name, id >> 5 AS block
  FROM import_problem
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'import_stat.id' AS key_name, id >> 5 AS block
  FROM import_stat
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'metric.id' AS key_name, id >> 5 AS block
  FROM metric
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'link.id' AS key_name, id >> 5 AS block
  FROM link
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'graph.id' AS key_name, id >> 5 AS block
  FROM graph
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'graph_node.id' AS key_name, id >> 5 AS block
  FROM graph_node
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'graph_edge.id' AS key_name, id >> 5 AS block
  FROM graph_edge
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'tensor.id' AS key_name, id >> 5 AS block
  FROM tensor
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'memory_segment.id' AS key_name, id >> 5 AS block
  FROM memory_segment
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'memory_block.id' AS key_name, id >> 5 AS block
  FROM memory_block
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'cpu_op.slice_id' AS key_name, slice_id >> 5 AS block
  FROM cpu_op
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'launch.slice_id' AS key_name, slice_id >> 5 AS block
  FROM launch
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'gpu_op.slice_id' AS key_name, slice_id >> 5 AS block
  FROM gpu_op
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'annotation.slice_id' AS key_name, slice_id >> 5 AS block
  FROM annotation
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'step.slice_id' AS key_name, slice_id >> 5 AS block
  FROM step
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'python_call.slice_id' AS key_name, slice_id >> 5 AS block
  FROM python_call
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_command_extra.slice_id' AS key_name, slice_id >> 5 AS block
  FROM tpu_command_extra
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_operation.id' AS key_name, id >> 5 AS block
  FROM tpu_operation
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'rpc.slice_id' AS key_name, slice_id >> 5 AS block
  FROM rpc
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_tiu_record.slice_id' AS key_name, slice_id >> 5 AS block
  FROM tpu_tiu_record
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_dma_record.slice_id' AS key_name, slice_id >> 5 AS block
  FROM tpu_dma_record
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.slice_id' AS key_name, slice_id >> 5 AS block
  FROM tpu_dma_bm1688_record
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_cdma_record.slice_id' AS key_name, slice_id >> 5 AS block
  FROM tpu_cdma_record
  GROUP BY slice_id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (slice_id & 31))) < count(*)
  UNION ALL
  SELECT 'tpu_layer.id' AS key_name, id >> 5 AS block
  FROM tpu_layer
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'tensor_use.id' AS key_name, id >> 5 AS block
  FROM tensor_use
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
  UNION ALL
  SELECT 'process_group.id' AS key_name, id >> 5 AS block
  FROM process_group
  GROUP BY id >> 5
  HAVING bit_count(bit_or(CAST(1 AS BIGINT) << (id & 31))) < count(*)
),
repeated AS (
  SELECT k.key_name, k.id, count(*) AS n_rows
  FROM key AS k
  JOIN block AS b ON b.key_name = k.key_name AND b.block = k.id >> 5
  GROUP BY k.key_name, k.id
  HAVING count(*) > 1
),
-- Ids of links between traces are negative; such a link belongs to the trace it starts from.
between_traces AS (
  SELECT id, min(from_id) >> 32 AS trace_id
  FROM link
  WHERE trace_id IS NULL
  GROUP BY id
),
placed AS (
  SELECT
    coalesce(b.trace_id, r.id >> 32) AS trace_id,
    r.key_name,
    r.id,
    r.n_rows,
    row_number() OVER (
      PARTITION BY coalesce(b.trace_id, r.id >> 32) ORDER BY r.key_name, r.id
    ) AS place
  FROM repeated AS r
  LEFT JOIN between_traces AS b ON b.id = r.id
),
finding AS (
  SELECT
    trace_id,
    count(*) AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    string_agg(CASE WHEN place <= 3 THEN key_name || ' ' || id || ', ' || n_rows || ' times' END, '; ' ORDER BY place)
      AS examples
  FROM placed
  GROUP BY trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'id_unique' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Rows share an id; joins count them several times.' AS meaning,
  'A program other than tw wrote to the warehouse: remove the trace with `tw drop` and '
    || 'import it again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
