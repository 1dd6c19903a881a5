/* ---
name = "inbox"
version = 1
title = "Inbox files and the result of importing them"
help = """
What `tw import --inbox` recorded: each file as of when it was last read. A file that has changed
since is read again on the next pass.
"""
grain = ["path"]
requires = { schema = ">=12" }
scale = "sql"
columns = [
  "path", "status", "error", "n_traces", "n_bytes", "n_tries", "first_seen_at", "last_tried_at",
  "tw_version",
]

[column]
path = { type = "VARCHAR", help = "File path" }
error = { type = "VARCHAR", nullable = true, help = "Error message of a failed import, or what of a damaged file could not be read" }
n_traces = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of imported traces" }
n_bytes = { type = "BIGINT", unit = "byte", help = "File size" }
n_tries = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of import attempts" }
first_seen_at = { type = "TIMESTAMP", unit = "UTC", help = "When the file was first read" }
last_tried_at = { type = "TIMESTAMP", unit = "UTC", help = "When the file was last read" }
tw_version = { type = "VARCHAR", help = "Program version that read it last" }

[column.status]
type = "VARCHAR"
help = "imported; damaged: imported, but parts could not be read; present: the same content was already imported; ignored: not a trace; failed"

[changes]
1 = "First version"
--- */
SELECT
  path, status, error, cardinality(trace_ids)::BIGINT AS n_traces, n_bytes, n_tries,
  first_seen_at, last_tried_at, tw_version
FROM inbox_file
ORDER BY status = 'failed' DESC, status = 'damaged' DESC, last_tried_at DESC, path
