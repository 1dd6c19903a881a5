-- The order of allocations at one time on several threads is that of the source.

ALTER TABLE memory_event ADD COLUMN source_order BIGINT;
COMMENT ON COLUMN memory_event.source_order IS '[count] position of the record in the source; NULL: not recorded';
