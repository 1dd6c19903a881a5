-- Costs of commands of Sophgo TPUs, from the fields of their images and the counters of their records.
-- In: `tiu_image`, rows of decode_streams or decode_images for TIU with any further columns; `chip`
-- (Chip.row). Out: view `tiu_cost`: all of `tiu_image` and alg_ops, uarch_ops, alg_cycles; macros for
-- the rest. The formulas are the vendor's tool's, with their peculiarities, so that figures compare.

-- Codes of precisions: 0 INT8, 1 FP16, 2 FP32, 3 INT16, 4 INT32, 5 BFP16, 6 INT4, 7 FP8.
CREATE MACRO whole_bytes(precision) AS
  CASE WHEN precision IN (0, 6, 7) THEN 1 WHEN precision IN (1, 3, 5) THEN 2 ELSE 4 END;

-- Of `units` for one-byte types, those a lane has for a precision.
CREATE MACRO vector_units(precision, units) AS
  CASE WHEN precision = 6 THEN units * 2 ELSE units // whole_bytes(precision) END;

-- The same of the matrix unit, which does types of four bytes one by one.
CREATE MACRO matrix_units(precision, units) AS
  CASE WHEN precision IN (2, 4) THEN 1 ELSE vector_units(precision, units) END;

CREATE MACRO round_up(n, multiple) AS (n + multiple - 1) // multiple * multiple;

CREATE MACRO divided_up(n, by_n) AS (n + by_n - 1) // by_n;

CREATE VIEW tiu_cost AS
WITH typed AS (
  SELECT
    i AS image,
    i.*,
    k.*,
    -- What the formulas take for the types of operand 0 and of the result.
    CASE
      WHEN i.formula IN ('move', 'gather_line') OR i.formula = 'lin' AND k.counts_by_registers = 0
        THEN i.result_precision
      ELSE i.operand0_precision
    END AS type0,
    CASE
      WHEN i.formula = 'cmp' AND k.counts_by_registers = 0 AND i.function_code IN (23, 24, 26)
        THEN i.operand2_precision
      WHEN i.formula = 'cmp' THEN i.operand0_precision
      ELSE i.result_precision
    END AS type_out
  FROM tiu_image AS i
  CROSS JOIN (SELECT * EXCLUDE (name, memory) FROM chip) AS k
),

-- The result's dimensions, wide enough for the products of them all: seven of 16 bits.
shaped AS (
  SELECT
    *,
    CASE
      WHEN formula = 'vc' AND counts_by_registers = 1 THEN 1
      WHEN formula = 'vc' THEN (operand0_c - 1) * operand0_w + operand1_w
      WHEN formula = 'move' AND counts_by_registers = 0 AND function_code IN (4, 5) THEN 1
      ELSE result_n
    END::HUGEINT AS n,
    result_c::HUGEINT AS c,
    CASE
      WHEN formula = 'vc' THEN 1
      WHEN formula = 'move' AND counts_by_registers = 0 AND function_code IN (4, 5) THEN 1
      ELSE result_h
    END::HUGEINT AS h,
    CASE
      WHEN formula = 'move' AND counts_by_registers = 0 AND function_code = 5 THEN 1
      ELSE result_w
    END::HUGEINT AS w,
    vector_units(type0, eu_bytes) AS units,
    CASE
      WHEN formula = 'vc'
        THEN lane_bytes // greatest(
          whole_bytes(type0), whole_bytes(operand1_precision), whole_bytes(type_out)
        )
      ELSE lane_bytes // whole_bytes(type_out)
    END AS byte_units
  FROM typed
),

-- A product of matrices, m × k by k × n: which operand has which of them depends on the function.
multiplied AS (
  SELECT
    *,
    CASE
      WHEN formula = 'mm' THEN if(is_left_transposed = 1, operand0_w * operand0_c, operand0_n)
      WHEN function_code IN (6, 9, 12) THEN operand1_w
      ELSE result_c
    END::HUGEINT AS mm_m,
    CASE
      WHEN formula = 'mm' THEN if(is_left_transposed = 1, operand0_n, operand0_w * operand0_c)
      WHEN function_code IN (6, 9, 12) THEN result_c
      WHEN function_code IN (5, 8, 11, 13) THEN operand1_c
      ELSE operand1_w
    END::HUGEINT AS mm_k,
    CASE
      WHEN function_code IN (5, 6, 8, 9, 11, 12, 13) THEN operand1_w
      ELSE operand1_c
    END::HUGEINT AS mm_n,
    if(
      mm2_counts_matrix_units = 1,
      matrix_units(result_precision, cube_bytes),
      vector_units(result_precision, eu_bytes)
    ) AS mm2_units
  FROM shaped
),

