-- From the lines of rocprofv3's CSV files to activities.
-- In: `capture`, and of each kind of record a view `…_line` (read.py): columns as the files head
-- them, lower case and without underscores; all texts. Out: the tables of gpu_activity/tables.sql.

-- Agents are numbered over all of them, `Agent 4`, or with --agent-index=type-relative in each kind,
-- `GPU 0`: then the kind belongs to the key.
CREATE OR REPLACE TEMP MACRO agent_key(agent_text) AS (
  coalesce(
    nullif(lower(regexp_replace(
      regexp_extract(agent_text, '^(?:CPU|GPU)\W*\d+$'), '\W*(\d+)$', ' \1'
    )), ''),
    nullif(regexp_extract(agent_text, '(\d+)$', 1), ''),
    agent_text
  )
);

-- Kernels, copies and allocations do not name their process. It is the one in the files' names; else
-- that of the calls beside them, if they are of one.
CREATE TABLE own AS
SELECT coalesce(
  (SELECT process FROM capture),
  (
    SELECT any_value(processid)
    FROM (
      SELECT processid FROM api_line
      UNION
      SELECT processid FROM counter_line
    )
    WHERE processid IS NOT NULL
    HAVING count(DISTINCT processid) = 1
  )
) AS process;

-- Files converted from rocpd hold several processes, distinguished by guid.
CREATE TABLE guid_process AS
SELECT guid, any_value(processid) AS process
FROM (
  SELECT guid, processid FROM api_line
  UNION
  SELECT guid, processid FROM counter_line
)
WHERE guid IS NOT NULL
GROUP BY guid
HAVING count(DISTINCT processid) = 1;

CREATE TABLE named_agent AS
SELECT DISTINCT agent_key(agentid) AS device
FROM (
  SELECT agentid FROM kernel_line
  UNION
  SELECT agentid FROM counter_line
  UNION
  SELECT agentid FROM allocation_line
  UNION
  SELECT sourceagentid FROM copy_line
  UNION
  SELECT destinationagentid FROM copy_line
)
WHERE agentid IS NOT NULL;

INSERT INTO device_info (
  device, kind, ordinal, name, vendor, uuid, n_compute_units, clock_hz, properties_json
)
SELECT
  CASE
    WHEN (SELECT bool_or(device LIKE '_pu %') FROM named_agent)
      THEN concat_ws(' ', lower(agenttype),
        row_number() OVER (PARTITION BY agenttype ORDER BY whole(nodeid), nodeid) - 1)
    ELSE nodeid
  END,
  CASE WHEN agenttype LIKE '%GPU%' THEN 'gpu' WHEN agenttype LIKE '%CPU%' THEN 'cpu'
    ELSE lower(agenttype) END,
  whole(nodeid),
  coalesce(nullif(productname, ''), name),
  CASE WHEN agenttype LIKE '%GPU%' THEN 'AMD' END,
  uuid,
  whole(cucount),
  nullif(TRY_CAST(maxengineclkfcompute AS DOUBLE), 0) * 1e6,
  json_object('name', name, 'vendor_name', vendorname, 'product_name', productname,
    'model_name', modelname)::VARCHAR
FROM agent_line
WHERE nodeid IS NOT NULL AND agenttype IS NOT NULL;

INSERT INTO device_info (device, kind, ordinal)
SELECT a.device, a.device[:3], whole(a.device[5:])
FROM named_agent AS a
ANTI JOIN device_info AS k ON k.device = a.device
WHERE a.device LIKE '_pu %';

