-- Values that events measure: counters, memory, hardware counters, and remote calls.
-- In: `span`, `event`, `class_rule`. Out: `reading`, `reading_track`, `memory_row`, `metric_row`,
-- `call_row`; rows of `derived`.

CREATE TABLE measuring AS
SELECT s.rowid AS slice_n, s.seq, s.ts, s.track_n, s.name, s.meaning, c.event, e.payload, e.pid, e.tid
FROM span AS s
JOIN class_rule AS c USING (class_n)
JOIN event AS e USING (seq)
WHERE s.meaning IN (
  'allocator', 'allocator_bin', 'queue_size', 'driver_memory', 'pool_memory', 'heap', 'metric',
  'parameters', 'rpc_send', 'rpc_recv', 'rpc_client', 'rpc_server', 'encode'
);

-- Allocations and releases: a release has no size of its own, it is that of the last allocation there.
CREATE TABLE memory_row AS
WITH change AS (
  SELECT
    slice_n, seq, ts, track_n, event AS name, pid,
    CASE
      WHEN meaning = 'driver_memory' THEN 'driver'
      WHEN meaning = 'pool_memory' THEN 'pool' ELSE 'heap'
    END AS source,
    CASE meaning
      WHEN 'driver_memory' THEN hexadecimal(field_text(payload, '$.ptr'))
      WHEN 'heap' THEN TRY_CAST(field_text(payload,
        CASE event WHEN 'posix_memalign' THEN '$.out_ptr' WHEN 'realloc' THEN '$.ptr' ELSE '$.ptr' END
      ) AS UBIGINT)
      ELSE TRY_CAST(field_text(payload, '$.ptr') AS UBIGINT)
    END AS address,
    CASE
      WHEN event IN ('pool_memory_free', 'free') THEN NULL
      WHEN event = 'memory_deallocate' THEN -abs(field_number(payload, '$.bytes'))
      WHEN meaning = 'driver_memory' THEN field_number(payload, '$.bytes')
      WHEN event = 'calloc' THEN TRY_CAST(
        field_number(payload, '$.nmemb')::HUGEINT * field_number(payload, '$.size') AS BIGINT)
      ELSE field_number(payload, '$.size')
    END AS bytes,
    event IN ('pool_memory_free', 'free') AS is_release,
    field_text(payload, '$.device') AS device,
    TRY_CAST(field_text(payload, '$.handle') AS UBIGINT) AS handle
  FROM measuring
  WHERE meaning IN ('driver_memory', 'pool_memory', 'heap')
),
-- realloc also releases its argument.
freed AS (
  SELECT m.slice_n, m.seq, m.ts, m.track_n, m.event AS name, m.pid, 'heap' AS source,
    TRY_CAST(field_text(m.payload, '$.in_ptr') AS UBIGINT) AS address, NULL::BIGINT AS bytes,
    true AS is_release, NULL AS device, NULL AS handle
  FROM measuring AS m
  WHERE m.event = 'realloc'
),
known AS (
  SELECT
    *,
    last_value(CASE WHEN NOT is_release THEN bytes END IGNORE NULLS) OVER place AS last_bytes,
    last_value(CASE WHEN NOT is_release THEN handle END IGNORE NULLS) OVER place AS last_handle,
    lag(is_release, 1, true) OVER (
      PARTITION BY source, pid, address ORDER BY ts, seq, is_release DESC
    ) AS was_free
  FROM (SELECT * FROM change UNION ALL SELECT * FROM freed)
  WINDOW place AS (
    PARTITION BY source, pid, address ORDER BY ts, seq, is_release DESC
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
)
SELECT
  slice_n,
  seq,
  ts,
  track_n,
  name,
  address,
  CASE WHEN NOT is_release THEN bytes WHEN NOT was_free THEN -last_bytes END AS bytes,
  NULL::BIGINT AS total_bytes,
  NULL::BIGINT AS reserved_bytes,
  CASE source WHEN 'heap' THEN 'cpu' WHEN 'pool' THEN 'hsa_pool' ELSE device_kind(device) END
    AS device_kind,
  CASE source
    WHEN 'heap' THEN -1
    WHEN 'pool' THEN TRY_CAST(if(is_release, last_handle, handle) AS BIGINT)
    ELSE device_ordinal(device)
  END AS device_ordinal,
  source,
  if(is_release, last_handle, handle) AS handle
FROM known
WHERE address <> 0 OR NOT is_release
UNION ALL
SELECT
  m.slice_n, m.seq, m.ts, m.track_n, m.event, NULL, NULL,
  field_number(m.payload, '$.bytes_in_use'), NULL,
  lower(regexp_extract(field_text(m.payload, '$.allocator_name'), '(?i)^(gpu|cpu)', 1)) || '_allocator',
  coalesce(TRY_CAST(regexp_extract(field_text(m.payload, '$.allocator_name'), '_(\d+)_', 1) AS BIGINT), 0),
  'allocator', NULL
FROM measuring AS m
WHERE m.event = 'bfc_allocator_stats';

-- Counters, by series: the fields of allocators, sizes of queues, bytes of pools and of devices.
CREATE TABLE reading AS
SELECT seq, ts, series, unit, value
FROM (
  SELECT
    seq, ts,
    field_text(payload, '$.allocator_name') || ' '
      || CASE meaning WHEN 'allocator_bin' THEN 'bin ' || field_text(payload, '$.bin_numero') || ' ' ELSE '' END
      || key AS series,
    if(contains(key, 'bytes') OR contains(key, 'size'), 'byte', 'count') AS unit,
    TRY_CAST(json_extract_string(payload, '$."' || key || '"') AS DOUBLE) AS value
  FROM (
    SELECT *, unnest(json_keys(payload)) AS key FROM measuring WHERE meaning IN ('allocator', 'allocator_bin')
  )
  WHERE key NOT IN ('allocator_name', 'bin_numero')
  UNION ALL
  SELECT seq, ts, 'queue ' || coalesce(field_text(payload, '$.queue_id'), ''), 'count',
    field_number(payload, '$.size')
  FROM measuring WHERE meaning = 'queue_size'
  UNION ALL
  SELECT seq, ts, if(source = 'pool', 'HSA pool ' || coalesce(handle::VARCHAR, ''), 'driver memory of '
      || coalesce(device_kind, '') || ' ' || coalesce(device_ordinal, 0)), 'byte',
    sum(coalesce(bytes, 0)) OVER (PARTITION BY source, handle, device_kind, device_ordinal ORDER BY ts, seq)
  FROM memory_row WHERE source IN ('pool', 'driver')
)
WHERE series IS NOT NULL;

CREATE TABLE reading_track AS
SELECT
  (SELECT count(*) FROM track_number) + (SELECT count(*) FROM loss_track)
    + row_number() OVER (ORDER BY series) - 1 AS track_n,
  series, any_value(unit) AS unit
FROM reading
GROUP BY series;

INSERT INTO derived SELECT 'counter', count(*) FROM reading;

-- Hardware counters belong to the dispatch whose parameters were recorded before them.
CREATE TABLE metric_row AS
WITH dispatch AS (
  SELECT *, count(CASE WHEN meaning = 'parameters' THEN 1 END) OVER (ORDER BY ts, seq) - 1 AS ordinal
  FROM measuring
  WHERE meaning IN ('metric', 'parameters')
),
kernel AS (
  SELECT s.rowid AS slice_n, row_number() OVER (ORDER BY s.ts, s.seq) - 1 AS ordinal,
    count(*) OVER () AS n_kernels
  FROM span AS s
  JOIN work AS w ON w.seq = s.seq
  WHERE w.provider = 'interceptionTracer'
)
SELECT
  row_number() OVER (ORDER BY d.ts, d.seq) - 1 AS metric_n,
  k.slice_n,
  d.ordinal,
  field_text(d.payload, '$.counter_name') AS name,
  TRY_CAST(field_text(d.payload, '$.value') AS DOUBLE) AS value,
  if(k.slice_n IS NULL, 'none', 'ordinal') AS match_status
FROM dispatch AS d
LEFT JOIN kernel AS k
  ON k.ordinal = d.ordinal
  AND k.n_kernels = (SELECT count(*) FROM measuring WHERE meaning = 'parameters')
WHERE d.meaning = 'metric';

-- Counters of RCP: the k-th dispatch of a name is the k-th kernel of that name.
CREATE TABLE rcp_match AS
SELECT d.n, d.name, d.cells_json, k.slice_n
FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY n) AS k FROM rcp_dispatch) AS d
LEFT JOIN (
  SELECT s.rowid AS slice_n, w.name, row_number() OVER (PARTITION BY w.name ORDER BY s.ts, s.seq) AS k
  FROM span AS s
  JOIN work AS w ON w.seq = s.seq
  WHERE w.provider = 'hcTracer' AND w.meaning = 'kernel'
) AS k ON k.name = d.name AND k.k = d.k;

