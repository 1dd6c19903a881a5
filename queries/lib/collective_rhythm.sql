/* ---
name = "collective_rhythm"
version = 1
title = "How often pauses between collectives agree on two ranks, wherever they occur"
help = """
A pause is the time between the ends of two collectives that follow each other in a recording. Each
pause of one rank is compared with all pauses of the other between collectives of equal keys; of many,
a part of those of the lowest rank. In a regular program all agree, so that ends which meet are no
evidence that two collectives are one.
"""
grain = ["hub_trace_id", "spoke_trace_id", "tolerance_ns"]
requires = { schema = ">=1", queries = ["collective_sequence@1"] }
scale = "run"
columns = ["hub_trace_id", "spoke_trace_id", "tolerance_ns", "n_pauses", "n_equal"]

[param.run_id]
type = "BIGINT"
help = "Run whose ranks to compare"

[column]
hub_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the lowest rank, as in collective_sequence" }
spoke_trace_id = { type = "BIGINT", unit = "ref trace.id", help = "First trace of the other rank, as in collective_sequence" }
tolerance_ns = { type = "BIGINT", unit = "ns", check = "> 0", help = "Largest difference of equal pauses" }
n_pauses = { type = "BIGINT", unit = "count", check = "> 0", help = "Number of pairs of pauses that are compared" }
n_equal = { type = "BIGINT", unit = "count", check = ">= 0", help = "Number of these that are equal" }

[changes]
1 = "first version"
--- */
WITH pause AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY hub_trace_id, spoke_trace_id, is_hub ORDER BY slice_id)
      AS position,
    count(CASE WHEN is_hub THEN 1 END) OVER (PARTITION BY hub_trace_id, spoke_trace_id) AS n_hub,
    count(CASE WHEN NOT is_hub THEN 1 END) OVER (PARTITION BY hub_trace_id, spoke_trace_id) AS n_spoke
  FROM (
    SELECT
      hub_trace_id,
      spoke_trace_id,
      is_hub,
      slice_id,
      match_key,
      lag(match_key) OVER recorded AS before_key,
      end_ns - lag(end_ns) OVER recorded AS pause_ns
    FROM collective_sequence($run_id::BIGINT)
    WHERE is_synchronizing
    WINDOW recorded AS (
      PARTITION BY hub_trace_id, spoke_trace_id, is_hub, trace_id ORDER BY end_ns, slice_id
    )
  )
  WHERE pause_ns IS NOT NULL
)
SELECT
  s.hub_trace_id,
  s.spoke_trace_id,
  t.tolerance_ns,
  count(*) AS n_pauses,
  sum(CASE WHEN abs(h.pause_ns - s.pause_ns) <= t.tolerance_ns THEN 1 ELSE 0 END)::BIGINT AS n_equal
FROM (FROM pause WHERE NOT is_hub) AS s
JOIN (FROM pause WHERE is_hub AND position % (1 + n_hub * n_spoke // 100000) = 0) AS h
  ON h.hub_trace_id = s.hub_trace_id
  AND h.spoke_trace_id = s.spoke_trace_id
  AND h.match_key = s.match_key
  AND h.before_key = s.before_key
CROSS JOIN (
  SELECT unnest([20000, 80000, 320000, 1280000, 5120000])::BIGINT AS tolerance_ns
) AS t
GROUP BY s.hub_trace_id, s.spoke_trace_id, t.tolerance_ns
ORDER BY s.hub_trace_id, s.spoke_trace_id, t.tolerance_ns
