-- The commands of one engine file as the vendor's tool writes them: a marker, then tab-indented lines.
-- A command with a register image has all of its fields: after the other lines for TIU, before them for
-- DMA.
SELECT
  '__{marker}_REG_INFO__' || chr(10)
  || CASE
    WHEN is_tiu AND has_image THEN
      concat(
        chr(9), 'Function Name: ', function_name, chr(10),
        chr(9), 'Function Type: ', function_type, chr(10)
      )
    WHEN is_tiu THEN
      concat(
        chr(9), 'Function Type: ', function_type, chr(10),
        chr(9), 'Function Name: ', function_name, chr(10)
      )
    WHEN has_image THEN
      concat(
        registers,
        CASE WHEN has_mask_high THEN '' ELSE concat(chr(9), 'mask_start_addr_h8: 0', chr(10)) END,
        CASE WHEN has_mask_low THEN '' ELSE concat(chr(9), 'mask_start_addr_l32: 0', chr(10)) END,
        chr(9), 'dst_start_addr: ', coalesce(destination_address, 0), chr(10),
        chr(9), 'src_start_addr: ', coalesce(source_address, 0), chr(10),
        places,
        chr(9), 'Function Type: ', function_type, chr(10),
        chr(9), 'Function Name: ', function_name, chr(10)
      )
    ELSE
      concat(
        places,
        chr(9), 'src_data_format: ', type_number, chr(10),
        chr(9), 'cmd_type: ', coalesce(type_code, 31), chr(10),
        chr(9), 'cmd_special_function: ', coalesce(function_code, 0), chr(10),
        chr(9), 'Function Type: ', function_type, chr(10),
        chr(9), 'Function Name: ', function_name, chr(10)
      )
  END
  || concat(
    chr(9), 'Start Time(ns): ', ts, chr(10),
    chr(9), 'End Time(ns): ', ts + greatest(dur, 0), chr(10),
    chr(9), 'Cmd Id: ', shown_id, chr(10)
  )
  || CASE
    WHEN is_tiu THEN
      concat(
        chr(9), 'Asic Cycle: ', cycles, chr(10),
        chr(9), 'Engine Id: ', engine_number, chr(10),
        chr(9), 'Alg Ops: ', coalesce(alg_ops, 1), chr(10),
        chr(9), 'uArch Ops: ', coalesce(uarch_ops, 1), chr(10),
        CASE WHEN has_image THEN rate ELSE '' END,
        chr(9), 'Alg Cycle: ', coalesce(alg_cycles, 0), chr(10),
        CASE WHEN has_image THEN '' ELSE rate END
      )
    ELSE
      concat(
        chr(9), 'Data Type: ', coalesce(data_type, if(is_of_direction, '', 'INT8')), chr(10),
        chr(9), 'Asic Cycle: ', cycles, chr(10),
        chr(9), 'Stall Cycle: ', coalesce(stall_cycles, 0), chr(10),
        chr(9), 'DMA data size(B): ', coalesce(bytes, 0), chr(10),
        CASE WHEN has_image THEN transactions ELSE '' END,
        chr(9), 'DDR Bandwidth(GB/s): ', ddr_rate, chr(10),
        CASE WHEN has_image THEN '' ELSE transactions END,
        chr(9), 'L2M Bandwidth(GB/s): ', l2_rate, chr(10),
        CASE WHEN has_image THEN '' ELSE
          concat(chr(9), 'dst_start_addr: 0', chr(10), chr(9), 'src_start_addr: 0', chr(10))
        END
      )
  END
  || concat(
    chr(9), 'Global Idx: ', stream_n, chr(10),
    chr(9), 'Core Id: ', coalesce(core, submit_core, {last_core}), chr(10),
    chr(9) || 'mode: ' || mode || chr(10),
    chr(9) || 'kernel_func: ' || kernel_name || chr(10),
    chr(9) || 'func_scope_id: ' || CASE WHEN kernel_name IS NOT NULL THEN kernel_scope END || chr(10),
    chr(9) || 'batch_launch: ' || batch || chr(10)
  )
  || CASE
    WHEN NOT is_tiu THEN ''
    WHEN has_image THEN concat(function_type, ':', chr(10), registers)
    ELSE
      concat(
        function_type, ':', chr(10),
        chr(9), 'type: ', CASE mode WHEN 'TDI' THEN 1 WHEN 'RVT' THEN 13 ELSE 0 END, chr(10),
        chr(9), 'engine: 0', chr(10),
        chr(9), 'des_tsk_typ: ', coalesce(type_code, 31), chr(10),
        chr(9), 'des_tsk_eu_typ: ', coalesce(function_code, 0), chr(10),
        chr(9), 'extra_info: ', type_number, chr(10),
        CASE WHEN kind = 'sync' THEN '' ELSE
          concat(chr(9), 'des_opt_res0_prec: ', type_number, chr(10))
        END
      )
  END AS record
FROM (
  SELECT
    *,
    engine = 'TIU' AS is_tiu,
    registers_json IS NOT NULL AS has_image,
    coalesce(contains(registers_json, '"mask_start_addr_h8"'), false) AS has_mask_high,
    coalesce(contains(registers_json, '"mask_start_addr_l32"'), false) AS has_mask_low,
    coalesce(registers_json IS NOT NULL AND chip IN ('AKS', 'AKSV'), false) AS is_of_direction,
    -- Rounded by the exact value of the quotient. 0 without a point: a rate that is not computed.
    CASE
      WHEN is_of_direction AND direction NOT LIKE '%DDR%' THEN '0'
      ELSE printf('%.4f', coalesce(ddr_bytes, 0) / greatest(dur, 1))::DOUBLE::VARCHAR
    END AS ddr_rate,
    CASE
      WHEN chip = 'CV84X6'
        OR is_of_direction AND direction LIKE '%L2M%' AND direction NOT LIKE '%DDR%'
        THEN printf('%.4f', coalesce(l2_bytes, 0) / greatest(dur, 1))::DOUBLE::VARCHAR
      ELSE '0'
    END AS l2_rate,
    coalesce(category, 'unknown') AS function_type,
    coalesce(source_name, 'unknown') AS function_name,
    CASE engine WHEN 'TIU' THEN 0 WHEN 'GDMA' THEN 1 WHEN 'SDMA' THEN 3 ELSE 4 END AS engine_number,
    coalesce(
      list_position(
        ['INT8', 'FP16', 'FP32', 'INT16', 'INT32', 'BFP16', 'INT4', 'FP8', 'FP20', 'TF32'], data_type
      ) - 1,
      0
    ) AS type_number,
    regexp_replace(
      registers_json, '[{]?"([^"]*)": (-?\d+)(, |[}])', chr(9) || '{prefix}\1: \2' || chr(10), 'g'
    ) AS registers,
    concat(
      chr(9), 'uArch Rate: ',
      printf('%.1f%%', coalesce(alg_ops / nullif(uarch_ops, 0) * 100, 0)), chr(10)
    ) AS rate,
    concat(chr(9), 'gmem_xact_cnt: ', coalesce(n_memory_transactions, 0), chr(10)) AS transactions,
    concat(
      chr(9), 'Engine Id: ', engine_number, chr(10),
      chr(9), 'Direction: ', coalesce(direction, 'DDR->DDR'), chr(10),
      chr(9), 'from_addr: ', coalesce(source_memory, 'DDR'), chr(10),
      chr(9), 'to_addr: ', coalesce(destination_memory, 'DDR'), chr(10)
    ) AS places
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
  WHERE {condition}
)
ORDER BY engine, stream_n, slice_id
