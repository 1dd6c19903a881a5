/* ---
name = "pinned_to_old"
version = 1
title = "Slices by the old version"
grain = ["slice_id"]
requires = { queries = ["long_slice@1"] }

[[column]]
name = "slice_id"
type = "BIGINT"
unit = "ref slice.id"
help = "Slice"

[changes]
1 = "version 1"
--- */
SELECT slice_id
FROM long_slice()
ORDER BY slice_id
