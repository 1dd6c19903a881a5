/* ---
name = "inbox"
version = 1
title = "Files of inboxes and what became of them"
help = """
What `tw import --inbox` has seen: each file as it was when it was read last. A file that has changed
since is read again at the next look.
"""
grain = ["path"]
requires = { schema = ">=12" }
portable = true

[[column]]
name = "path"
type = "VARCHAR"
help = "The file"

[[column]]
name = "status"
type = "VARCHAR"
help = "imported; present: the same bytes were there already; ignored: no trace; failed"

[[column]]
name = "error"
type = "VARCHAR"
nullable = true
help = "Why it failed"

[[column]]
name = "n_traces"
type = "BIGINT"
unit = "count"
check = ">= 0"
help = "Traces it became"

[[column]]
name = "n_bytes"
type = "BIGINT"
unit = "byte"
help = "Its size"

[[column]]
name = "n_tries"
type = "BIGINT"
unit = "count"
check = "> 0"
help = "How often it was read"

[[column]]
name = "first_seen_at"
type = "TIMESTAMP"
unit = "UTC"
help = "When it was first read"

[[column]]
name = "last_tried_at"
type = "TIMESTAMP"
unit = "UTC"
help = "When it was last read"

[[column]]
name = "tw_version"
type = "VARCHAR"
help = "Program that read it last"

[changes]
1 = "First version"
--- */
SELECT
  path, status, error, cardinality(trace_ids)::BIGINT AS n_traces, n_bytes, n_tries,
  first_seen_at, last_tried_at, tw_version
FROM inbox_file
ORDER BY status = 'failed' DESC, last_tried_at DESC, path