INSERT INTO activity BY NAME
SELECT
  k.seq,
  'kernel' AS kind,
  'kernel' AS category,
  k.kernelname AS name,
  whole(k.starttimestamp) AS start_ns,
  whole(k.endtimestamp) AS end_ns,
  coalesce(g.process, o.process) AS process,
  agent_key(k.agentid) AS device,
  'queue ' || k.queueid AS track_name,
  whole(k.queueid) AS stream,
  whole(k.correlationid) AS correlation_id,
  blocks(whole(k.gridsizex), whole(k.workgroupsizex)) AS grid_x,
  blocks(whole(k.gridsizey), whole(k.workgroupsizey)) AS grid_y,
  blocks(whole(k.gridsizez), whole(k.workgroupsizez)) AS grid_z,
  whole(k.workgroupsizex) AS block_x,
  whole(k.workgroupsizey) AS block_y,
  whole(k.workgroupsizez) AS block_z,
  whole(k.vgprcount) AS registers,
  coalesce(whole(k.ldsblocksize), whole(k.groupsegmentsize)) AS shared_memory_bytes,
  concat_ws(' ', k.guid, agent_key(k.agentid), k.dispatchid) AS dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || whole(k.dispatchid),
    '"kernel_id":' || whole(k.kernelid),
    '"thread_id":' || whole(k.threadid),
    '"stream_id":' || whole(k.streamid),
    '"scratch_bytes":' || coalesce(whole(k.scratchsize), whole(k.privatesegmentsize)),
    '"accum_vgpr":' || whole(k.accumvgprcount),
    '"sgpr":' || whole(k.sgprcount)
  )) AS args_json
FROM kernel_line AS k
CROSS JOIN own AS o
LEFT JOIN guid_process AS g ON g.guid = k.guid;

-- The device other than the host: the destination of a copy, or else its source.
INSERT INTO activity BY NAME
SELECT
  c.seq,
  'memcpy' AS kind,
  'gpu_memcpy' AS category,
  c.direction AS name,
  whole(c.starttimestamp) AS start_ns,
  whole(c.endtimestamp) AS end_ns,
  coalesce(g.process, o.process) AS process,
  agent_key(CASE WHEN c.direction LIKE '%_TO_HOST' THEN c.sourceagentid ELSE c.destinationagentid
    END) AS device,
  'copies' || coalesce(' of stream ' || c.streamid, '') AS track_name,
  whole(c.correlationid) AS correlation_id,
  whole(c.copysize) AS bytes,
  copy_direction(c.direction) AS direction,
  json_of(concat_ws(',',
    '"stream_id":' || whole(c.streamid),
    '"source_agent":' || quoted(c.sourceagentid),
    '"destination_agent":' || quoted(c.destinationagentid)
  )) AS args_json
FROM copy_line AS c
CROSS JOIN own AS o
LEFT JOIN guid_process AS g ON g.guid = c.guid;

-- Calls. HIP is the runtime, HSA the driver below it.
INSERT INTO activity BY NAME
SELECT
  a.seq,
  CASE
    WHEN a.domain LIKE 'MARKER%' THEN 'range'
    WHEN a.domain LIKE 'RCCL%' AND communication_of(a.function) IS NOT NULL THEN 'collective'
    WHEN a.domain LIKE 'HIP%' OR a.domain LIKE 'HSA%' THEN 'call'
    ELSE 'other'
  END AS kind,
  CASE
    WHEN a.domain LIKE 'MARKER%' THEN 'user_annotation'
    WHEN a.domain LIKE 'HIP%' THEN 'hip_runtime'
    WHEN a.domain LIKE 'HSA%' THEN 'hsa_driver'
    ELSE lower(a.domain)
  END AS category,
  a.function AS name,
  whole(a.starttimestamp) AS start_ns,
  whole(a.endtimestamp) AS end_ns,
  a.processid AS process,
  whole(a.threadid) AS thread,
  whole(a.correlationid) AS correlation_id,
  CASE WHEN a.domain LIKE 'MARKER%' THEN a.domain END AS domain,
  json_of(concat_ws(',',
    '"domain":' || quoted(a.domain),
    '"correlation_id":' || whole(a.correlationid)
  )) AS args_json
FROM api_line AS a;

