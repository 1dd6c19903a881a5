-- What the record of scheduled runs needs: who asked, when it was claimed, whether the output was pruned.

ALTER TABLE schedule_run ADD COLUMN origin VARCHAR DEFAULT 'due';
COMMENT ON COLUMN schedule_run.origin IS '[text] due: its time had come; manual: somebody asked for it';
ALTER TABLE schedule_run ADD COLUMN claimed_at TIMESTAMP;
COMMENT ON COLUMN schedule_run.claimed_at IS '[UTC] when a process took it';
ALTER TABLE schedule_run ADD COLUMN removed_at TIMESTAMP;
COMMENT ON COLUMN schedule_run.removed_at IS '[UTC] when the output was removed because newer ones were to be kept; NULL while it is there';
COMMENT ON COLUMN schedule_run.claimed_by IS '[text] HOST:PID:START of the process that took it';
COMMENT ON COLUMN schedule_run.due_at IS '[UTC] when it was to run; of a manual one, when it was asked for';
