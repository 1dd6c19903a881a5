-- Communication libraries that record each collective in stages, loops and ring steps, and operators
-- whose step the source states.

ALTER TABLE collective ADD COLUMN stage VARCHAR;
COMMENT ON COLUMN collective.stage IS '[text] stage of the operation, as the library names it: Sync, QUEUE, SEND, RECV, ...';
ALTER TABLE collective ADD COLUMN loop BIGINT;
COMMENT ON COLUMN collective.loop IS '[count] number of the loop over a large message, from 0';
ALTER TABLE collective ADD COLUMN ring_step BIGINT;
COMMENT ON COLUMN collective.ring_step IS '[count] step of the ring or tree, from 0';
ALTER TABLE collective ADD COLUMN part BIGINT;
COMMENT ON COLUMN collective.part IS '[count] slice of a chunk, from 0';
ALTER TABLE rpc ADD COLUMN part BIGINT;
COMMENT ON COLUMN rpc.part IS '[count] partition of the tensor, from 0';

ALTER TABLE cpu_op ADD COLUMN step_number BIGINT;
COMMENT ON COLUMN cpu_op.step_number IS '[count] number of the step, if the source states it';

-- A tensor that a collective communicates: one of several, if they are fused
CREATE TABLE collective_tensor (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the collective
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  ordinal BIGINT NOT NULL, -- [count] position among the tensors of the collective, from 0
  tensor_id BIGINT, -- [source id] number of the tensor
  name VARCHAR, -- [text] name of the tensor
  bytes BIGINT -- [byte] size of the tensor
);

-- A connection that a communication library set up between two ranks, for a ring or a tree
CREATE TABLE communication_edge (
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  algorithm VARCHAR NOT NULL, -- [text] ring or tree
  channel BIGINT NOT NULL, -- [count] channel of the library
  from_rank BIGINT NOT NULL, -- [count] rank that sends; in a tree the child
  to_rank BIGINT NOT NULL -- [count] rank that receives; in a tree the parent
);
