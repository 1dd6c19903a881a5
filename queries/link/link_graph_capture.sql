/* ---
name = "link_graph_capture"
version = 2
title = "Links from captured operators to the device work of graphs that replay them"
help = """
A replayed graph is one call with many kernels, which no operator launched. The calls between the begin
and the end of a stream capture, in the same trace or in another of the run, are its nodes, if their
kernels have the same names in the same order; call and kernel are matched by position. Of graphs of 20
kernels or more, 2 % or one may be missing in one place: what is before and after it is matched. Where
several captures have the same names, as the layers of a network have, the replays take turns in the order
of the captures. Captures in the trace itself are preferred, then those of the same rank. Only captured
calls whose kernel is recorded can match; a call outside of operators gives no link.
"""
grain = ["to_id"]
requires = { schema = ">=13", rows = ["launch where name LIKE '%StreamBeginCapture%'"] }
scale = "run"
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.run_id]
type = "BIGINT"
help = "Run to link"

[column]
from_id.help = "Innermost operator around the captured call"
to_id.help = "Slice of the kernel"
kind.help = "op_device"
rule.help = "graph_capture"
confidence.help = "0.95; 0.9 if captures take turns, 0.8 if nodes are missing, 0.5 if the replays do not go round or several traces captured the same"

[changes]
2 = "of begins and ends of captures at one time, the last"
1 = "first version"
--- */
WITH traces AS (
  SELECT id, rank FROM trace WHERE run_id = $run_id::BIGINT
),
border AS (
  SELECT l.trace_id, l.track_id, l.ts, l.slice_id, l.name LIKE '%StreamBeginCapture%' AS is_begin
  FROM launch AS l
  WHERE l.trace_id IN (SELECT id FROM traces)
    AND (l.name LIKE '%StreamBeginCapture%' OR l.name LIKE '%StreamEndCapture%')
  QUALIFY row_number() OVER (PARTITION BY l.trace_id, l.track_id, l.ts ORDER BY l.slice_id DESC) = 1
),
-- The last border before a call says whether it was captured.
captured AS (
  SELECT c.trace_id, b.slice_id AS segment_id, b.ts AS segment_ts, c.slice_id, c.ts, c.kernel
  FROM (
    SELECT l.trace_id, l.track_id, l.ts, l.slice_id,
      json_extract_string(s.args_json, '$.kernel') AS kernel
    FROM launch AS l
    JOIN slice AS s ON s.id = l.slice_id
    WHERE l.trace_id IN (SELECT trace_id FROM border) AND contains(s.args_json, '"kernel"')
  ) AS c
  ASOF JOIN border AS b ON b.trace_id = c.trace_id AND b.track_id = c.track_id AND b.ts <= c.ts
  WHERE b.is_begin AND c.kernel IS NOT NULL
),
segment AS (
  SELECT
    trace_id,
    segment_id,
    segment_ts,
    list(kernel ORDER BY ts, slice_id) AS names,
    list(slice_id ORDER BY ts, slice_id) AS nodes
  FROM captured
  GROUP BY trace_id, segment_id, segment_ts
),
replay AS (
  SELECT
    g.trace_id,
    l.slice_id AS call_id,
    l.ts AS call_ts,
    list(coalesce(g.name, '') ORDER BY g.ts, g.slice_id) AS names,
    list(g.slice_id ORDER BY g.ts, g.slice_id) AS nodes
  FROM gpu_op AS g
  JOIN link AS k
    ON k.to_id = g.slice_id AND k.trace_id = g.trace_id AND k.kind = 'launch'
    AND k.link_set = 'default'
  JOIN launch AS l ON l.slice_id = k.from_id AND l.name LIKE '%GraphLaunch%'
  WHERE g.kind = 'kernel' AND g.trace_id IN (SELECT id FROM traces)
  GROUP BY g.trace_id, l.slice_id, l.ts
),
-- Sequences are compared once, however often they are captured and replayed.
compared AS (
  SELECT
    r.names AS replayed,
    s.names AS captured,
    abs(len(r.names) - len(s.names)) AS n_missing,
    coalesce(list_position(
      list_transform(range(1, least(len(r.names), len(s.names)) + 1), lambda i: r.names[i] = s.names[i]),
      false
    ) - 1, least(len(r.names), len(s.names))) AS n_before,
    coalesce(list_position(
      list_transform(
        range(least(len(r.names), len(s.names))),
        lambda i: r.names[len(r.names) - i] = s.names[len(s.names) - i]
      ),
      false
    ) - 1, least(len(r.names), len(s.names))) AS n_after
  FROM (SELECT DISTINCT names FROM replay) AS r
  JOIN (SELECT DISTINCT names FROM segment) AS s
    ON abs(len(r.names) - len(s.names))
      <= CASE WHEN len(r.names) < 20 THEN 0 ELSE greatest(1, len(r.names) // 50) END
),
alike AS (
  SELECT *
  FROM compared
  WHERE n_before + n_after >= least(len(replayed), len(captured))
  QUALIFY rank() OVER (PARTITION BY replayed ORDER BY n_missing, captured) = 1
),
candidate AS (
  SELECT
    r.trace_id,
    r.call_id,
    r.call_ts,
    r.nodes AS replayed_nodes,
    s.trace_id AS captured_in,
    s.segment_id,
    s.segment_ts,
    s.nodes AS captured_nodes,
    a.captured,
    a.n_missing,
    a.n_before,
    a.n_after,
    dense_rank() OVER (
      PARTITION BY r.call_id
      ORDER BY
        CASE
          WHEN s.trace_id = r.trace_id THEN 0
          WHEN t.rank IS NOT DISTINCT FROM o.rank THEN 1
          ELSE 2
        END,
        s.trace_id
    ) AS place
  FROM replay AS r
  JOIN alike AS a ON a.replayed = r.names
  JOIN segment AS s ON s.names = a.captured
  JOIN traces AS t ON t.id = r.trace_id
  JOIN traces AS o ON o.id = s.trace_id
  -- In one trace a graph is captured before it is replayed.
  WHERE s.trace_id <> r.trace_id OR s.segment_ts < r.call_ts
),
turn AS (
  SELECT
    *,
    max(place) OVER (PARTITION BY call_id) AS n_traces,
    row_number() OVER (PARTITION BY call_id, place ORDER BY segment_ts, segment_id) - 1 AS segment_n,
    count(*) OVER (PARTITION BY call_id, place) AS n_segments,
    dense_rank() OVER (PARTITION BY trace_id, captured, place ORDER BY call_ts, call_id) - 1 AS call_n
  FROM candidate
),
matched AS (
  SELECT
    *,
    max(call_n) OVER (PARTITION BY trace_id, captured) + 1 AS n_calls
  FROM turn
  WHERE place = 1 AND segment_n = call_n % n_segments
),
node AS (
  SELECT
    slice_id,
    CASE
      WHEN i <= n_before THEN captured_nodes[i]
      WHEN len(replayed_nodes) - i < n_after
      THEN captured_nodes[len(captured_nodes) - (len(replayed_nodes) - i)]
    END AS call_id,
    CASE
      WHEN n_traces > 1 AND captured_in <> trace_id OR n_calls % n_segments <> 0 THEN 0.5
      WHEN n_missing > 0 THEN 0.8
      WHEN n_segments > 1 THEN 0.9
      ELSE 0.95
    END AS confidence
  FROM (
    SELECT *, unnest(replayed_nodes) AS slice_id, generate_subscripts(replayed_nodes, 1) AS i
    FROM matched
  )
)
SELECT
  o.from_id,
  n.slice_id AS to_id,
  'op_device' AS kind,
  'graph_capture' AS rule,
  n.confidence::DOUBLE AS confidence
FROM node AS n
JOIN link AS o ON o.to_id = n.call_id AND o.kind = 'op_launch' AND o.link_set = 'default'
ORDER BY to_id
