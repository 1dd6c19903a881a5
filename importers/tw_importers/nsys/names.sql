-- What the numbers of an export mean. Most exports have tables ENUM_… for this, older ones have not,
-- and the numbers mean the same in all of them.

CREATE TABLE copy_kind AS
FROM (VALUES
  (1, 'HtoD', false), (2, 'DtoH', false), (3, 'HtoA', false), (4, 'AtoH', false),
  (5, 'AtoA', false), (6, 'AtoD', false), (7, 'DtoA', false), (8, 'DtoD', false),
  (9, 'HtoH', false), (10, 'PtoP', false), (11, 'HtoD', true), (12, 'DtoH', true),
  (13, 'DtoD', true)
) AS k(id, direction, is_unified);

CREATE TABLE memory_kind AS
FROM (VALUES
  (0, 'Pageable'), (1, 'Pinned'), (2, 'Device'), (3, 'Array'), (4, 'Managed'),
  (5, 'Device Static'), (6, 'Managed Static'), (7, 'Unknown')
) AS k(id, name);

CREATE TABLE sync_kind AS
FROM (VALUES
  (1, 'Event Sync'), (2, 'Stream Wait Event'), (3, 'Stream Sync'), (4, 'Context Sync')
) AS k(id, name);

-- Events of NVTX that are ranges and instants; the second number of each is of recordings that were
-- converted from texts (NVTXT).
CREATE TABLE nvtx_style AS
FROM (VALUES
  (34, 'mark'), (65, 'mark'), (59, 'push_pop'), (70, 'push_pop'), (60, 'start_end'), (71, 'start_end')
) AS k(event_type, style);

-- Those that name categories, threads, processes, domains, and devices, contexts and streams of CUDA.
CREATE TABLE nvtx_naming AS
SELECT unnest([33, 39, 64, 72, 73, 74, 75, 76, 97, 98, 99]) AS event_type;

-- The kind of wait of a call, by its name.
CREATE MACRO sync_kind_of_call(name) AS (
  CASE
    WHEN name ~ '^cu(da)?(Device|Ctx|Thread)Synchronize.*' THEN 'Context Sync'
    WHEN name ~ '^cu(da)?StreamSynchronize.*' THEN 'Stream Sync'
    WHEN name ~ '^cu(da)?EventSynchronize.*' THEN 'Event Sync'
    WHEN name ~ '^cu(da)?StreamWaitEvent.*' THEN 'Stream Wait Event'
  END
);

-- Calls are shown without the version of the interface that CUPTI appends, if it has four digits, as in
-- the reports of nsys: cudaMemcpy_v3020, but cudaGraphLaunch_v10000.
CREATE TABLE name AS
SELECT
  id,
  value,
  regexp_replace(value, '_v\d{4}$', '') AS shown,
  -- of kernels: one of NCCL or RCCL
  contains(lower(value), 'nccl') OR contains(lower(value), 'rccl') AS is_communication
FROM string
WHERE id IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY id ORDER BY rowid) = 1;
