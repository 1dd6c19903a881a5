/* ---
name = "what_if_link_problem"
version = 1
title = "Why the rate of the recorded links has no effect on a run"
help = "No row: it has, or is not given. A rate that has no effect would leave a prediction as it is, silently."
grain = ["kind"]
requires = { schema = ">=17", queries = ["replay_node@3"] }
scale = "run"
columns = ["kind", "problem", "remedy"]

[param.bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "As of what_if_link"

[param.recorded_bits_per_s]
type = "DOUBLE"
default = 0.0
min = 0
help = "As of what_if_link"

[column]
kind = { type = "VARCHAR", unit = "text", nullable = false, help = "1_both, 2_none" }
problem = { type = "VARCHAR", unit = "text", help = "What is wrong" }
remedy.help = "What can be done"

[changes]
1 = "first version"
--- */
SELECT '1_both' AS kind,
  'bits_per_s gives the time of transfers without the recorded one, so recorded_bits_per_s has no effect' AS problem,
  'Omit one of them; bandwidth_ratio changes the recorded time.' AS remedy
WHERE $bits_per_s::DOUBLE > 0 AND $recorded_bits_per_s::DOUBLE > 0
UNION ALL
SELECT '2_none',
  'recorded_bits_per_s is for collectives whose size is recorded, and the run has none',
  'Omit recorded_bits_per_s: transfers then spend all their time on the link.'
WHERE $recorded_bits_per_s::DOUBLE > 0
  AND $bits_per_s::DOUBLE = 0
  AND NOT EXISTS (
    SELECT 1
    FROM replay_node() AS n
    WHERE n.kind = 'collective' AND n.bytes > 0
  )
ORDER BY kind
