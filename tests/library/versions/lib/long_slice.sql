/* ---
name = "long_slice"
version = 2
title = "Slices of at least 5 ns"
grain = ["slice_id"]

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "Slice"

[changes]
2 = "version 2"
1 = "version 1"
--- */
SELECT id AS slice_id
FROM slice
WHERE dur >= 5
