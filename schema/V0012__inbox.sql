-- What is remembered of the files of an inbox.

-- A file that was seen in an inbox, as it was then, and what became of it
CREATE TABLE inbox_file (
  path VARCHAR NOT NULL, -- [text] absolute path
  n_bytes BIGINT NOT NULL, -- [byte] its size when it was read
  modified_ns BIGINT NOT NULL, -- [ns] when it was changed last, since the epoch
  status VARCHAR NOT NULL, -- [text] imported; present: the same bytes were there; ignored: no trace; failed
  error VARCHAR, -- [text] why it failed
  sha256 VARCHAR, -- [text] of the bytes on the disk, of an imported one
  trace_ids BIGINT[] NOT NULL, -- [id] the traces it became; they may be removed since
  n_tries BIGINT NOT NULL, -- [count] how often it was read
  first_seen_at TIMESTAMP NOT NULL, -- [UTC] when it was first read
  last_tried_at TIMESTAMP NOT NULL, -- [UTC] when it was last read
  tw_version VARCHAR NOT NULL -- [text] program that read it last
);
