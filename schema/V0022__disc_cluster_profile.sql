-- Profiles of replays, and the clusters that were replayed.

-- A profile of a replay, and a cluster that it may be of; the two may be of different runs
CREATE TABLE disc_cluster_profile (
  profile_trace_id BIGINT NOT NULL, -- [ref trace.id] profile
  cluster_trace_id BIGINT NOT NULL, -- [ref trace.id] log with the cluster
  disc_cluster_id BIGINT NOT NULL, -- [ref disc_cluster.id] cluster
  method VARCHAR NOT NULL, -- [text] chosen: named at the import; command: file names of the recorded command; bytes: sizes of the copies to the device
  confidence DOUBLE NOT NULL, -- [ratio] 1 where it was named, less where it was inferred
  n_candidates BIGINT NOT NULL, -- [count] clusters of different signatures that the profile may be of; 1: it is of this one
  function VARCHAR, -- [text] function of the cluster
  graph_hash VARCHAR, -- [text] graph_hash of the cluster
  signature_hash VARCHAR, -- [text] signature_hash of the cluster
  copied_bytes BIGINT[] NOT NULL, -- [byte] sizes of the copies to the device of each iteration, in order
  first_copy_ids BIGINT[] NOT NULL, -- [see slice.id] first copy of each iteration, in order
  kernel_ns BIGINT[] NOT NULL, -- [ns] sum of the durations of the kernels of each iteration, in order; the last is the measured one
  linker VARCHAR NOT NULL, -- [text] query that made the row
  linker_version BIGINT NOT NULL -- [count] its version
);
