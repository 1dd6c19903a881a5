/* ---
name = "memory_recomputed"
version = 2
title = "Peak of memory if parts of a graph are computed again, or its batch is divided"
help = """
Each part is FROM-TO@AGAIN, places of calls as in memory_by_tensor_lifetime: the calls from FROM until before TO
run again right before AGAIN. Storages that they make, and that nothing takes from TO until before AGAIN but
something does later, are released at the end of the part and made again. What else the part takes is kept
until AGAIN. While a part runs again, all it makes takes memory again, for as long as at first. Parts before the same
call run one after another. If the batch is divided, storages are those of the last of its parts (memory_accumulated).
"""
grain = ["graph_id", "device"]
requires = { schema = ">=11", queries = ["memory_accumulated@1", "memory_use@1"] }
scale = "trace"
columns = ["run_id", "trace_id", "graph_id", "device", "recorded_bytes", "peak_bytes", "input_bytes", "released_bytes"]

[param.parts]
type = "VARCHAR"
default = ""
help = "Parts that run again, as 17-98@1045,98-150@900"

[param.batches]
type = "BIGINT"
default = 1
min = 1
help = "Parts of the batch that run one after another, with the sum of their gradients"

[param.is_accumulated]
type = "BOOLEAN"
default = true
help = "Whether all parts run; false: the batch of a step is one of them, and no gradients are kept"

[column]
device = { type = "VARCHAR", unit = "text", help = "Device of the storages" }
recorded_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Maximum of bytes live at once, as recorded" }
peak_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "The same if the parts are computed again" }
input_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Storages that no operator returns and that are live from the start" }
released_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Storages that are made twice" }

[changes]
2 = "parts of the batch"
1 = "first version"
--- */
WITH named AS (
  SELECT regexp_extract(trim(text), '^(\d+)-(\d+)@(\d+)$', ['a', 'b', 'c']) AS part
  FROM (SELECT unnest(string_split($parts::VARCHAR, ',')) AS text)
),
part AS MATERIALIZED (
  SELECT
    row_number() OVER (ORDER BY part.a::BIGINT) - 1 AS part_id,
    part.a::BIGINT AS from_order, part.b::BIGINT AS to_order, part.c::BIGINT AS again_order
  FROM named
  WHERE part.a <> ''
),
use AS MATERIALIZED (
  FROM memory_accumulated(p_batches := $batches::BIGINT, p_is_accumulated := $is_accumulated::BOOLEAN)
),
recorded AS (
  SELECT
    graph_id, device, coalesce(max(bytes), 0) AS bytes,
    CASE WHEN bool_or(is_birth) THEN min(place) ELSE 0 END AS first_order, max(place) AS last_order
  FROM memory_use()
  GROUP BY graph_id, device, storage_id, life
),
life AS MATERIALIZED (
  SELECT
    run_id, trace_id, graph_id, device, storage_id, life, coalesce(max(bytes), 0) AS bytes,
    bool_or(is_birth) AS is_produced,
    CASE WHEN bool_or(is_birth) OR life < 0 THEN min(place) ELSE 0 END AS first_order, max(place) AS last_order
  FROM use
  GROUP BY run_id, trace_id, graph_id, device, storage_id, life
),
taken AS (
  SELECT
    l.graph_id, l.device, l.storage_id, l.life, l.bytes, p.part_id, p.to_order, p.again_order, l.first_order, l.last_order,
    max(u.place) FILTER (u.place < p.to_order) AS released_order,
    bool_or(u.place >= p.to_order AND u.place < p.again_order) AS is_taken_between
  FROM part AS p
  JOIN life AS l ON l.is_produced AND l.first_order >= p.from_order AND l.first_order < p.to_order
  JOIN use AS u ON u.graph_id = l.graph_id AND u.device = l.device AND u.storage_id = l.storage_id AND u.life = l.life
  GROUP BY ALL
),
made AS MATERIALIZED (
  SELECT *, last_order >= again_order AND NOT is_taken_between AS is_again FROM taken
),
kept AS (
  SELECT u.graph_id, u.device, u.storage_id, u.life, max(p.again_order) AS kept_order
  FROM part AS p
  JOIN use AS u ON u.place >= p.from_order AND u.place < p.to_order
  ANTI JOIN made AS m
    ON m.part_id = p.part_id AND m.graph_id = u.graph_id AND m.device = u.device AND m.storage_id = u.storage_id
    AND m.life = u.life
  GROUP BY ALL
),
interval AS MATERIALIZED (
  SELECT
    l.graph_id, l.device, l.bytes, l.first_order,
    coalesce(m.released_order, greatest(l.last_order, k.kept_order)) AS last_order
  FROM life AS l
  LEFT JOIN made AS m
    ON m.graph_id = l.graph_id AND m.device = l.device AND m.storage_id = l.storage_id AND m.life = l.life AND m.is_again
  LEFT JOIN kept AS k
    ON k.graph_id = l.graph_id AND k.device = l.device AND k.storage_id = l.storage_id AND k.life = l.life
  UNION ALL
  SELECT m.graph_id, m.device, m.bytes, m.again_order, greatest(m.last_order, k.kept_order)
  FROM made AS m
  LEFT JOIN kept AS k
    ON k.graph_id = m.graph_id AND k.device = m.device AND k.storage_id = m.storage_id AND k.life = m.life
  WHERE m.is_again
),
change AS (
  SELECT 0 AS part_id, true AS is_planned, graph_id, device, first_order AS at_order, bytes FROM interval
  UNION ALL
  SELECT 0, true, graph_id, device, last_order + 1, -bytes FROM interval
  UNION ALL
  SELECT 0, false, graph_id, device, first_order, bytes FROM recorded
  UNION ALL
  SELECT 0, false, graph_id, device, last_order + 1, -bytes FROM recorded
  UNION ALL -- what a part makes while it runs again
  SELECT part_id, NULL, graph_id, device, first_order, bytes FROM made
  UNION ALL
  SELECT part_id, NULL, graph_id, device, last_order + 1, -bytes FROM made WHERE last_order < to_order
),
level AS (
  SELECT
    part_id, is_planned, graph_id, device,
    sum(sum(bytes)) OVER (PARTITION BY part_id, is_planned, graph_id, device ORDER BY at_order) AS bytes
  FROM change
  GROUP BY part_id, is_planned, graph_id, device, at_order
),
peak AS MATERIALIZED (
  SELECT part_id, is_planned, graph_id, device, max(bytes) AS bytes
  FROM level
  GROUP BY part_id, is_planned, graph_id, device
),
around AS (
  SELECT p.part_id, i.graph_id, i.device, sum(i.bytes) AS bytes
  FROM part AS p
  JOIN interval AS i ON i.first_order < p.again_order AND i.last_order >= p.again_order
  GROUP BY p.part_id, i.graph_id, i.device
),
earlier AS (
  SELECT p.part_id, m.graph_id, m.device, sum(m.bytes) AS bytes
  FROM part AS p
  JOIN made AS m ON m.again_order = p.again_order AND m.part_id < p.part_id AND m.is_again
  GROUP BY p.part_id, m.graph_id, m.device
),
again AS (
  SELECT k.graph_id, k.device, max(k.bytes + coalesce(a.bytes, 0) + coalesce(e.bytes, 0)) AS bytes
  FROM peak AS k
  LEFT JOIN around AS a ON a.part_id = k.part_id AND a.graph_id = k.graph_id AND a.device = k.device
  LEFT JOIN earlier AS e ON e.part_id = k.part_id AND e.graph_id = k.graph_id AND e.device = k.device
  WHERE k.is_planned IS NULL
  GROUP BY k.graph_id, k.device
),
input AS (
  SELECT
    run_id, trace_id, graph_id, device, coalesce(sum(bytes) FILTER (NOT is_produced AND life >= 0), 0) AS bytes
  FROM life
  GROUP BY run_id, trace_id, graph_id, device
),
released AS (
  SELECT graph_id, device, sum(bytes) AS bytes FROM made WHERE is_again GROUP BY graph_id, device
)
SELECT
  i.run_id, i.trace_id, i.graph_id, i.device,
  r.bytes::BIGINT AS recorded_bytes,
  greatest(p.bytes, a.bytes)::BIGINT AS peak_bytes,
  i.bytes::BIGINT AS input_bytes,
  coalesce(d.bytes, 0)::BIGINT AS released_bytes
FROM input AS i
JOIN peak AS r ON r.graph_id = i.graph_id AND r.device = i.device AND NOT r.is_planned
JOIN peak AS p ON p.graph_id = i.graph_id AND p.device = i.device AND p.is_planned
LEFT JOIN again AS a ON a.graph_id = i.graph_id AND a.device = i.device
LEFT JOIN released AS d ON d.graph_id = i.graph_id AND d.device = i.device
ORDER BY i.graph_id, i.device