-- A release has neither size nor device: those of the last allocation at its address are used.
CREATE TABLE allocated AS
SELECT
  l.*,
  CASE WHEN address IS NOT NULL AND is_release
    THEN lag(CASE WHEN NOT is_release THEN record_bytes END) OVER same_address END AS before_bytes,
  coalesce(
    record_device, CASE WHEN address IS NOT NULL AND is_release THEN lag(record_device) OVER same_address END
  ) AS device
FROM (
  SELECT
    a.seq,
    a.operation,
    whole(a.starttimestamp) AS start_ns,
    whole(a.endtimestamp) AS end_ns,
    coalesce(g.process, o.process) AS process,
    whole(a.correlationid) AS correlation_id,
    a.agentid,
    agent_key(a.agentid) AS record_device,
    a.address AS record_address,
    address_of(a.address) AS address,
    whole(a.allocationsize) AS record_bytes,
    a.operation LIKE '%FREE%' AS is_release
  FROM allocation_line AS a
  CROSS JOIN own AS o
  LEFT JOIN guid_process AS g ON g.guid = a.guid
) AS l
WINDOW same_address AS (PARTITION BY l.process, l.address ORDER BY l.start_ns, l.seq);

INSERT INTO activity BY NAME
SELECT
  a.seq,
  'memory' AS kind,
  'memory' AS category,
  a.operation AS name,
  a.start_ns,
  a.end_ns,
  a.process,
  a.correlation_id,
  CASE WHEN a.is_release THEN minus(coalesce(nullif(a.record_bytes, 0), a.before_bytes))
    ELSE a.record_bytes END AS bytes,
  a.address,
  CASE d.kind WHEN 'cpu' THEN 'cpu' WHEN 'gpu' THEN 'hip' END AS device_kind,
  CASE WHEN d.kind = 'cpu' THEN -1
    ELSE coalesce(d.ordinal, whole(regexp_extract(a.device, '(\d+)$'))) END AS device_ordinal,
  json_of(concat_ws(',',
    '"agent":' || quoted(a.agentid),
    '"address":' || quoted(a.record_address),
    '"bytes":' || a.record_bytes,
    '"correlation_id":' || a.correlation_id
  )) AS args_json
FROM allocated AS a
-- Without a list of agents, those with work of theirs are GPUs.
LEFT JOIN (
  SELECT device, min(kind) AS kind, min(ordinal) AS ordinal
  FROM (
    SELECT device, kind, ordinal FROM device_info
    UNION
    SELECT device, 'gpu', NULL FROM activity WHERE kind = 'kernel'
  )
  GROUP BY device
) AS d ON d.device = a.device;

-- The runtime makes room for the scratch memory of kernels.
INSERT INTO activity BY NAME
SELECT
  s.seq,
  'other' AS kind,
  'scratch_memory' AS category,
  s.operation AS name,
  whole(s.starttimestamp) AS start_ns,
  whole(s.endtimestamp) AS end_ns,
  coalesce(g.process, o.process) AS process,
  whole(s.threadid) AS thread,
  json_of(concat_ws(',',
    '"agent":' || quoted(s.agentid),
    '"queue":' || whole(s.queueid),
    '"flags":' || quoted(s.allocflags),
    '"bytes":' || whole(s.allocationsize)
  )) AS args_json
FROM scratch_use_line AS s
CROSS JOIN own AS o
LEFT JOIN guid_process AS g ON g.guid = s.guid;

-- Counters: each line repeats its dispatch, which the trace of kernels may have, too.
CREATE TABLE counted AS
SELECT
  c.seq,
  c.countername,
  TRY_CAST(c.countervalue AS DOUBLE) AS value,
  c.kernelname,
  whole(c.starttimestamp) AS start_ns,
  whole(c.endtimestamp) AS end_ns,
  c.processid,
  c.threadid,
  agent_key(c.agentid) AS device,
  c.queueid,
  whole(c.correlationid) AS correlation_id,
  whole(c.gridsize) AS work_items,
  whole(c.workgroupsize) AS workgroup,
  c.ldsblocksize,
  c.scratchsize,
  c.vgprcount,
  c.accumvgprcount,
  c.sgprcount,
  c.kernelid,
  whole(c.dispatchid) AS ordinal,
  concat_ws(' ', c.guid, agent_key(c.agentid), c.dispatchid) AS dispatch
