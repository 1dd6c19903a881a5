/* ---
name = "tpu_tiu_command"
version = 2
title = "TIU commands with all register fields, as in the vendor's workbook"
help = """
In the order of the engine's stream. Columns from des_cmd_id_dep on are register fields in the
vendor's order; they are NULL if no register image was captured, except type, function and result
type, which command words also have. A time window contains the commands that run in it, whole.
"""
grain = ["slice_id"]
requires = { schema = ">=14" }
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "slice_id", "engine_id", "core", "global_index", "command_id",
  "layer_id", "layer", "function_type", "function_name", "alg_cycles", "cycles", "start_ns",
  "end_ns", "mean_cycle_last_200", "alg_ops", "uarch_ops", "uarch_rate", "data_type",
  "des_cmd_id_dep", "des_res0_n", "des_res0_c", "des_res0_h", "des_res0_w", "des_res0_n_str",
  "des_res0_c_str", "des_res0_h_str", "des_res0_w_str", "des_opd0_n", "des_opd0_c", "des_opd0_h",
  "des_opd0_w", "des_opd0_n_str", "des_opd0_c_str", "des_opd0_h_str", "des_opd0_w_str",
  "des_opd1_n", "des_opd1_c", "des_opd1_h", "des_opd1_w", "des_opd1_n_str", "des_opd1_c_str",
  "des_opd1_h_str", "des_opd1_w_str", "des_opd2_n_str", "des_res0_addr", "des_res1_addr",
  "des_opd0_addr", "des_opd1_addr", "des_opd2_addr", "des_opd3_addr", "des_tsk_typ",
  "des_tsk_eu_typ", "des_cmd_short", "des_opt_res0_prec", "des_opt_opd0_prec", "des_opt_opd1_prec",
  "des_opt_opd2_prec", "des_short_opd0_str", "des_opt_opd0_const", "des_opt_opd1_const",
  "des_opt_opd2_const", "des_opt_opd3_const", "des_opt_opd4_const", "des_opt_opd5_const",
  "des_opt_res_add", "des_opt_res0_sign", "des_opt_opd0_sign", "des_opt_opd1_sign",
  "des_opt_opd2_sign", "des_opd0_rt_pad", "des_opd1_x_ins0", "des_opd0_up_pad", "des_opd0_lf_pad",
  "des_opt_left_tran", "des_pad_mode", "des_opd0_y_ins0", "des_opd1_y_ins0", "des_short_res0_str",
  "des_short_opd1_str", "des_sym_range", "des_opt_rq", "des_op_code", "des_opt_kernel_rotate",
  "des_res_op_x_str", "des_res_op_y_str", "des_opd0_x_ins0", "des_tsk_opd_num", "des_opd0_dn_pad",
  "des_intr_en", "des_opt_relu", "des_pwr_step",
]

[param.engine]
type = "VARCHAR"
unit = "text"
default = "TIU"
help = "Always TIU"

[param.place]
type = "BIGINT"
unit = "count"
nullable = true
min = 0
help = "Core; NULL: all"

[param.trace_id]
type = "BIGINT"
unit = "ref trace.id"
nullable = true
help = "Trace; NULL: all"

[column]
slice_id.help = "Command"
core.help = "Core; for CDMA the one that submitted the command"
cycles = { type = "BIGINT", unit = "cycle", nullable = true, help = "Duration in cycles of the engine's counter" }
start_ns.help = "Start, on the time axis of slice.ts"
end_ns.help = "End"
uarch_ops = { type = "BIGINT", unit = "count", nullable = true, help = "Operations executed by the hardware" }
uarch_rate = { type = "DOUBLE", unit = "ratio", nullable = true, help = "alg_ops / uarch_ops" }
data_type.help = "Element types: operand -> result"
des_cmd_id_dep = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field cmd_id_dep" }
des_res0_n = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_n" }
des_res0_c = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_c" }
des_res0_h = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_h" }
des_res0_w = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_w" }
des_res0_n_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_n_str" }
des_res0_c_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_c_str" }
des_res0_h_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_h_str" }
des_res0_w_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res0_w_str" }
des_opd0_n = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_n" }
des_opd0_c = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_c" }
des_opd0_h = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_h" }
des_opd0_w = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_w" }
des_opd0_n_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_n_str" }
des_opd0_c_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_c_str" }
des_opd0_h_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_h_str" }
des_opd0_w_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_w_str" }
des_opd1_n = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_n" }
des_opd1_c = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_c" }
des_opd1_h = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_h" }
des_opd1_w = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_w" }
des_opd1_n_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_n_str" }
des_opd1_c_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_c_str" }
des_opd1_h_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_h_str" }
des_opd1_w_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_w_str" }
des_opd2_n_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd2_n_str" }
des_res0_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field res0_addr, hexadecimal" }
des_res1_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field res1_addr, hexadecimal" }
des_opd0_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field opd0_addr, hexadecimal" }
des_opd1_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field opd1_addr, hexadecimal" }
des_opd2_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field opd2_addr, hexadecimal" }
des_opd3_addr = { type = "VARCHAR", unit = "text", nullable = true, help = "Register field opd3_addr, hexadecimal" }
des_tsk_typ = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field tsk_typ" }
des_tsk_eu_typ = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field tsk_eu_typ" }
des_cmd_short = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field cmd_short" }
des_opt_res0_prec = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_res0_prec" }
des_opt_opd0_prec = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd0_prec" }
des_opt_opd1_prec = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd1_prec" }
des_opt_opd2_prec = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd2_prec" }
des_short_opd0_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field short_opd0_str" }
des_opt_opd0_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd0_const" }
des_opt_opd1_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd1_const" }
des_opt_opd2_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd2_const" }
des_opt_opd3_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd3_const" }
des_opt_opd4_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd4_const" }
des_opt_opd5_const = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd5_const" }
des_opt_res_add = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_res_add" }
des_opt_res0_sign = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_res0_sign" }
des_opt_opd0_sign = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd0_sign" }
des_opt_opd1_sign = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd1_sign" }
des_opt_opd2_sign = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_opd2_sign" }
des_opd0_rt_pad = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_rt_pad" }
des_opd1_x_ins0 = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_x_ins0" }
des_opd0_up_pad = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_up_pad" }
des_opd0_lf_pad = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_lf_pad" }
des_opt_left_tran = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_left_tran" }
des_pad_mode = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field pad_mode" }
des_opd0_y_ins0 = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_y_ins0" }
des_opd1_y_ins0 = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd1_y_ins0" }
des_short_res0_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field short_res0_str" }
des_short_opd1_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field short_opd1_str" }
des_sym_range = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field sym_range" }
des_opt_rq = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_rq" }
des_op_code = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field op_code" }
des_res_op_x_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res_op_x_str" }
des_res_op_y_str = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field res_op_y_str" }
des_opd0_x_ins0 = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_x_ins0" }
des_tsk_opd_num = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field tsk_opd_num" }
des_opd0_dn_pad = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opd0_dn_pad" }
des_intr_en = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field intr_en" }
des_opt_relu = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field opt_relu" }
des_pwr_step = { type = "BIGINT", unit = "source id", nullable = true, help = "Register field pwr_step" }

[column.alg_cycles]
type = "BIGINT"
unit = "cycle"
nullable = true
help = "Minimum cycles at the chip's peak; NULL: unknown shapes"

[column.mean_cycle_last_200]
type = "BIGINT"
unit = "ns"
nullable = true
help = "Time from the start of the command 199 before to the end of this one, divided by 200; for the first 199, the end divided by the number of commands"

[column.alg_ops]
type = "BIGINT"
unit = "count"
nullable = true
help = "Operations required by the algorithm; NULL: unknown shapes"

[column.des_opt_kernel_rotate]
type = "BIGINT"
unit = "source id"
nullable = true
help = "Register field opt_kernel_rotate"

[changes]
2 = "same rows, faster with register images"
1 = "first version"
--- */
WITH chosen AS (
  SELECT
    *,
    ts + greatest(dur, 0) AS end_ns,
    lag(ts, 199) OVER (
      PARTITION BY trace_id, engine, core, port ORDER BY stream_n, slice_id
    ) AS earlier_ns
  FROM tpu_command
  WHERE
    engine = $engine::VARCHAR
    AND ($place::BIGINT IS NULL OR coalesce(core, port) = $place::BIGINT)
    AND ($trace_id::BIGINT IS NULL OR trace_id = $trace_id::BIGINT)
)
SELECT
  t.run_id,
  c.trace_id,
  t.rank,
  c.slice_id,
  CASE c.engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 WHEN 'SDMA' THEN 3 ELSE 4 END::BIGINT AS engine_id,
  coalesce(c.core, c.submit_core) AS core,
  c.stream_n AS global_index,
  c.shown_id AS command_id,
  y.ordinal AS layer_id,
  y.operation AS layer,
  c.category AS function_type,
  c.source_name AS function_name,
  c.alg_cycles,
  c.cycles,
  c.ts AS start_ns,
  c.end_ns,
  round_even(
    CASE
      WHEN c.earlier_ns IS NOT NULL THEN (c.end_ns - c.earlier_ns) / 200
      ELSE c.end_ns / nullif(c.shown_id, 0)
    END,
    0
  )::BIGINT AS mean_cycle_last_200,
  c.alg_ops,
  c.uarch_ops,
  c.alg_ops / nullif(c.uarch_ops, 0) AS uarch_rate,
  c.data_type || ' -> ' || coalesce(c.result_data_type, c.data_type) AS data_type,
  c.r.cmd_id_dep AS des_cmd_id_dep,
  c.r.res0_n AS des_res0_n,
  c.r.res0_c AS des_res0_c,
  c.r.res0_h AS des_res0_h,
  c.r.res0_w AS des_res0_w,
  c.r.res0_n_str AS des_res0_n_str,
  c.r.res0_c_str AS des_res0_c_str,
  c.r.res0_h_str AS des_res0_h_str,
  c.r.res0_w_str AS des_res0_w_str,
  c.r.opd0_n AS des_opd0_n,
  c.r.opd0_c AS des_opd0_c,
  c.r.opd0_h AS des_opd0_h,
  c.r.opd0_w AS des_opd0_w,
  c.r.opd0_n_str AS des_opd0_n_str,
  c.r.opd0_c_str AS des_opd0_c_str,
  c.r.opd0_h_str AS des_opd0_h_str,
  c.r.opd0_w_str AS des_opd0_w_str,
  c.r.opd1_n AS des_opd1_n,
  c.r.opd1_c AS des_opd1_c,
  c.r.opd1_h AS des_opd1_h,
  c.r.opd1_w AS des_opd1_w,
  c.r.opd1_n_str AS des_opd1_n_str,
  c.r.opd1_c_str AS des_opd1_c_str,
  c.r.opd1_h_str AS des_opd1_h_str,
  c.r.opd1_w_str AS des_opd1_w_str,
  c.r.opd2_n_str AS des_opd2_n_str,
  '0x' || lower(to_hex(c.r.res0_addr)) AS des_res0_addr,
  '0x' || lower(to_hex(c.r.res1_addr)) AS des_res1_addr,
  '0x' || lower(to_hex(c.r.opd0_addr)) AS des_opd0_addr,
  '0x' || lower(to_hex(c.r.opd1_addr)) AS des_opd1_addr,
  '0x' || lower(to_hex(c.r.opd2_addr)) AS des_opd2_addr,
  '0x' || lower(to_hex(c.r.opd3_addr)) AS des_opd3_addr,
  coalesce(c.r.tsk_typ, c.type_code) AS des_tsk_typ,
  coalesce(c.r.tsk_eu_typ, c.function_code) AS des_tsk_eu_typ,
  c.r.cmd_short AS des_cmd_short,
  CASE
    WHEN c.image_json IS NOT NULL THEN c.r.opt_res0_prec
    WHEN c.data_type IS NOT NULL
      THEN list_position(['INT8', 'FP16', 'FP32', 'INT16', 'INT32', 'BFP16', 'INT4', 'FP8', 'FP20', 'TF32'], c.data_type) - 1
  END::BIGINT AS des_opt_res0_prec,
  c.r.opt_opd0_prec AS des_opt_opd0_prec,
  c.r.opt_opd1_prec AS des_opt_opd1_prec,
  c.r.opt_opd2_prec AS des_opt_opd2_prec,
  c.r.short_opd0_str AS des_short_opd0_str,
  c.r.opt_opd0_const AS des_opt_opd0_const,
  c.r.opt_opd1_const AS des_opt_opd1_const,
  c.r.opt_opd2_const AS des_opt_opd2_const,
  c.r.opt_opd3_const AS des_opt_opd3_const,
  c.r.opt_opd4_const AS des_opt_opd4_const,
  c.r.opt_opd5_const AS des_opt_opd5_const,
  c.r.opt_res_add AS des_opt_res_add,
  c.r.opt_res0_sign AS des_opt_res0_sign,
  c.r.opt_opd0_sign AS des_opt_opd0_sign,
  c.r.opt_opd1_sign AS des_opt_opd1_sign,
  c.r.opt_opd2_sign AS des_opt_opd2_sign,
  c.r.opd0_rt_pad AS des_opd0_rt_pad,
  c.r.opd1_x_ins0 AS des_opd1_x_ins0,
  c.r.opd0_up_pad AS des_opd0_up_pad,
  c.r.opd0_lf_pad AS des_opd0_lf_pad,
  c.r.opt_left_tran AS des_opt_left_tran,
  c.r.pad_mode AS des_pad_mode,
  c.r.opd0_y_ins0 AS des_opd0_y_ins0,
  c.r.opd1_y_ins0 AS des_opd1_y_ins0,
  c.r.short_res0_str AS des_short_res0_str,
  c.r.short_opd1_str AS des_short_opd1_str,
  c.r.sym_range AS des_sym_range,
  c.r.opt_rq AS des_opt_rq,
  c.r.op_code AS des_op_code,
  c.r.opt_kernel_rotate AS des_opt_kernel_rotate,
  c.r.res_op_x_str AS des_res_op_x_str,
  c.r.res_op_y_str AS des_res_op_y_str,
  c.r.opd0_x_ins0 AS des_opd0_x_ins0,
  c.r.tsk_opd_num AS des_tsk_opd_num,
  c.r.opd0_dn_pad AS des_opd0_dn_pad,
  c.r.intr_en AS des_intr_en,
  c.r.opt_relu AS des_opt_relu,
  c.r.pwr_step AS des_pwr_step
