-- slices that a slice leads to
INCLUDE PERFETTO MODULE slices.flow;
SELECT root.name AS root_name, root.ts AS root_ts, node.name AS node_name, node.ts AS node_ts, parent.name AS parent_name
FROM _slice_following_flow!((SELECT id FROM slice WHERE category = 'cpu_op')) AS f
JOIN slice AS root ON root.id = f.root_node_id JOIN slice AS node ON node.id = f.node_id
LEFT JOIN slice AS parent ON parent.id = f.parent_node_id
ORDER BY root.ts, root.depth, node.ts, node.name LIMIT 60;
-- how much slices lead to
INCLUDE PERFETTO MODULE slices.flow;
SELECT COUNT(*) AS n, COUNT(DISTINCT root_node_id) AS n_roots, COUNT(DISTINCT node_id) AS n_nodes,
  SUM(parent_node_id IS NULL) AS n_without_parent
FROM _slice_following_flow!((SELECT id FROM slice WHERE category = 'cpu_op' AND name NOT GLOB '*relu*'));
-- what follows names that match
INCLUDE PERFETTO MODULE slices.flow;
CREATE PERFETTO VIEW chosen_ops AS SELECT id, name FROM slice WHERE name GLOB 'aten::[a-m]*';
SELECT c.name AS start, s.name AS follows, COUNT(*) AS n, SUM(s.dur) AS ns
FROM _slice_following_flow!(chosen_ops) AS f JOIN chosen_ops AS c ON c.id = f.root_node_id
JOIN slice AS s ON s.id = f.node_id AND f.parent_node_id IS NOT NULL
GROUP BY 1, 2 ORDER BY n DESC, start, follows;
-- how much follows annotations
INCLUDE PERFETTO MODULE slices.flow;
SELECT COUNT(*) AS n, COUNT(DISTINCT node_id) AS n_nodes
FROM _slice_following_flow!((SELECT id FROM slice WHERE category = 'user_annotation'));
-- time from forward to backward
SELECT a.name, b.ts - (a.ts + a.dur) AS gap, b.dur - a.dur AS longer
FROM flow JOIN slice AS a ON a.id = slice_out JOIN slice AS b ON b.id = slice_in
WHERE a.category = 'cpu_op' ORDER BY gap DESC, a.ts LIMIT 20;
-- flows that lead to another thread
SELECT o.tid AS out_tid, i.tid AS in_tid, COUNT(*) AS n, MIN(b.ts - a.ts) AS least, AVG(b.ts - a.ts) AS mean
FROM flow JOIN slice AS a ON a.id = slice_out JOIN slice AS b ON b.id = slice_in
JOIN thread_track AS ot ON ot.id = a.track_id JOIN thread AS o ON o.utid = ot.utid
JOIN thread_track AS it ON it.id = b.track_id JOIN thread AS i ON i.utid = it.utid
WHERE a.category = 'cpu_op' GROUP BY 1, 2 ORDER BY n DESC, 1, 2;
-- operators with and without flows
SELECT s.category, COUNT(DISTINCT s.id) AS n, COUNT(DISTINCT f.slice_out) AS n_out
FROM slice AS s LEFT JOIN flow AS f ON f.slice_out = s.id WHERE s.category = 'cpu_op' GROUP BY s.category;
-- operators that no flow enters
SELECT name, COUNT(*) AS n FROM slice AS s
WHERE category = 'cpu_op' AND name LIKE '%backward%' AND NOT EXISTS (SELECT 1 FROM flow WHERE slice_in = s.id)
GROUP BY name ORDER BY n DESC, name LIMIT 20;
-- backward time of forward operators
WITH pair AS (
  SELECT a.name AS forward, a.dur AS forward_dur, b.dur AS backward_dur
  FROM flow JOIN slice AS a ON a.id = slice_out JOIN slice AS b ON b.id = slice_in
  WHERE a.category = 'cpu_op' AND b.category = 'cpu_op'
)
SELECT forward, COUNT(*) AS n, SUM(backward_dur) / 1e3 AS us, ROUND(1.0 * SUM(backward_dur) / SUM(forward_dur), 3) AS ratio
FROM pair GROUP BY forward ORDER BY us DESC, forward;
