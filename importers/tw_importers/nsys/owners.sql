-- The process and GPU of records, where the export has them in another table than the record. In: the tables of tables.py. Out: the same, with globalPid and deviceId filled in.

-- Device work that names no process is that of the only process that made calls.
CREATE TABLE sole_process AS
SELECT any_value(globalTid & ~16777215) AS global_pid
FROM api
WHERE globalTid IS NOT NULL
HAVING count(DISTINCT globalTid & ~16777215) = 1;

UPDATE kernel SET globalPid = s.global_pid FROM sole_process AS s WHERE globalPid IS NULL;

UPDATE memcpy SET globalPid = s.global_pid FROM sole_process AS s WHERE globalPid IS NULL;

UPDATE memset SET globalPid = s.global_pid FROM sole_process AS s WHERE globalPid IS NULL;

UPDATE sync_op SET globalPid = s.global_pid FROM sole_process AS s WHERE globalPid IS NULL;

UPDATE graph_trace SET globalPid = s.global_pid FROM sole_process AS s WHERE globalPid IS NULL;

-- CUDA numbers the GPUs each process can see from 0: what is 0 in one process is another GPU in the
-- next one, where CUDA_VISIBLE_DEVICES differs. Then the tool's own numbers stand for the GPUs, else
-- CUDA's.
CREATE TABLE gpu_ordinal AS
SELECT
  d.pid,
  d.cudaId AS cuda_id,
  d.gpuId AS gpu_id,
  (
    SELECT count(DISTINCT cudaId) < count(DISTINCT (cudaId, gpuId))
      OR count(DISTINCT gpuId) < count(DISTINCT (cudaId, gpuId))
    FROM cuda_device
  ) AS is_ambiguous
FROM cuda_device AS d
WHERE d.cudaId IS NOT NULL AND d.gpuId IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY d.pid, d.cudaId ORDER BY d.rowid) = 1;

CREATE TABLE renumbered AS
SELECT pid, cuda_id, gpu_id FROM gpu_ordinal WHERE is_ambiguous AND cuda_id <> gpu_id;

UPDATE kernel SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE memcpy SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE memset SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE sync_op SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE graph_trace SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE memory_usage SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;

UPDATE gpu_fault SET deviceId = r.gpu_id FROM renumbered AS r
WHERE r.pid = globalPid >> 24 & 16777215 AND r.cuda_id = deviceId;