FROM (
  SELECT
    h.*,
    x.registers_json AS image_json,
    x.source_address AS from_address,
    x.destination_address AS to_address,
    from_json(
      x.registers_json,
      '{"cmd_id_dep":"BIGINT","res0_n":"BIGINT","res0_c":"BIGINT","res0_h":"BIGINT",'
      || '"res0_w":"BIGINT","res0_n_str":"BIGINT","res0_c_str":"BIGINT","res0_h_str":"BIGINT",'
      || '"res0_w_str":"BIGINT","opd0_n":"BIGINT","opd0_c":"BIGINT","opd0_h":"BIGINT",'
      || '"opd0_w":"BIGINT","opd0_n_str":"BIGINT","opd0_c_str":"BIGINT","opd0_h_str":"BIGINT",'
      || '"opd0_w_str":"BIGINT","opd1_n":"BIGINT","opd1_c":"BIGINT","opd1_h":"BIGINT",'
      || '"opd1_w":"BIGINT","opd1_n_str":"BIGINT","opd1_c_str":"BIGINT","opd1_h_str":"BIGINT",'
      || '"opd1_w_str":"BIGINT","opd2_n_str":"BIGINT","res0_addr":"BIGINT","res1_addr":"BIGINT",'
      || '"opd0_addr":"BIGINT","opd1_addr":"BIGINT","opd2_addr":"BIGINT","opd3_addr":"BIGINT",'
      || '"tsk_typ":"BIGINT","tsk_eu_typ":"BIGINT","cmd_short":"BIGINT","opt_res0_prec":"BIGINT",'
      || '"opt_opd0_prec":"BIGINT","opt_opd1_prec":"BIGINT","opt_opd2_prec":"BIGINT",'
      || '"short_opd0_str":"BIGINT","opt_opd0_const":"BIGINT","opt_opd1_const":"BIGINT",'
      || '"opt_opd2_const":"BIGINT","opt_opd3_const":"BIGINT","opt_opd4_const":"BIGINT",'
      || '"opt_opd5_const":"BIGINT","opt_res_add":"BIGINT","opt_res0_sign":"BIGINT",'
      || '"opt_opd0_sign":"BIGINT","opt_opd1_sign":"BIGINT","opt_opd2_sign":"BIGINT",'
      || '"opd0_rt_pad":"BIGINT","opd1_x_ins0":"BIGINT","opd0_up_pad":"BIGINT",'
      || '"opd0_lf_pad":"BIGINT","opt_left_tran":"BIGINT","pad_mode":"BIGINT",'
      || '"opd0_y_ins0":"BIGINT","opd1_y_ins0":"BIGINT","short_res0_str":"BIGINT",'
      || '"short_opd1_str":"BIGINT","sym_range":"BIGINT","opt_rq":"BIGINT","op_code":"BIGINT",'
      || '"opt_kernel_rotate":"BIGINT","res_op_x_str":"BIGINT","res_op_y_str":"BIGINT",'
      || '"opd0_x_ins0":"BIGINT","tsk_opd_num":"BIGINT","opd0_dn_pad":"BIGINT","intr_en":"BIGINT",'
      || '"opt_relu":"BIGINT","pwr_step":"BIGINT"}'
    ) AS r
  FROM chosen AS h
  LEFT JOIN tpu_command_extra AS x ON x.slice_id = h.slice_id
) AS c
JOIN trace AS t ON t.id = c.trace_id
LEFT JOIN tpu_layer AS y ON y.id = c.layer_id
ORDER BY t.run_id, t.rank, c.trace_id, coalesce(c.core, c.port), c.stream_n, c.slice_id
