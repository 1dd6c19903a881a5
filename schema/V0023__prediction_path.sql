-- Critical paths of predictions, for pages and traces that show measured and predicted runs.

-- What determines the end of a replay: that without changes on the measured run, that with them on the predicted one
CREATE TABLE prediction_path (
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace, of the measured or of the predicted run
  predicted_run_id BIGINT NOT NULL, -- [ref run.id] the predicted run
  place BIGINT NOT NULL, -- [count] position on the path, from 0, over all traces
  track_id BIGINT NOT NULL, -- [ref track.id] track
  slice_id BIGINT, -- [ref slice.id] slice; of a piece of a thread the call that it begins with
  ts BIGINT NOT NULL, -- [ns] start
  dur BIGINT NOT NULL, -- [ns] duration
  kind VARCHAR NOT NULL, -- [text] kind of the node (replay_node)
  name VARCHAR NOT NULL -- [text] name of the node
);
