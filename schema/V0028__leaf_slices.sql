-- Slices that contain no other slice: queries that climb from slice to slice need not read them.

ALTER TABLE slice ADD COLUMN is_leaf BOOLEAN;
COMMENT ON COLUMN slice.is_leaf IS '[bool] true: no slice has it as its parent; NULL: one has, or it is not known';
UPDATE slice
SET is_leaf = true
WHERE NOT EXISTS (SELECT 1 FROM slice AS s WHERE s.parent_id = slice.id);
