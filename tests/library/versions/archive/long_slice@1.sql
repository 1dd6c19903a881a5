/* ---
name = "long_slice"
version = 1
title = "Slices longer than 5 ns"
grain = ["slice_id"]

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "Slice"

[changes]
1 = "version 1"
--- */
SELECT id AS slice_id
FROM slice
WHERE dur > 5
