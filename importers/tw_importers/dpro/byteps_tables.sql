-- What the logs of BytePS hold, before they have a meaning (byteps.py), and the tables of a rank's
-- recording, empty.
CREATE TABLE log_file (file_n BIGINT, name VARCHAR, role VARCHAR, node VARCHAR, node_rank BIGINT);
CREATE TABLE log_line (file_n BIGINT, line_n BIGINT, role VARCHAR, line VARCHAR);
CREATE TABLE key_tensor (tensor VARCHAR, key VARCHAR, part BIGINT);
CREATE TABLE timeline_event (
  role VARCHAR, seq BIGINT, ph VARCHAR, name VARCHAR, pid VARCHAR, tid VARCHAR, ts_ns BIGINT, label VARCHAR
);
CREATE TABLE byteps_window (first_step BIGINT, n_steps BIGINT);

CREATE TABLE graph_label (label VARCHAR);
CREATE TABLE graph_pair (from_n BIGINT, to_n BIGINT);
CREATE TABLE operator (name VARCHAR, type VARCHAR, inputs_json VARCHAR, outputs_json VARCHAR);
CREATE TABLE tensor_name (tensor_id BIGINT, name VARCHAR);
CREATE TABLE topology (algorithm VARCHAR, channel BIGINT, from_rank BIGINT, to_rank BIGINT);
CREATE TABLE member (worker VARCHAR, gpu VARCHAR);
CREATE TABLE model (name VARCHAR);
CREATE TABLE platform (name VARCHAR);
CREATE TABLE operation_step (seq BIGINT, step BIGINT);
CREATE TABLE document_range (document VARCHAR, first_seq BIGINT, n BIGINT);
CREATE TABLE operation_thread (
  pid VARCHAR, tid VARCHAR, thread_name VARCHAR, is_operators BOOLEAN, stream BIGINT, ordinal BIGINT
);
