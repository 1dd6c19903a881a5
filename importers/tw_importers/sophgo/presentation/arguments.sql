-- The columns of the vendor's tool for each TPU command, with its names; NULL where it prints nothing.
-- Rates are bytes per ns, which is GB/s, to four decimals.
-- A command of category sys has neither rate nor traffic. Without a register image the tool shows a
-- rate of 0.0 % and addresses of 0.
SELECT
  slice_id,
  operation_id,
  batch AS "Batch Launch",
  kernel_name AS "Kernel Function",
  coalesce(category, 'unknown') AS "Function Type",
  CASE WHEN NOT is_tiu THEN command_dependency END AS "cmd_id_dep",
  CASE WHEN NOT is_tiu AND NOT is_sys THEN coalesce(direction, 'DDR->DDR') END AS "Direction",
  coalesce(source_name, 'unknown') AS "Function Name",
  mode AS "Mode",
  shown_id AS "Cmd Id",
  -- NULL for RVT commands, which are numbered separately; an empty text for CDMA images without one.
  CASE
    WHEN is_tiu OR data_type IS NULL AND starts_with(source_name, 'rvt_') THEN NULL
    WHEN match_status = 'image' THEN coalesce(data_type, '')
    ELSE coalesce(data_type, 'INT8')
  END AS "Data Type",
  CASE WHEN NOT is_tiu AND NOT is_sys THEN coalesce(bytes, 0) END AS "DMA data size(B)",
  CASE WHEN is_tiu AND NOT is_sys
    THEN printf('%.1f%%', coalesce(100.0::DOUBLE * alg_ops / nullif(uarch_ops, 0), 0))
  END AS "uArch Rate",
  CASE WHEN is_tiu AND NOT is_sys THEN short_form END AS "des_cmd_short",
  CASE WHEN is_tiu THEN command_dependency END AS "des_cmd_id_dep",
  CASE WHEN NOT is_tiu AND NOT is_sys THEN round(coalesce(ddr_bytes, 0) / greatest(dur, 1), 4) END
    AS "DDR Bandwidth(GB/s)",
  CASE WHEN NOT is_tiu AND NOT is_sys THEN round(coalesce(l2_bytes, 0) / greatest(dur, 1), 4) END
    AS "L2M Bandwidth(GB/s)",
  stream_n AS "Global Idx",
  NOT is_tiu AND NOT is_sys AS has_places{places}
FROM (
  SELECT
    *,
    engine = 'TIU' AS is_tiu,
    coalesce(category IN ('sys', 'SYS'), false) AS is_sys,
    {short_form} AS short_form,
    {dependency} AS command_dependency
  FROM (
    -- Not the view's value, which ignores register images.
    SELECT
      c.* EXCLUDE (source_address, destination_address, registers_json),
      x.source_address,
      x.destination_address,
      x.registers_json
    FROM tpu_command AS c
    LEFT JOIN tpu_command_extra AS x ON x.slice_id = c.slice_id
  )
)
