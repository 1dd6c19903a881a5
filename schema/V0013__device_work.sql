-- What profilers of GPUs say of kernels, copies, calls and ranges beyond what PyTorch's does.

ALTER TABLE gpu_op ADD COLUMN base_name VARCHAR;
COMMENT ON COLUMN gpu_op.base_name IS '[text] a kernel''s name without arguments and template parameters; NULL: the source has but one name';
ALTER TABLE gpu_op ADD COLUMN mangled_name VARCHAR;
COMMENT ON COLUMN gpu_op.mangled_name IS '[text] a kernel''s name as the linker knows it; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN static_shared_memory_bytes BIGINT;
COMMENT ON COLUMN gpu_op.static_shared_memory_bytes IS '[byte] shared memory a block, the part fixed when it was compiled; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN dynamic_shared_memory_bytes BIGINT;
COMMENT ON COLUMN gpu_op.dynamic_shared_memory_bytes IS '[byte] shared memory a block, the part asked for at the launch; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN source_memory_kind VARCHAR;
COMMENT ON COLUMN gpu_op.source_memory_kind IS '[text] of a copy: the memory it reads; of a memset: the memory it sets: Pageable, Pinned, Device, Array, Managed, ...; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN destination_memory_kind VARCHAR;
COMMENT ON COLUMN gpu_op.destination_memory_kind IS '[text] of a copy: the memory it writes; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN green_context_id BIGINT;
COMMENT ON COLUMN gpu_op.green_context_id IS '[source id] the part of a device''s context it ran in; NULL: the whole';
ALTER TABLE gpu_op ADD COLUMN is_unified BOOLEAN;
COMMENT ON COLUMN gpu_op.is_unified IS '[bool] whether a copy is a migration of managed memory; NULL: not said';
ALTER TABLE gpu_op ADD COLUMN virtual_address UBIGINT;
COMMENT ON COLUMN gpu_op.virtual_address IS '[address] of managed memory that migrated; NULL: not said';
ALTER TABLE launch ADD COLUMN result BIGINT;
COMMENT ON COLUMN launch.result IS '[source id] what the call returned, 0 for success; NULL: not said';
ALTER TABLE annotation ADD COLUMN style VARCHAR;
COMMENT ON COLUMN annotation.style IS '[text] push_pop: nests on its thread; start_end: may cross others and threads; mark: an instant; NULL: not said';
ALTER TABLE annotation ADD COLUMN category VARCHAR;
COMMENT ON COLUMN annotation.category IS '[text] what its domain files it under; NULL: nothing';
ALTER TABLE thread ADD COLUMN priority BIGINT;
COMMENT ON COLUMN thread.priority IS '[count] priority the system gave it; NULL: not said';