INSERT INTO problem
SELECT 'unmatched_counters', 'warning', count(*),
  'dispatches in the file of counters without a kernel of their name in the trace'
FROM rcp_match WHERE slice_n IS NULL;

-- Dependencies of barriers in HCC's log: an arrow from the end of the awaited work.
CREATE TABLE arrow AS
WITH logged AS (
  SELECT s.rowid AS slice_n, s.track_n, s.ts, s.dur, w.id
  FROM span AS s
  JOIN work AS w ON w.seq = s.seq
  WHERE w.meaning IN ('kernel', 'barrier') AND EXISTS (FROM log_dependency)
)
SELECT
  row_number() OVER (ORDER BY a.slice_n, b.slice_n) - 1 AS arrow_n,
  b.slice_n AS from_n, b.track_n AS from_track_n, b.ts + greatest(b.dur, 0) AS from_ts,
  a.slice_n AS to_n, a.track_n AS to_track_n, a.ts AS to_ts
FROM log_dependency AS d
JOIN logged AS a ON a.id = d.id
JOIN logged AS b ON b.id = d.depends_on
WHERE a.slice_n <> b.slice_n;

INSERT INTO derived SELECT 'flow_point', 2 * count(*) FROM arrow;

-- Remote calls: what both sides know a call by, and how often they did before. Plain requests have no
-- key but their name, to which older trees append Handler where it is received.
CREATE TABLE call_row AS
WITH keyed AS (
  SELECT
    *,
    CASE meaning WHEN 'rpc_send' THEN 'send' WHEN 'rpc_recv' THEN 'recv' WHEN 'rpc_client' THEN 'client'
      WHEN 'rpc_server' THEN 'server' END AS kind,
    coalesce(
      field_text(payload, '$.rendezvous_key'),
      regexp_replace(field_text(payload, '$.name'), 'Handler$', '')
    ) AS rpc_key
  FROM measuring
  WHERE meaning LIKE 'rpc\_%' ESCAPE '\'
),
encoded AS (
  SELECT k.slice_n, sum(field_number(e.payload, '$.size'))::BIGINT AS bytes
  FROM measuring AS e
  ASOF JOIN (
    SELECT k.slice_n, k.ts, k.ts + s.dur AS end_ts, k.pid, coalesce(k.tid, -1) AS tid
    FROM keyed AS k JOIN span AS s ON s.rowid = k.slice_n
    WHERE k.kind = 'server'
  ) AS k ON k.tid = coalesce(e.tid, -1) AND k.ts <= e.ts
  WHERE e.meaning = 'encode' AND e.ts <= k.end_ts
  GROUP BY k.slice_n
)
SELECT
  k.slice_n,
  k.kind,
  k.rpc_key,
  row_number() OVER (PARTITION BY k.kind, k.rpc_key ORDER BY k.ts, k.seq) - 1 AS occurrence,
  CASE
    WHEN k.kind IN ('send', 'client') THEN nullif(split_part(k.rpc_key, ';', 1), k.rpc_key)
    ELSE nullif(split_part(k.rpc_key, ';', 3), '')
  END AS peer,
  e.bytes,
  coalesce(
    field_number(k.payload, '$.step_id'),
    TRY_CAST(regexp_extract(field_text(k.payload, '$.request'), 'step_id: (-?\d+)', 1) AS BIGINT)
  ) AS step_number
FROM keyed AS k
LEFT JOIN encoded AS e USING (slice_n);
