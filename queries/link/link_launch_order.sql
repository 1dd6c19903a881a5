/* ---
name = "link_launch_order"
version = 1
title = "Links from launches to device work by their order, where no id relates them"
help = """
The k-th kernel of a queue belongs to the k-th launch of the queue. Packets in queues of HSA state
their queue and kernel: they are linked only if all names of the queue are equal. Other launches state
neither, so all kernels of a process are taken as one queue. Copies are related to the calls that
copy asynchronously, by direction where both state it. If the numbers differ, nothing is linked
(check_launch_without_work and check_work_without_launch report them).
"""
grain = ["to_id"]
requires = { schema = ">=1", rows = ["launch without correlation_id", "gpu_op without correlation_id"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the call"
to_id.help = "Slice of the device work"
kind.help = "launch"
rule.help = "order"
confidence.help = "0.9 if the names of kernels were compared, else 0.8"

[changes]
1 = "first version"
--- */
WITH work AS (
  SELECT
    g.slice_id, g.trace_id, g.ts, g.name, g.kind, g.stream, g.direction,
    coalesce(k.process_id, -1) AS process_id,
    json_extract_string(d.properties_json, '$.source_id') AS agent
  FROM gpu_op AS g
  LEFT JOIN track AS k ON k.id = g.track_id
  LEFT JOIN device AS d ON d.id = g.device_id
  WHERE g.trace_id = $trace_id::BIGINT AND g.correlation_id IS NULL
    AND g.kind IN ('kernel', 'memcpy')
),
named AS (
  SELECT
    l.slice_id, l.trace_id, l.ts, coalesce(k.process_id, -1) AS process_id,
    l.category = 'hsa_queue' AS is_packet,
    CASE
      WHEN l.category = 'hsa_queue' THEN 'kernel'
      WHEN regexp_matches(l.name, '^(hip(Ext)?(Module)?Launch|clEnqueueNDRangeKernel|cu(da)?Launch)')
        THEN 'kernel'
      WHEN regexp_matches(
        l.name, '^(hipMemcpy.*Async|clEnqueue(Read|Write|Copy)|cudaMemcpy.*Async|cuMemcpy.*Async)'
      ) THEN 'memcpy'
    END AS kind,
    coalesce(
      nullif(regexp_extract(l.name, '([DHP])to([DHP])', 0), ''),
      CASE
        WHEN l.name LIKE 'clEnqueueWrite%' THEN 'HtoD' WHEN l.name LIKE 'clEnqueueRead%' THEN 'DtoH'
      END
    ) AS direction
  FROM launch AS l
  LEFT JOIN track AS k ON k.id = l.track_id
  WHERE l.trace_id = $trace_id::BIGINT AND l.correlation_id IS NULL
),
call AS (
  SELECT
    n.*,
    json_extract_string(s.args_json, '$.kernel_name') AS name,
    json_extract_string(s.args_json, '$.agent_handle') AS agent,
    TRY_CAST(json_extract_string(s.args_json, '$.queue_id') AS BIGINT) AS stream
  FROM named AS n
  LEFT JOIN slice AS s ON s.id = n.slice_id AND n.is_packet AND s.trace_id = $trace_id::BIGINT
  WHERE n.kind IS NOT NULL
),
packet_queue AS (
  SELECT DISTINCT trace_id, process_id, agent, stream FROM call WHERE is_packet
),
-- Directions tell copies apart only if all of a process have one.
directed AS (
  SELECT trace_id, process_id
  FROM (
    SELECT trace_id, process_id, direction FROM work WHERE kind = 'memcpy'
    UNION ALL
    SELECT trace_id, process_id, direction FROM call WHERE kind = 'memcpy'
  )
  GROUP BY trace_id, process_id
  HAVING bool_and(direction IS NOT NULL)
),
placed_work AS (
  SELECT
    w.slice_id, w.trace_id, w.process_id, w.kind, w.ts, w.name,
    q.stream IS NOT NULL AS is_packet,
    CASE WHEN q.stream IS NOT NULL THEN w.agent END AS agent,
    q.stream,
    CASE WHEN d.process_id IS NOT NULL AND w.kind = 'memcpy' THEN w.direction END AS direction
  FROM work AS w
  LEFT JOIN packet_queue AS q
    ON q.trace_id = w.trace_id AND q.process_id = w.process_id AND q.agent = w.agent
    AND q.stream = w.stream AND w.kind = 'kernel'
  LEFT JOIN directed AS d ON d.trace_id = w.trace_id AND d.process_id = w.process_id
),
placed_call AS (
  SELECT
    c.slice_id, c.trace_id, c.process_id, c.kind, c.ts, c.name, c.is_packet, c.agent, c.stream,
    CASE WHEN d.process_id IS NOT NULL AND c.kind = 'memcpy' THEN c.direction END AS direction
  FROM call AS c
  LEFT JOIN directed AS d ON d.trace_id = c.trace_id AND d.process_id = c.process_id
),
ordered_work AS (
  SELECT *, row_number() OVER queue AS n, count(*) OVER whole AS n_all
  FROM placed_work
  WINDOW whole AS (PARTITION BY trace_id, process_id, kind, is_packet, agent, stream, direction),
    queue AS (
      PARTITION BY trace_id, process_id, kind, is_packet, agent, stream, direction
      ORDER BY ts, slice_id
    )
),
ordered_call AS (
  SELECT *, row_number() OVER queue AS n, count(*) OVER whole AS n_all
  FROM placed_call
  WINDOW whole AS (PARTITION BY trace_id, process_id, kind, is_packet, agent, stream, direction),
    queue AS (
      PARTITION BY trace_id, process_id, kind, is_packet, agent, stream, direction
      ORDER BY ts, slice_id
    )
),
pair AS (
  SELECT
    c.slice_id AS from_id, w.slice_id AS to_id, c.is_packet,
    bool_and(NOT c.is_packet OR c.name = w.name) OVER (
      PARTITION BY c.trace_id, c.process_id, c.kind, c.is_packet, c.agent, c.stream, c.direction
    ) AS has_equal_names
  FROM ordered_work AS w
  JOIN ordered_call AS c
    ON c.trace_id = w.trace_id AND c.process_id = w.process_id AND c.kind = w.kind
    AND c.is_packet = w.is_packet AND c.agent IS NOT DISTINCT FROM w.agent
    AND c.stream IS NOT DISTINCT FROM w.stream AND c.direction IS NOT DISTINCT FROM w.direction
    AND c.n = w.n AND c.n_all = w.n_all
)
SELECT
  from_id, to_id, 'launch' AS kind, 'order' AS rule,
  CASE WHEN is_packet THEN 0.9::DOUBLE ELSE 0.8::DOUBLE END AS confidence
FROM pair
WHERE has_equal_names
ORDER BY to_id