-- Operations for each element of the result, and of these the ones a unit does in a cycle.
weighed AS (
  SELECT
    *,
    CASE formula
      WHEN 'ar' THEN if(function_code = 12, 5, 1)
      WHEN 'quant' THEN 3
      WHEN 'cmp' THEN 2
      WHEN 'lin' THEN 2
      WHEN 'pool' THEN if(function_code IN (0, 1, 4), 2 * operand1_h * operand1_w - 1, 6)
      WHEN 'sfu' THEN
        CASE
          WHEN function_code = 17 THEN 30
          WHEN function_code IN (12, 13) AND taylor_counts_multiply_add = 1 THEN 2 * operand1_n - 1
          WHEN function_code IN (12, 13) THEN operand1_n
          ELSE 1
        END
      ELSE 1
    END AS weight,
    CASE formula
      WHEN 'ar' THEN if(function_code = 12, 5, 1)
      WHEN 'quant' THEN 3
      WHEN 'pool'
        THEN CASE function_code WHEN 0 THEN 2 WHEN 2 THEN 3 WHEN 1 THEN 1 WHEN 4 THEN 1 ELSE 7 END
      WHEN 'sfu' THEN if(function_code IN (12, 13) AND taylor_counts_multiply_add = 1, 2, 1)
      ELSE 1
    END AS n_at_once
  FROM multiplied
),

counted AS (
  SELECT
    *,
    CASE
      WHEN formula IS NULL THEN 0
      WHEN formula = 'sys' THEN 1
      WHEN formula = 'conv'
        THEN n * c * h * w * (2 * operand0_c * operand1_h * operand1_w - 1 + has_constant_operand2)
      WHEN formula = 'mm' THEN mm_m * result_c * result_w * 2 * mm_k
      WHEN formula = 'mm2' THEN mm_m * mm_n * mm_k * 2
      ELSE n * c * h * w * weight
    END AS alg,
    CASE
      WHEN formula IS NULL THEN 0
      WHEN formula = 'sys' THEN 1
      WHEN formula = 'conv' AND type0 = 2
        THEN n * round_up(c, lanes) * round_up(h * w, units)
          * (2 * operand0_c * operand1_h * operand1_w - 1 + has_constant_operand2)
      WHEN formula = 'conv'
        THEN n * round_up(c, lanes) * round_up(h * w, cube_hw)
          * (
            2 * round_up(operand0_c, matrix_units(type0, cube_bytes)) * operand1_h * operand1_w
            - 1 + has_constant_operand2
          )
      WHEN formula = 'mm'
        THEN mm_m * round_up(c, lanes) * round_up(w, units) * 2 * mm_k
      WHEN formula = 'mm2'
        THEN round_up(mm_m, lanes) * round_up(mm_n, mm2_units) * round_up(mm_k, cube_hw) * 2
      WHEN formula = 'vc' THEN n * round_up(c, lanes) * h * round_up(w, byte_units) * weight
      WHEN formula IN ('lin', 'gather', 'gather_line')
        OR formula = 'move' AND function_code NOT IN (2, 3, 4, 5)
        THEN n * round_up(c, lanes) * h * round_up(w, units) * weight
      ELSE n * round_up(c, lanes) * round_up(h * w, units) * weight
    END AS uarch,
    CASE formula
      WHEN 'conv' THEN lanes * 2 * if(type0 = 2, units, matrix_units(type0, cube_bytes) * cube_hw)
      WHEN 'mm' THEN units * lanes * 2
      WHEN 'mm2' THEN matrix_units(type0, cube_bytes) * cube_hw * lanes * 2
      WHEN 'cmp' THEN byte_units * lanes * 2
      WHEN 'lin' THEN byte_units * lanes * 2
      WHEN 'vc' THEN byte_units * lanes
      WHEN 'gather' THEN lanes
      WHEN 'gather_line' THEN lanes * lanes
      WHEN 'move' THEN byte_units * if(function_code IN (0, 1, 2, 5), 1, lanes)
      WHEN 'sys' THEN NULL
      ELSE units * lanes * n_at_once
    END AS per_cycle
  FROM weighed
)

