/* ---
name = "step_batch"
version = 1
title = "Phase, requests and tokens of the steps of inference engines"
help = """
From the names that engines give their steps, of vLLM execute_8192_context_9(sq8155...)_generation_37(sq37...),
of SGLang step[EXTEND bs=15 toks=15360]. Other steps have no row. A time window hides none.
"""
grain = ["step_id"]
scale = "trace"
columns = [
  "run_id", "trace_id", "rank", "step_id", "phase", "n_requests", "n_tokens",
  "n_prefill_requests", "n_prefill_tokens", "n_decode_requests", "n_decode_tokens",
]

[column]
step_id.help = "Step"
phase = { type = "VARCHAR", unit = "text", check = "IN ('prefill', 'decode', 'mixed')", help = "prefill: the step reads prompts, or parts of them; decode: it continues answers; mixed: both" }
n_prefill_requests = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Requests in prefill; NULL: a mixed step that does not say" }
n_decode_requests = { type = "BIGINT", unit = "count", nullable = true, check = ">= 0", help = "Requests in decode; NULL: a mixed step that does not say" }

[changes]
1 = "first version"
--- */
WITH parsed AS (
  SELECT
    s.slice_id,
    s.trace_id,
    s.name,
    TRY_CAST(nullif(regexp_extract(s.name, 'context_([0-9]+)[(]', 1), '') AS BIGINT) AS n_context,
    TRY_CAST(nullif(regexp_extract(s.name, 'context_[0-9]+[(](sq)?([0-9]+)', 2), '') AS BIGINT)
      AS context_tokens,
    TRY_CAST(nullif(regexp_extract(s.name, 'generation_([0-9]+)[(]', 1), '') AS BIGINT)
      AS n_generation,
    TRY_CAST(nullif(regexp_extract(s.name, 'generation_[0-9]+[(](sq)?([0-9]+)', 2), '') AS BIGINT)
      AS generation_tokens,
    nullif(regexp_extract(s.name, '^step.(EXTEND|DECODE|MIXED)', 1), '') AS mode,
    TRY_CAST(nullif(regexp_extract(s.name, ' bs=([0-9]+)', 1), '') AS BIGINT) AS batch,
    TRY_CAST(nullif(regexp_extract(s.name, ' toks=([0-9]+)', 1), '') AS BIGINT) AS tokens
  FROM whole_step AS s
),
phased AS (
  SELECT
    *,
    CASE
      WHEN mode = 'EXTEND' THEN 'prefill'
      WHEN mode = 'DECODE' THEN 'decode'
      WHEN mode = 'MIXED' THEN 'mixed'
      WHEN n_context > 0 AND n_generation > 0 THEN 'mixed'
      WHEN n_context > 0 THEN 'prefill'
      WHEN n_generation > 0 THEN 'decode'
    END AS phase
  FROM parsed
)
SELECT
  t.run_id,
  p.trace_id,
  t.rank,
  p.slice_id AS step_id,
  p.phase,
  coalesce(p.batch, p.n_context + p.n_generation) AS n_requests,
  coalesce(
    p.tokens, p.context_tokens + p.generation_tokens, CASE WHEN p.mode = 'DECODE' THEN p.batch END
  ) AS n_tokens,
  CASE
    WHEN p.mode IS NULL THEN p.n_context
    WHEN p.phase = 'prefill' THEN p.batch
    WHEN p.phase = 'decode' THEN 0
  END AS n_prefill_requests,
  CASE
    WHEN p.mode IS NULL THEN p.context_tokens
    WHEN p.phase = 'prefill' THEN p.tokens
    WHEN p.phase = 'decode' THEN 0
  END AS n_prefill_tokens,
  CASE
    WHEN p.mode IS NULL THEN p.n_generation
    WHEN p.phase = 'decode' THEN p.batch
    WHEN p.phase = 'prefill' THEN 0
  END AS n_decode_requests,
  CASE
    WHEN p.mode IS NULL THEN p.generation_tokens
    WHEN p.phase = 'decode' THEN coalesce(p.tokens, p.batch)
    WHEN p.phase = 'prefill' THEN 0
  END AS n_decode_tokens
FROM phased AS p
JOIN trace AS t ON t.id = p.trace_id
WHERE p.phase IS NOT NULL
ORDER BY p.slice_id
