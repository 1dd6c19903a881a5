/* ---
name = "check_graph_capture"
version = 1
title = "Replayed graphs whose capture was not imported"
help = """
Calls that launch a graph of several kernels, without a matching capture in the run
(link_graph_capture): their kernels have no operator or module. The capture is missing, of another run,
or of another batch size.
"""
grain = ["run_id", "trace_id", "check_name"]
requires = { schema = ">=13" }
scale = "trace"
columns = [
  "run_id", "run", "trace_id", "trace", "rank", "check_name", "severity", "n_found", "n_looked_at",
  "examples", "meaning", "remedy",
]

[column]
trace_id = { nullable = true, help = "Trace; NULL: the finding applies to the whole run" }
n_looked_at.help = "Number of replays of graphs"
examples.help = "Up to three: slice of the call, start on the time axis of slice.ts, number of kernels"

[changes]
1 = "first version"
--- */
WITH replay AS (
  SELECT
    l.trace_id,
    l.slice_id,
    l.ts,
    count(*) AS n_kernels,
    count(CASE WHEN d.rule = 'graph_capture' THEN 1 END) AS n_linked
  FROM launch AS l
  JOIN whole_link AS k ON k.from_id = l.slice_id AND k.kind = 'launch' AND k.link_set = 'default'
  JOIN whole_gpu_op AS g ON g.slice_id = k.to_id AND g.kind = 'kernel'
  LEFT JOIN whole_link AS d
    ON d.to_id = g.slice_id AND d.kind = 'op_device' AND d.link_set = 'default'
  WHERE l.name LIKE '%GraphLaunch%'
  GROUP BY l.trace_id, l.slice_id, l.ts
),
placed AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY trace_id ORDER BY ts, slice_id) AS place
  FROM replay
  WHERE n_kernels > 1 AND n_linked = 0
),
total AS (
  SELECT trace_id, count(*) AS n_replays
  FROM replay
  GROUP BY trace_id
),
finding AS (
  SELECT
    p.trace_id,
    count(*) AS n_found,
    max(a.n_replays) AS n_looked_at,
    string_agg(
      CASE
        WHEN p.place <= 3
        THEN 'slice ' || p.slice_id || ' at ' || p.ts || ' ns: ' || p.n_kernels || ' kernels'
      END,
      '; ' ORDER BY p.place
    ) AS examples
  FROM placed AS p
  JOIN total AS a ON a.trace_id = p.trace_id
  GROUP BY p.trace_id
)
SELECT
  t.run_id,
  r.name AS run,
  t.id AS trace_id,
  t.name AS trace,
  t.rank,
  'graph_capture' AS check_name,
  'note' AS severity,
  f.n_found,
  f.n_looked_at,
  f.examples,
  'Work of these graphs has no operators and modules: no capture of the run has the same kernels.'
    AS meaning,
  'Import the profile of their capture, of the same run and batch size, into this run.' AS remedy
FROM finding AS f
JOIN trace AS t ON t.id = f.trace_id
JOIN run AS r ON r.id = t.run_id
ORDER BY t.run_id, t.rank, t.id
