-- Cost models: how long work takes by its size, fitted to samples of recorded work.

-- A model: a line over features for each group of samples
CREATE TABLE cost_model (
  id BIGINT NOT NULL, -- [id] number of the model
  name VARCHAR NOT NULL, -- [text] name of the model, unique
  query VARCHAR NOT NULL, -- [text] query of the samples, name@version
  query_digest VARCHAR NOT NULL, -- [text] digest of the contract of that query
  features_json VARCHAR NOT NULL, -- [json] list of the features, without the constant
  traces_json VARCHAR NOT NULL, -- [json] the traces that the samples are of, with the SHA-256 of their files
  n_samples BIGINT NOT NULL, -- [count] samples, the held-out ones included
  n_unusable BIGINT NOT NULL, -- [count] further rows without a time, or with an unknown feature
  tw_version VARCHAR NOT NULL, -- [text] version of the program
  created_at TIMESTAMP NOT NULL -- [UTC] when it was fitted
);

-- The line of a group of samples of a cost model
CREATE TABLE cost_model_group (
  model_id BIGINT NOT NULL, -- [ref cost_model.id] the model
  model_group VARCHAR NOT NULL, -- [text] group of samples
  n_fitted BIGINT NOT NULL, -- [count] samples that the line is fitted to
  n_held_out BIGINT NOT NULL, -- [count] samples that it is tested with
  error DOUBLE, -- [ratio] mean of the absolute relative errors on the held-out samples; NULL: none
  problem VARCHAR -- [text] why it cannot predict other sizes; NULL: it can
);

-- A coefficient of the line of a group: time = sum of coefficient * feature
CREATE TABLE cost_model_term (
  model_id BIGINT NOT NULL, -- [ref cost_model.id] the model
  model_group VARCHAR NOT NULL, -- [text] group of samples
  feature VARCHAR NOT NULL, -- [text] feature; constant: 1 for all samples
  coefficient DOUBLE NOT NULL, -- [ns] time for each unit of the feature
  least DOUBLE NOT NULL, -- [count] smallest value that the line is fitted to
  most DOUBLE NOT NULL -- [count] largest value that the line is fitted to
);
