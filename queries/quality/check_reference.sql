/* ---
name = "check_reference"
version = 3
title = "Reference to a missing row"
help = """
All references of the schema within a trace: to slices, tracks, threads, processes, devices, clocks,
flows and graphs. In a time window rows refer to others outside of it, so check without one.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=14" }
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "NULL: every reference of the trace is checked"
examples.help = "Up to three: table, column and missing id"

[changes]
3 = "TPU capture commands are stored in other tables"
2 = "includes the tables of TPU captures"
1 = "first version"
--- */
WITH reference AS (
  SELECT 'cpu_op.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM cpu_op
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'launch.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM launch
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'gpu_op.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM gpu_op
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'collective.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM collective
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'annotation.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM annotation
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'step.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM step
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'python_call.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM python_call
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'memory_event.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM memory_event
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'metric.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM metric
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_command_extra.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM tpu_command_extra
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'rpc.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM rpc
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'flow_point.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM flow_point
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'source_event.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM source_event
  WHERE slice_id IS NOT NULL
  UNION ALL
  -- The graph_node rows of a linked graph belong to one trace and its slices to another.
  SELECT 'graph_node.slice_id' AS reference_name, 'slice' AS table_name, slice_id >> 32 AS trace_id, slice_id AS id
  FROM graph_node
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'slice.parent_id' AS reference_name, 'slice' AS table_name, trace_id, parent_id AS id
  FROM slice
  WHERE parent_id IS NOT NULL
  UNION ALL
  SELECT 'link.from_id' AS reference_name, 'slice' AS table_name, from_id >> 32 AS trace_id, from_id AS id
  FROM link
  WHERE from_id IS NOT NULL
  UNION ALL
  SELECT 'link.to_id' AS reference_name, 'slice' AS table_name, to_id >> 32 AS trace_id, to_id AS id
  FROM link
  WHERE to_id IS NOT NULL
  UNION ALL
  SELECT 'slice.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM slice
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'counter.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM counter
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'flow_point.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM flow_point
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'thread.process_id' AS reference_name, 'process' AS table_name, trace_id, process_id AS id
  FROM thread
  WHERE process_id IS NOT NULL
  UNION ALL
  SELECT 'track.process_id' AS reference_name, 'process' AS table_name, trace_id, process_id AS id
  FROM track
  WHERE process_id IS NOT NULL
  UNION ALL
  SELECT 'track.thread_id' AS reference_name, 'thread' AS table_name, trace_id, thread_id AS id
  FROM track
  WHERE thread_id IS NOT NULL
  UNION ALL
  SELECT 'track.device_id' AS reference_name, 'device' AS table_name, trace_id, device_id AS id
  FROM track
  WHERE device_id IS NOT NULL
  UNION ALL
  SELECT 'track.parent_track_id' AS reference_name, 'track' AS table_name, trace_id, parent_track_id AS id
  FROM track
  WHERE parent_track_id IS NOT NULL
  UNION ALL
  SELECT 'track.clock_id' AS reference_name, 'clock' AS table_name, trace_id, clock_id AS id
  FROM track
  WHERE clock_id IS NOT NULL
  UNION ALL
  SELECT 'device.parent_device_id' AS reference_name, 'device' AS table_name, trace_id, parent_device_id AS id
  FROM device
  WHERE parent_device_id IS NOT NULL
  UNION ALL
  SELECT 'gpu_op.device_id' AS reference_name, 'device' AS table_name, trace_id, device_id AS id
  FROM gpu_op
  WHERE device_id IS NOT NULL
  UNION ALL
  SELECT 'trace.clock_id' AS reference_name, 'clock' AS table_name, id AS trace_id, clock_id AS id
  FROM trace
  WHERE clock_id IS NOT NULL
  UNION ALL
  SELECT 'clock.reference_clock_id' AS reference_name, 'clock' AS table_name, trace_id, reference_clock_id AS id
  FROM clock
  WHERE reference_clock_id IS NOT NULL
  UNION ALL
  SELECT 'source_event.flow_point_id' AS reference_name, 'flow_point' AS table_name, trace_id, flow_point_id AS id
  FROM source_event
  WHERE flow_point_id IS NOT NULL
  UNION ALL
  SELECT 'graph_node.graph_id' AS reference_name, 'graph' AS table_name, trace_id, graph_id AS id
  FROM graph_node
  WHERE graph_id IS NOT NULL
  UNION ALL
  SELECT 'graph_edge.graph_id' AS reference_name, 'graph' AS table_name, trace_id, graph_id AS id
  FROM graph_edge
  WHERE graph_id IS NOT NULL
  UNION ALL
  SELECT 'tensor.graph_id' AS reference_name, 'graph' AS table_name, trace_id, graph_id AS id
  FROM tensor
  WHERE graph_id IS NOT NULL
  UNION ALL
  SELECT 'graph_edge.from_node_id' AS reference_name, 'graph_node' AS table_name, trace_id, from_node_id AS id
  FROM graph_edge
  WHERE from_node_id IS NOT NULL
  UNION ALL
  SELECT 'graph_edge.to_node_id' AS reference_name, 'graph_node' AS table_name, trace_id, to_node_id AS id
  FROM graph_edge
  WHERE to_node_id IS NOT NULL
  UNION ALL
  SELECT 'metric.device_id' AS reference_name, 'device' AS table_name, trace_id, device_id AS id
  FROM metric
  WHERE device_id IS NOT NULL
  UNION ALL
  SELECT 'memory_event.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM memory_event
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'memory_block.memory_segment_id' AS reference_name, 'memory_segment' AS table_name, trace_id, memory_segment_id AS id
  FROM memory_block
  WHERE memory_segment_id IS NOT NULL
  UNION ALL
  SELECT 'cpu_op.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM cpu_op
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'launch.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM launch
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'gpu_op.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM gpu_op
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'annotation.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM annotation
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'step.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM step
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'python_call.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM python_call
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_operation.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM tpu_operation
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'rpc.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM rpc
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'collective.track_id' AS reference_name, 'track' AS table_name, trace_id, track_id AS id
  FROM collective
  WHERE track_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_tiu_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM tpu_tiu_record
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_tiu_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id, operation_id AS id
  FROM tpu_tiu_record
  WHERE operation_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_dma_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM tpu_dma_record
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_dma_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id, operation_id AS id
  FROM tpu_dma_record
  WHERE operation_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM tpu_dma_bm1688_record
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id, operation_id AS id
  FROM tpu_dma_bm1688_record
  WHERE operation_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_cdma_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id, slice_id AS id
  FROM tpu_cdma_record
  WHERE slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_cdma_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id, operation_id AS id
  FROM tpu_cdma_record
  WHERE operation_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_operation.kernel_slice_id' AS reference_name, 'slice' AS table_name, trace_id, kernel_slice_id AS id
  FROM tpu_operation
  WHERE kernel_slice_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_operation.device_id' AS reference_name, 'device' AS table_name, trace_id, device_id AS id
  FROM tpu_operation
  WHERE device_id IS NOT NULL
  UNION ALL
  SELECT 'tpu_operation.layer_id' AS reference_name, 'tpu_layer' AS table_name, trace_id, layer_id AS id
  FROM tpu_operation
  WHERE layer_id IS NOT NULL
  UNION ALL
  SELECT 'graph.of_graph_id' AS reference_name, 'graph' AS table_name, trace_id, of_graph_id AS id
  FROM graph
  WHERE of_graph_id IS NOT NULL
  UNION ALL
  SELECT 'graph_node.of_node_id' AS reference_name, 'graph_node' AS table_name, trace_id, of_node_id AS id
  FROM graph_node
  WHERE of_node_id IS NOT NULL
  UNION ALL
  SELECT 'tensor_use.graph_id' AS reference_name, 'graph' AS table_name, trace_id, graph_id AS id
  FROM tensor_use
  WHERE graph_id IS NOT NULL
  UNION ALL
  SELECT 'tensor_use.graph_node_id' AS reference_name, 'graph_node' AS table_name, trace_id, graph_node_id AS id
  FROM tensor_use
  WHERE graph_node_id IS NOT NULL
  UNION ALL
  SELECT 'tensor_use.tensor_id' AS reference_name, 'tensor' AS table_name, trace_id, tensor_id AS id
  FROM tensor_use
  WHERE tensor_id IS NOT NULL
  UNION ALL
  SELECT 'process_group.graph_id' AS reference_name, 'graph' AS table_name, trace_id, graph_id AS id
  FROM process_group
  WHERE graph_id IS NOT NULL
),
target AS (
  SELECT 'clock' AS table_name, trace_id, id
  FROM clock
  UNION ALL
  SELECT 'device' AS table_name, trace_id, id
  FROM device
  UNION ALL
  SELECT 'flow_point' AS table_name, trace_id, id
  FROM flow_point
  UNION ALL
  SELECT 'graph' AS table_name, trace_id, id
  FROM graph
  UNION ALL
  SELECT 'graph_node' AS table_name, trace_id, id
  FROM graph_node
  UNION ALL
  SELECT 'memory_segment' AS table_name, trace_id, id
  FROM memory_segment
  UNION ALL
  SELECT 'process' AS table_name, trace_id, id
  FROM process
  UNION ALL
  SELECT 'slice' AS table_name, trace_id, id
  FROM slice
  UNION ALL
  SELECT 'tensor' AS table_name, trace_id, id
  FROM tensor
  UNION ALL
  SELECT 'thread' AS table_name, trace_id, id
  FROM thread
  UNION ALL
  SELECT 'tpu_layer' AS table_name, trace_id, id
  FROM tpu_layer
  UNION ALL
  SELECT 'tpu_operation' AS table_name, trace_id, id
  FROM tpu_operation
  UNION ALL
  SELECT 'track' AS table_name, trace_id, id
  FROM track
),
extent AS (
  SELECT 'clock' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM clock
  GROUP BY trace_id
  UNION ALL
  SELECT 'device' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM device
  GROUP BY trace_id
  UNION ALL
  SELECT 'flow_point' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM flow_point
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM graph
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_node' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM graph_node
  GROUP BY trace_id
  UNION ALL
  SELECT 'memory_segment' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM memory_segment
  GROUP BY trace_id
  UNION ALL
  SELECT 'process' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM process
  GROUP BY trace_id
  UNION ALL
  SELECT 'slice' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM slice
  GROUP BY trace_id
  UNION ALL
  SELECT 'tensor' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM tensor
  GROUP BY trace_id
  UNION ALL
  SELECT 'thread' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM thread
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_layer' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM tpu_layer
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_operation' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM tpu_operation
  GROUP BY trace_id
  UNION ALL
  SELECT 'track' AS table_name, trace_id, min(id) AS first_id, max(id) AS last_id,
    max(id) - min(id) + 1 = count(*) AS is_dense
  FROM track
  GROUP BY trace_id
),
-- Ids of a trace are written without gaps; then an id between the first and the last exists, and if
-- the lowest and highest reference do, all do.
span AS (
  SELECT 'cpu_op.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM cpu_op
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'launch.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM launch
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'gpu_op.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM gpu_op
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'collective.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM collective
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'annotation.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM annotation
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'step.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM step
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'python_call.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM python_call
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'memory_event.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM memory_event
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'metric.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM metric
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_command_extra.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM tpu_command_extra
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'rpc.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM rpc
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'flow_point.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM flow_point
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'source_event.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM source_event
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_node.slice_id' AS reference_name, 'slice' AS table_name, slice_id >> 32 AS trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM graph_node
  WHERE slice_id IS NOT NULL
  GROUP BY slice_id >> 32
  UNION ALL
  SELECT 'slice.parent_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(parent_id) AS first_id, max(parent_id) AS last_id
  FROM slice
  WHERE parent_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'link.from_id' AS reference_name, 'slice' AS table_name, from_id >> 32 AS trace_id,
    min(from_id) AS first_id, max(from_id) AS last_id
  FROM link
  WHERE from_id IS NOT NULL
  GROUP BY from_id >> 32
  UNION ALL
  SELECT 'link.to_id' AS reference_name, 'slice' AS table_name, to_id >> 32 AS trace_id,
    min(to_id) AS first_id, max(to_id) AS last_id
  FROM link
  WHERE to_id IS NOT NULL
  GROUP BY to_id >> 32
  UNION ALL
  SELECT 'slice.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM slice
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'counter.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM counter
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'flow_point.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM flow_point
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'thread.process_id' AS reference_name, 'process' AS table_name, trace_id,
    min(process_id) AS first_id, max(process_id) AS last_id
  FROM thread
  WHERE process_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'track.process_id' AS reference_name, 'process' AS table_name, trace_id,
    min(process_id) AS first_id, max(process_id) AS last_id
  FROM track
  WHERE process_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'track.thread_id' AS reference_name, 'thread' AS table_name, trace_id,
    min(thread_id) AS first_id, max(thread_id) AS last_id
  FROM track
  WHERE thread_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'track.device_id' AS reference_name, 'device' AS table_name, trace_id,
    min(device_id) AS first_id, max(device_id) AS last_id
  FROM track
  WHERE device_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'track.parent_track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(parent_track_id) AS first_id, max(parent_track_id) AS last_id
  FROM track
  WHERE parent_track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'track.clock_id' AS reference_name, 'clock' AS table_name, trace_id,
    min(clock_id) AS first_id, max(clock_id) AS last_id
  FROM track
  WHERE clock_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'device.parent_device_id' AS reference_name, 'device' AS table_name, trace_id,
    min(parent_device_id) AS first_id, max(parent_device_id) AS last_id
  FROM device
  WHERE parent_device_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'gpu_op.device_id' AS reference_name, 'device' AS table_name, trace_id,
    min(device_id) AS first_id, max(device_id) AS last_id
  FROM gpu_op
  WHERE device_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'trace.clock_id' AS reference_name, 'clock' AS table_name, id AS trace_id,
    min(clock_id) AS first_id, max(clock_id) AS last_id
  FROM trace
  WHERE clock_id IS NOT NULL
  GROUP BY id
  UNION ALL
  SELECT 'clock.reference_clock_id' AS reference_name, 'clock' AS table_name, trace_id,
    min(reference_clock_id) AS first_id, max(reference_clock_id) AS last_id
  FROM clock
  WHERE reference_clock_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'source_event.flow_point_id' AS reference_name, 'flow_point' AS table_name, trace_id,
    min(flow_point_id) AS first_id, max(flow_point_id) AS last_id
  FROM source_event
  WHERE flow_point_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_node.graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(graph_id) AS first_id, max(graph_id) AS last_id
  FROM graph_node
  WHERE graph_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_edge.graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(graph_id) AS first_id, max(graph_id) AS last_id
  FROM graph_edge
  WHERE graph_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tensor.graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(graph_id) AS first_id, max(graph_id) AS last_id
  FROM tensor
  WHERE graph_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_edge.from_node_id' AS reference_name, 'graph_node' AS table_name, trace_id,
    min(from_node_id) AS first_id, max(from_node_id) AS last_id
  FROM graph_edge
  WHERE from_node_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_edge.to_node_id' AS reference_name, 'graph_node' AS table_name, trace_id,
    min(to_node_id) AS first_id, max(to_node_id) AS last_id
  FROM graph_edge
  WHERE to_node_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'metric.device_id' AS reference_name, 'device' AS table_name, trace_id,
    min(device_id) AS first_id, max(device_id) AS last_id
  FROM metric
  WHERE device_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'memory_event.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM memory_event
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'memory_block.memory_segment_id' AS reference_name, 'memory_segment' AS table_name, trace_id,
    min(memory_segment_id) AS first_id, max(memory_segment_id) AS last_id
  FROM memory_block
  WHERE memory_segment_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'cpu_op.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM cpu_op
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'launch.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM launch
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'gpu_op.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM gpu_op
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'annotation.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM annotation
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'step.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM step
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'python_call.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM python_call
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_operation.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM tpu_operation
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'rpc.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM rpc
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'collective.track_id' AS reference_name, 'track' AS table_name, trace_id,
    min(track_id) AS first_id, max(track_id) AS last_id
  FROM collective
  WHERE track_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_tiu_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM tpu_tiu_record
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_tiu_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id,
    min(operation_id) AS first_id, max(operation_id) AS last_id
  FROM tpu_tiu_record
  WHERE operation_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_dma_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM tpu_dma_record
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_dma_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id,
    min(operation_id) AS first_id, max(operation_id) AS last_id
  FROM tpu_dma_record
  WHERE operation_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM tpu_dma_bm1688_record
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_dma_bm1688_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id,
    min(operation_id) AS first_id, max(operation_id) AS last_id
  FROM tpu_dma_bm1688_record
  WHERE operation_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_cdma_record.slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(slice_id) AS first_id, max(slice_id) AS last_id
  FROM tpu_cdma_record
  WHERE slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_cdma_record.operation_id' AS reference_name, 'tpu_operation' AS table_name, trace_id,
    min(operation_id) AS first_id, max(operation_id) AS last_id
  FROM tpu_cdma_record
  WHERE operation_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_operation.kernel_slice_id' AS reference_name, 'slice' AS table_name, trace_id,
    min(kernel_slice_id) AS first_id, max(kernel_slice_id) AS last_id
  FROM tpu_operation
  WHERE kernel_slice_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_operation.device_id' AS reference_name, 'device' AS table_name, trace_id,
    min(device_id) AS first_id, max(device_id) AS last_id
  FROM tpu_operation
  WHERE device_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tpu_operation.layer_id' AS reference_name, 'tpu_layer' AS table_name, trace_id,
    min(layer_id) AS first_id, max(layer_id) AS last_id
  FROM tpu_operation
  WHERE layer_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph.of_graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(of_graph_id) AS first_id, max(of_graph_id) AS last_id
  FROM graph
  WHERE of_graph_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'graph_node.of_node_id' AS reference_name, 'graph_node' AS table_name, trace_id,
    min(of_node_id) AS first_id, max(of_node_id) AS last_id
  FROM graph_node
  WHERE of_node_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tensor_use.graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(graph_id) AS first_id, max(graph_id) AS last_id
  FROM tensor_use
  WHERE graph_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tensor_use.graph_node_id' AS reference_name, 'graph_node' AS table_name, trace_id,
    min(graph_node_id) AS first_id, max(graph_node_id) AS last_id
  FROM tensor_use
  WHERE graph_node_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'tensor_use.tensor_id' AS reference_name, 'tensor' AS table_name, trace_id,
    min(tensor_id) AS first_id, max(tensor_id) AS last_id
  FROM tensor_use
  WHERE tensor_id IS NOT NULL
  GROUP BY trace_id
  UNION ALL
  SELECT 'process_group.graph_id' AS reference_name, 'graph' AS table_name, trace_id,
    min(graph_id) AS first_id, max(graph_id) AS last_id
  FROM process_group
  WHERE graph_id IS NOT NULL
  GROUP BY trace_id
),
suspect AS (
  SELECT s.reference_name, s.trace_id
  FROM span AS s
  LEFT JOIN extent AS e ON e.table_name = s.table_name AND e.trace_id = s.trace_id
  WHERE e.trace_id IS NULL
    OR NOT e.is_dense
    OR s.first_id < e.first_id
    OR s.last_id > e.last_id
),
doubtful AS (
  SELECT r.reference_name, r.table_name, r.trace_id, r.id
  FROM reference AS r
  JOIN suspect AS s ON s.reference_name = r.reference_name AND s.trace_id = r.trace_id
),
dangling AS (
  SELECT d.reference_name, d.trace_id, d.id
  FROM doubtful AS d
  LEFT JOIN (
    SELECT table_name, id
    FROM target
    WHERE trace_id IN (SELECT trace_id FROM suspect)
  ) AS a ON a.table_name = d.table_name AND a.id = d.id
  WHERE a.id IS NULL
),
placed AS (
  SELECT
    reference_name,
    trace_id,
    id,
    row_number() OVER (PARTITION BY trace_id ORDER BY reference_name, id) AS place
  FROM dangling
),
finding AS (
  SELECT
    trace_id,
    count(*) AS n_found,
    CAST(NULL AS BIGINT) AS n_looked_at,
    string_agg(CASE WHEN place <= 3 THEN reference_name || ' ' || id END, '; ' ORDER BY place)
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
  'reference' AS check_name,
  'error' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Rows refer to rows that do not exist; joins drop them.' AS meaning,
  'A program other than tw wrote to the warehouse: remove the trace with `tw drop` and '
    || 'import it again.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
