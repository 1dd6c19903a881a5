-- What the warehouse knows of its own queries and scheduled exports.

-- Every version of a library query that made stored rows or an export
CREATE TABLE query_version (
  name VARCHAR NOT NULL, -- [text] name of the query
  version BIGINT NOT NULL, -- [count] its version
  content_hash VARCHAR NOT NULL, -- [text] sha256 of the query and of all it calls
  first_used_at TIMESTAMP NOT NULL -- [UTC] when it first made stored rows here
);

-- An export that is to be made again and again
CREATE TABLE schedule (
  name VARCHAR NOT NULL, -- [text] unique name
  cron VARCHAR NOT NULL, -- [text] five fields: minute hour day month weekday
  time_zone VARCHAR NOT NULL, -- [text] IANA name the fields are read in
  definition_json VARCHAR NOT NULL, -- [json] query or report, parameters, scope, format, output
  is_enabled BOOLEAN NOT NULL, -- [bool] whether it runs
  created_at TIMESTAMP NOT NULL -- [UTC] when it was added
);

-- One due time of a schedule and what became of it
CREATE TABLE schedule_run (
  schedule_name VARCHAR NOT NULL, -- [ref schedule.name] the schedule
  due_at TIMESTAMP NOT NULL, -- [UTC] when it was to run
  status VARCHAR NOT NULL, -- [text] running, ok, failed, skipped
  claimed_by VARCHAR, -- [text] host and process that took it
  started_at TIMESTAMP, -- [UTC] when it started
  finished_at TIMESTAMP, -- [UTC] when it ended
  n_rows BIGINT, -- [count] rows written
  n_bytes BIGINT, -- [byte] size of the output
  sha256 VARCHAR, -- [text] of the output
  output VARCHAR, -- [text] path of the output
  error VARCHAR, -- [text] why it failed or was skipped
  tw_version VARCHAR -- [text] program that ran it
);
