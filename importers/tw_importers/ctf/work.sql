-- Properties of device work: device and queue, kind, size and grid.
-- In: `bare_span`, `event`, `class_rule`. Out: `work`, `queued`.

CREATE TABLE work AS
WITH read AS (
  SELECT
    b.seq, b.at_ns, b.pid, c.provider, c.event, c.meaning, e.name,
    -- All at once: each extraction parses the text again.
    json_extract_string(e.payload, [
      '$.workgroup_size[0]', '$.workgroup_size[1]', '$.workgroup_size[2]', '$.grid_size[0]',
      '$.grid_size[1]', '$.grid_size[2]', '$.workitem_vgpr_count', '$.static_group_segment_size',
      '$.size_bytes', '$.queue_id', '$.agent_handle', '$.id', '$.details', '$.tf_name'
    ]) AS texts
  FROM bare_span AS b
  JOIN class_rule AS c USING (class_n)
  JOIN event AS e USING (seq)
  WHERE c.meaning IN ('kernel', 'copy', 'barrier') AND b.step = 1
),
typed AS (
  SELECT
    * EXCLUDE (texts),
    list_transform(texts[:10], lambda x: TRY_CAST(x AS BIGINT)) AS n,
    texts[11] AS agent,
    texts[12] AS id,
    texts[13] AS details,
    nullif(texts[14], '') AS tf_name
  FROM read
)
SELECT
  seq, at_ns, pid, provider, event, meaning, name, id, tf_name,
  CASE provider
    WHEN 'interceptionTracer' THEN agent ELSE coalesce(regexp_extract(id, '^#(\d+)\.', 1), '')
  END AS device,
  CASE provider
    WHEN 'interceptionTracer' THEN n[10]
    ELSE TRY_CAST(regexp_extract(id, '^#\d+\.(\d+)\.', 1) AS BIGINT)
  END AS queue,
  CASE
    WHEN meaning = 'barrier' THEN 'sync'
    WHEN meaning = 'copy' THEN if(contains(name, 'Memset') OR contains(details, 'MEMSET'), 'memset', 'memcpy')
    WHEN contains(name, 'Memset') THEN 'memset'
    ELSE 'kernel'
  END AS kind,
  CASE
    WHEN details LIKE 'MEMCPY%' THEN regexp_extract(details, '^MEMCPY([A-Z][A-Za-z]+) ', 1)
    WHEN meaning <> 'copy' THEN NULL
    WHEN contains(name, 'HostToDevice') THEN 'HtoD'
    WHEN contains(name, 'DeviceToHost') THEN 'DtoH'
    WHEN contains(name, 'DeviceToDevice') THEN 'DtoD'
    WHEN contains(name, 'PeerToPeer') THEN 'PtoP'
    WHEN contains(name, 'HostToHost') THEN 'HtoH'
  END AS direction,
  abs(coalesce(
    n[9],
    TRY_CAST(regexp_extract(details, ' (\d+) bytes', 1) AS BIGINT)
  )) AS bytes,
  nullif(regexp_extract(details, '\((\w+) to (\w+)\)', 1), '') AS source_memory,
  nullif(regexp_extract(details, '\((\w+) to (\w+)\)', 2), '') AS destination_memory,
  n[1] AS block_x,
  n[2] AS block_y,
  n[3] AS block_z,
  n[4] // nullif(n[1], 0) AS grid_x,
  n[5] // nullif(n[2], 0) AS grid_y,
  n[6] // nullif(n[3], 0) AS grid_z,
  n[7] AS registers,
  n[8] AS shared_bytes
FROM typed;

-- When work was queued and submitted: the same place in order as its begin, among equal names.
CREATE TABLE queued AS
WITH asked AS (
  SELECT
    b.seq, b.at_ns, b.pid, c.provider, c.event, coalesce(e.name, '') AS name,
    regexp_extract(c.event, '^(kernel|device)_', 1) AS what,
    row_number() OVER (PARTITION BY b.pid, c.provider, c.event, e.name ORDER BY b.at_ns, b.seq) AS n
  FROM bare_span AS b
  JOIN class_rule AS c USING (class_n)
  JOIN event AS e USING (seq)
  WHERE c.meaning = 'queued'
),
done AS (
  SELECT
    seq, at_ns, pid, provider, coalesce(name, '') AS name,
    regexp_extract(event, '^(kernel|device)_', 1) AS what,
    row_number() OVER (PARTITION BY pid, provider, event, name ORDER BY at_ns, seq) AS n
  FROM work
)
SELECT a.seq, d.seq AS work_seq, a.event LIKE '%\_queued' ESCAPE '\' AS is_queued, d.at_ns - a.at_ns AS before_ns
FROM asked AS a
JOIN done AS d
  ON d.provider = a.provider AND d.what = a.what AND d.n = a.n AND d.name = a.name
  AND d.pid IS NOT DISTINCT FROM a.pid;
