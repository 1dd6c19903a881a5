/* ---
name = "check_collective_doubt"
version = 1
title = "Collectives matched with other ranks in doubt"
help = """
Links of kind collective_peer with a confidence of 0.5 or less: several matches fit equally well, as
in regular programs without sequence numbers, or groups are not recorded (link_collective_order).
They set no clock offsets, and queries that compare ranks leave their collectives out.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=1" }
scale = "run"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_found.help = "Number of collectives of the trace whose match is doubtful"
n_looked_at.help = "Number of collectives of the trace that are matched with a lower rank"
examples.help = "Up to three traces of lower ranks, with the number of doubtful matches of each"

[changes]
1 = "first version"
--- */
WITH pair AS (
  SELECT
    s.trace_id,
    h.trace_id AS hub_trace_id,
    sum(CASE WHEN l.confidence <= 0.5 THEN 1 ELSE 0 END)::BIGINT AS n_doubtful,
    count(*) AS n_links
  FROM collective AS s
  JOIN link AS l ON l.to_id = s.slice_id
  JOIN collective AS h ON h.slice_id = l.from_id
  WHERE l.kind = 'collective_peer' AND l.link_set = 'default' AND l.trace_id IS NULL
  GROUP BY s.trace_id, h.trace_id
),
placed AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id ORDER BY n_doubtful DESC, hub_trace_id) AS place
  FROM pair
),
finding AS (
  SELECT
    p.trace_id,
    sum(p.n_doubtful)::BIGINT AS n_found,
    sum(p.n_links)::BIGINT AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3 AND p.n_doubtful > 0
        THEN coalesce('rank ' || t.rank, 'trace ' || t.name) || ': ' || p.n_doubtful
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN trace AS t ON t.id = p.hub_trace_id
  GROUP BY p.trace_id
  HAVING sum(p.n_doubtful) > 0
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'collective_doubt' AS check_name,
  'warning' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'The collectives have no sequence numbers, and several ways to match them with those of other '
    || 'ranks fit equally well. These links may be wrong; they set no clock offset, and waits and '
    || 'lateness are not computed from them.' AS meaning,
  'Compare durations, not times, of these ranks, or record with a version of PyTorch that numbers '
    || 'collectives (Seq).' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
