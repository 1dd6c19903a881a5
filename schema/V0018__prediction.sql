-- What predicted runs were made from.

-- A replay that was stored as a run of kind predicted
CREATE TABLE prediction (
  run_id BIGINT NOT NULL, -- [ref run.id] the predicted run
  parent_run_id BIGINT NOT NULL, -- [ref run.id] the measured run; it may have been removed
  engine VARCHAR NOT NULL, -- [text] engine of the replay
  parameters_json VARCHAR NOT NULL, -- [json] arguments of the replay queries
  what_ifs_json VARCHAR NOT NULL, -- [json] list of the changes, as they were given
  queries_json VARCHAR NOT NULL, -- [json] queries of the graph and of the changes: name@version and digest of its contract
  from_ns BIGINT, -- [ns] start of the time window that was replayed; NULL: none
  to_ns BIGINT, -- [ns] end of the time window
  measured_ns DOUBLE, -- [ns] measured time of the slowest rank, mean of all steps
  replayed_ns DOUBLE, -- [ns] the same of the replay without changes
  predicted_ns DOUBLE, -- [ns] the same of the replay with the changes
  tw_version VARCHAR NOT NULL, -- [text] version of the program
  created_at TIMESTAMP NOT NULL -- [UTC] when it was stored
);
