-- The columns of the vendor's tool for each TPU command, with its names; NULL where it prints nothing.
-- Rates are bytes per ns, which is GB/s, to four decimals, rounded as the tool does: by the exact value
-- of the quotient (printf), which round() does not use. A rate that the tool does not compute is the
-- integer 0; AKS and AKSV have one only of the memory in the direction, words and records without a
-- command one of DDR, BM1688 one of DDR, CV84X6 both.
-- A command of category sys has neither rate nor traffic. Without a register image the tool shows a
-- rate of 0.0 % and addresses of 0.
SELECT
  slice_id,
  operation_id,
  batch AS "Batch Launch",
  kernel_name AS "Kernel Function",
  coalesce(category, 'unknown') AS "Function Type",
  CASE WHEN NOT is_tiu THEN command_dependency END AS "cmd_id_dep",
  CASE
    WHEN is_tiu OR is_sys THEN NULL
    WHEN chip = 'CV84X6' AND match_status = 'image' THEN replace(direction, 'L2M', 'L2')
    ELSE coalesce(direction, 'DDR->DDR')
  END AS "Direction",
  coalesce(source_name, 'unknown') AS "Function Name",
  mode AS "Mode",
  shown_id AS "Cmd Id",
  -- NULL for RVT commands, which are numbered separately; an empty text for images without one.
  CASE
    WHEN is_tiu OR chip = 'CV84X6' AND mode = 'RVT' THEN NULL
    WHEN match_status = 'image' AND chip IN ('AKS', 'AKSV') THEN coalesce(data_type, '')
    ELSE coalesce(data_type, 'INT8')
  END AS "Data Type",
  CASE WHEN NOT is_tiu AND NOT is_sys THEN coalesce(bytes, 0) END AS "DMA data size(B)",
  CASE WHEN is_tiu AND NOT is_sys
    THEN printf('%.1f%%', coalesce(alg_ops / nullif(uarch_ops, 0) * 100, 0))
  END AS "uArch Rate",
  CASE WHEN is_tiu AND NOT is_sys THEN short_form END AS "des_cmd_short",
  CASE WHEN is_tiu THEN command_dependency END AS "des_cmd_id_dep",
  CASE WHEN NOT is_tiu AND NOT is_sys
    THEN printf('%.4f', coalesce(ddr_bytes, 0) / greatest(dur, 1))::DOUBLE
  END AS "DDR Bandwidth(GB/s)",
  CASE WHEN NOT is_tiu AND NOT is_sys
    THEN printf('%.4f', coalesce(l2_bytes, 0) / greatest(dur, 1))::DOUBLE
  END AS "L2M Bandwidth(GB/s)",
  stream_n AS "Global Idx",
  coalesce(is_of_direction AND direction NOT LIKE '%DDR%', false) AS has_no_ddr_rate,
  coalesce(
    chip <> 'CV84X6'
    AND NOT (is_of_direction AND direction LIKE '%L2M%' AND direction NOT LIKE '%DDR%'),
    true
  ) AS has_no_l2_rate,
  NOT is_tiu AND NOT is_sys AS has_places{places}
FROM (
  SELECT
    *,
    engine = 'TIU' AS is_tiu,
    coalesce(category IN ('sys', 'SYS'), false) AS is_sys,
    coalesce(match_status = 'image' AND chip IN ('AKS', 'AKSV'), false) AS is_of_direction,
    {short_form} AS short_form,
    {dependency} AS command_dependency
  FROM (
    -- Not the view's value, which ignores register images.
    SELECT
      c.* EXCLUDE (source_address, destination_address, registers_json),
      x.source_address,
      x.destination_address,
      x.registers_json,
      d.chip
    FROM tpu_command AS c
    LEFT JOIN tpu_command_extra AS x ON x.slice_id = c.slice_id
    LEFT JOIN (
      SELECT trace_id, properties_json::JSON ->> '$."Chip Arch"' AS chip FROM device WHERE kind = 'tpu'
    ) AS d ON d.trace_id = c.trace_id
  )
)
