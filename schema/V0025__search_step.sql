-- Candidates of searches whose recommendation was stored as a run.

-- Candidates that a search judged before it recommended a predicted run
CREATE TABLE search_step (
  run_id BIGINT NOT NULL, -- [ref run.id] the predicted run
  place BIGINT NOT NULL, -- [count] place in the order of the search, from 0
  search VARCHAR NOT NULL, -- [text] search that tried it: sweep, dp or anneal
  candidate VARCHAR NOT NULL, -- [text] the change, as a what-if of tw replay
  predicted_ns DOUBLE NOT NULL, -- [ns] predicted time of the step, of the slowest rank
  is_accepted BOOLEAN NOT NULL, -- [bool] whether the search went on from it; of lists, whether it was better than all before
  best_ns DOUBLE NOT NULL -- [ns] the least time so far, the recorded groups included
);
