-- Operations of compiled programs, as XLA's profilers record them.

-- The operation of a compiled program, or of the framework, that a slice is of
CREATE TABLE xla_op (
  slice_id BIGINT NOT NULL, -- [ref slice.id] the slice that the row describes
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  hlo_module VARCHAR, -- [text] name of the compiled module
  program_id BIGINT, -- [source id] compiled program; unique within a process
  run_id BIGINT, -- [source id] execution of the program
  hlo_op VARCHAR, -- [text] operation of the module
  category VARCHAR, -- [text] category of the operation, as the compiler names it
  framework_op VARCHAR, -- [text] operation of the framework that it was compiled from
  source VARCHAR, -- [text] line of source code that it was compiled from
  flops BIGINT, -- [count] floating-point operations, as the compiler estimates them
  bytes_accessed BIGINT -- [byte] memory traffic, as the compiler estimates it
);