SELECT
  unnest(c.image),
  TRY_CAST(c.alg AS BIGINT) AS alg_ops,
  TRY_CAST(c.uarch AS BIGINT) AS uarch_ops,
  if(
    coalesce(c.formula, 'sys') = 'sys', 0, TRY_CAST(divided_up(c.alg, c.per_cycle) AS BIGINT)
  ) AS alg_cycles
FROM counted AS c;

-- Where data comes from and goes to.

-- The address in two fields of an image, of up to 45 bits.
CREATE MACRO image_address(high, low) AS (coalesce(high, 0) << 32) + coalesce(low, 0);

-- The memory of such an address; `way` is the column `memory` of `chip`.
CREATE MACRO address_memory(address, way) AS
  CASE
    WHEN way = 'tag'
      THEN CASE (address >> 40) & 31 WHEN 31 THEN 'LMEM' WHEN 30 THEN 'L2M' ELSE 'DDR' END
    WHEN way = 'high_bit' THEN if((address >> 39) & 1 = 1, 'DDR', 'LMEM')
    WHEN (address >> 40) & 31 IN (1, 2) THEN 'DDR'
    -- 1 MiB at 0x26D20000, whatever its tag.
    WHEN (address & 1099511627775) BETWEEN 651296768 AND 652345343 THEN 'L2M'
    WHEN (address >> 40) & 31 = 30 THEN 'L2M'
    ELSE 'LMEM'
  END;

-- The memory coded in a command word; NULL for unknown codes.
CREATE MACRO word_memory(code) AS CASE code WHEN 0 THEN 'DDR' WHEN 1 THEN 'L2M' WHEN 2 THEN 'LMEM' END;

-- RVT commands have it in their names.
CREATE MACRO rvt_is_load(source_name) AS regexp_matches(source_name, '_(ld|ldt|ldbc|mld)$');

CREATE MACRO rvt_is_store(source_name) AS regexp_matches(source_name, '_(st|stt|mst)$');

-- The vendor's names of transfers: source_name and by_direction of `command_name`.
CREATE MACRO directed_name(source_name, by_direction, source_memory, destination_memory) AS
  CASE
    WHEN NOT by_direction THEN source_name
    WHEN source_memory = 'DDR' AND destination_memory IN ('DDR', 'LMEM') THEN 'tensorLd'
    WHEN source_memory = 'LMEM' AND destination_memory = 'DDR' THEN 'tensorSt'
    WHEN source_memory = 'LMEM' AND destination_memory = 'LMEM' THEN 'tensorMv'
    ELSE 'tensor'
  END;

-- The message a sys command sends or awaits, and how many of it: bits of `immediate` (TIU) or
-- `constant` (DMA, CDMA). `first` is the bit the count begins at: 9 for GDMA and SDMA, else 16.
CREATE MACRO message_id(value) AS (value & 511)::BIGINT;

CREATE MACRO message_count(value, first) AS ((value >> first) & 127)::BIGINT;

-- Sums of the counters of a record. Names as in tpu_dma_counter and similar tables.

-- CV84X6 counts both ends of a transfer, AKS and AKSV the end that is written.
CREATE MACRO axi_bytes(chip_name, axi_write_bytes, gif_write_bytes, gif_read_bytes) AS
  if(
    chip_name = 'CV84X6',
    greatest(axi_write_bytes, gif_write_bytes, gif_read_bytes),
    axi_write_bytes + gif_write_bytes
  );

CREATE MACRO axi_stall_cycles(chip_name, gif_stall, axi_write_stall, axi_read_stall) AS
  if(chip_name = 'CV84X6', gif_stall + axi_write_stall + axi_read_stall, gif_stall);

CREATE MACRO axi_transactions(chip_name, write_beats, read_beats, write_requests, read_requests) AS
  if(chip_name = 'CV84X6', write_requests + read_requests, write_beats + read_beats);

-- BM1688 counts a transfer at each interface it passes, and there the address, and the data: the
-- larger of both sides is what was moved. (The vendor's tool adds all twelve counters up.)
CREATE MACRO interface_bytes(d0_aw, d0_ar, d1_aw, d1_ar, fmem_aw, fmem_ar, l2_aw, l2_ar) AS
  greatest(d0_aw + d0_ar + d1_aw + d1_ar, fmem_aw + fmem_ar, l2_aw + l2_ar);
