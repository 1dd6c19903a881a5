-- Which tracks of a Kineto trace are streams, and of which devices.
-- In: `track_number` (trace_event/prepare.sql), `event`, `source_trace`.

-- Collectives are device work, but for those of XPU, which are calls of threads.
CREATE TABLE collective_place AS
SELECT DISTINCT c.trace_n, c.pid, c.tid
FROM event_kind AS c
ANTI JOIN (SELECT trace_n, pid FROM event_kind WHERE is_on_host(cat)) AS h
  ON h.trace_n = c.trace_n AND h.pid IS NOT DISTINCT FROM c.pid
WHERE c.cat = 'collective_comm';

UPDATE track_number SET is_device = true
FROM collective_place AS c
WHERE c.trace_n = track_number.trace_n
  AND c.pid IS NOT DISTINCT FROM track_number.pid
  AND c.tid IS NOT DISTINCT FROM track_number.tid;

-- The pid of device work is its device and its tid the stream, unless `args` has others. One event
-- of each track is enough.
INSERT INTO stream_number
SELECT
  p.track_n,
  -- the device's ordinal; becomes a reference below
  coalesce(TRY_CAST(json_extract_string(s.args, '$.device') AS BIGINT), p.pid_number) AS device_n,
  coalesce(TRY_CAST(json_extract_string(s.args, '$.stream') AS BIGINT), p.tid_number) AS stream
FROM track_number AS p
LEFT JOIN (
  SELECT seq >> 32 AS trace_n, pid, tid, arg_min(args, seq) AS args
  FROM event
  WHERE (is_on_device(cat) OR cat = 'collective_comm') AND cat <> 'gpu_user_annotation'
  GROUP BY seq >> 32, pid, tid
) AS s
  ON s.trace_n = p.trace_n
  AND s.pid IS NOT DISTINCT FROM p.pid
  AND s.tid IS NOT DISTINCT FROM p.tid
WHERE p.is_device
  AND coalesce(TRY_CAST(json_extract_string(s.args, '$.device') AS BIGINT), p.pid_number)
    IS NOT NULL;

-- Devices that the file describes, and those that only their work names.
INSERT INTO device_number
WITH described AS (
  SELECT
    trace_n,
    TRY_CAST(json_extract_string(properties, '$.id') AS BIGINT) AS ordinal,
    arg_max(properties, length(properties)) AS properties
  FROM (
    SELECT
      trace_n,
      unnest(json_extract(metadata_json, '$.deviceProperties[*]'))::VARCHAR AS properties
    FROM source_trace
  )
  GROUP BY trace_n, ordinal
  HAVING ordinal IS NOT NULL
),
used AS (
  SELECT trace_n, ordinal FROM described
  UNION
  SELECT track_n >> 32, device_n FROM stream_number
),
mtia AS (
  SELECT DISTINCT trace_n, json_number(pid) AS ordinal FROM event_kind WHERE cat = 'mtia_ccp_events'
)
SELECT
  (k.trace_n << 32) + row_number() OVER (PARTITION BY k.trace_n ORDER BY k.ordinal) - 1,
  CASE WHEN m.ordinal IS NOT NULL THEN 'mtia' ELSE 'gpu' END,
  k.ordinal,
  json_extract_string(d.properties, '$.name'),
  CASE
    WHEN json_extract_string(d.properties, '$.name') ILIKE '%nvidia%' THEN 'NVIDIA'
    WHEN json_extract_string(d.properties, '$.name') ILIKE 'amd%' THEN 'AMD'
    WHEN json_extract_string(d.properties, '$.name') ILIKE '%intel%' THEN 'Intel'
  END,
  TRY_CAST(json_extract_string(d.properties, '$.totalGlobalMem') AS BIGINT),
  TRY_CAST(json_extract_string(d.properties, '$.numSms') AS BIGINT),
  d.properties
FROM used AS k
LEFT JOIN described AS d ON d.trace_n = k.trace_n AND d.ordinal = k.ordinal
LEFT JOIN mtia AS m ON m.trace_n = k.trace_n AND m.ordinal = k.ordinal;

UPDATE stream_number SET device_n = d.device_n
FROM device_number AS d
WHERE d.ordinal = stream_number.device_n AND (d.device_n >> 32) = (stream_number.track_n >> 32);
