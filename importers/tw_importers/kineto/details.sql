-- What Kineto's detail tables want typed out of an event's `args`, by category.
-- Numbers that do not fit are NULL; `args_json` keeps their text.
CREATE OR REPLACE TEMP MACRO details(category, args) AS struct_pack(
  cpu_op := CASE
    WHEN category IN ('cpu_op', 'Operator', 'user_annotation') THEN json_transform(
      args,
      '{"External id":"BIGINT","Sequence number":"BIGINT","Fwd thread id":"BIGINT",
        "Record function id":"BIGINT","Ev Idx":"BIGINT","Input Dims":"JSON","Input type":"JSON",
        "Input Strides":"JSON","Concrete Inputs":"JSON"}'
    )
  END,
  launch := CASE
    WHEN category IN ('cuda_runtime','cuda_driver') THEN json_transform(
      args, '{"correlation":"BIGINT","External id":"BIGINT","cbid":"BIGINT"}'
    )
  END,
  gpu_op := CASE
    WHEN category IN ('kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_sync') THEN json_transform(
      args,
      '{"correlation":"BIGINT","External id":"BIGINT","device":"BIGINT","stream":"BIGINT",
        "context":"BIGINT","bytes":"BIGINT","grid":"JSON","block":"JSON",
        "registers per thread":"BIGINT","shared memory":"BIGINT","queued":"BIGINT",
        "est. achieved occupancy %":"DOUBLE"}'
    )
  END
);