FROM counter_line AS c;

-- Counters streamed over time name no agent: a dispatch's number is the process's.
UPDATE counted SET dispatch = a.dispatch, device = a.device
FROM (
  SELECT whole(regexp_extract(dispatch, '(\d+)$', 1)) AS ordinal, any_value(dispatch) AS dispatch,
    any_value(device) AS device
  FROM activity
  WHERE kind = 'kernel'
  GROUP BY ordinal
) AS a
WHERE counted.device IS NULL AND counted.kernelname IS NULL AND a.ordinal = counted.ordinal;

CREATE TABLE dispatched AS
SELECT c.*
FROM counted AS c
ANTI JOIN (SELECT dispatch FROM activity WHERE kind = 'kernel') AS k ON k.dispatch = c.dispatch
QUALIFY row_number() OVER (PARTITION BY c.dispatch ORDER BY c.seq) = 1;

-- Sizes are given in all, not for each dimension.
INSERT INTO activity BY NAME
SELECT
  seq,
  'kernel' AS kind,
  'kernel' AS category,
  kernelname AS name,
  start_ns,
  end_ns,
  coalesce(processid, (SELECT process FROM own)) AS process,
  device,
  'queue ' || queueid AS track_name,
  whole(queueid) AS stream,
  correlation_id,
  blocks(work_items, workgroup) AS grid_x,
  1 AS grid_y,
  1 AS grid_z,
  workgroup AS block_x,
  1 AS block_y,
  1 AS block_z,
  whole(vgprcount) AS registers,
  whole(ldsblocksize) AS shared_memory_bytes,
  dispatch,
  json_of(concat_ws(',',
    '"dispatch_id":' || ordinal,
    '"kernel_id":' || whole(kernelid),
    '"thread_id":' || whole(threadid),
    '"scratch_bytes":' || whole(scratchsize),
    '"accum_vgpr":' || whole(accumvgprcount),
    '"sgpr":' || whole(sgprcount)
  )) AS args_json
FROM dispatched
WHERE start_ns IS NOT NULL;

INSERT INTO leftover
SELECT
  row_number() OVER (ORDER BY seq) - 1,
  'dispatch',
  json_object('dispatch_id', ordinal, 'kernel_name', kernelname, 'agent', device,
    'grid_size', work_items, 'workgroup_size', workgroup)::VARCHAR
FROM dispatched
WHERE start_ns IS NULL;

INSERT INTO not_used
SELECT 'dispatches without a time', count(*) FROM leftover
UNION ALL
SELECT 'summary files', n FROM capture
UNION ALL
SELECT 'program counter samples', count(*) FROM pc_sample_line;

INSERT INTO defect
SELECT 'no_timestamps', 'note', count(*),
  'dispatches with counters but without times; their values are not attached to a slice'
FROM leftover;

INSERT INTO figure
SELECT seq, dispatch, device, ordinal, coalesce(countername, '?'), value, NULL
FROM counted;

-- A line of counters is a figure; a dispatch that only such lines name is a record, too.
INSERT INTO record_count
SELECT 'kernels', count(*) FROM kernel_line
UNION ALL
SELECT 'copies', count(*) FROM copy_line
UNION ALL
SELECT 'calls', count(*) FROM api_line
UNION ALL
SELECT 'allocations', count(*) FROM allocation_line
UNION ALL
SELECT 'scratch memory', count(*) FROM scratch_use_line
UNION ALL
SELECT 'values of counters', count(*) FROM counter_line
UNION ALL
SELECT 'dispatches with counters alone', count(*) FROM dispatched
UNION ALL
SELECT 'program counter samples', count(*) FROM pc_sample_line
UNION ALL
SELECT 'summary files', n FROM capture;
