-- arrows between slices
SELECT a.name AS out_name, a.ts AS out_ts, b.name AS in_name, b.ts AS in_ts FROM flow JOIN slice a ON flow.slice_out = a.id
JOIN slice b ON flow.slice_in = b.id WHERE a.category <> 'cuda_runtime' ORDER BY a.ts, b.ts, b.name;
-- arrows from calls
SELECT o.name AS out_name, i.category AS in_category, COUNT(*) AS n
FROM flow LEFT JOIN slice o ON o.id = slice_out LEFT JOIN slice i ON i.id = slice_in
WHERE o.name NOT LIKE '%graph%' GROUP BY 1, 2 ORDER BY n DESC, 1, 2;
-- arrows that follow a slice
SELECT s.name, s.ts, COUNT(*) FROM slice s JOIN following_flow(s.id) AS f
WHERE s.category = 'cpu_op' AND s.ts < (SELECT MIN(ts) + 20000 FROM slice)
GROUP BY s.id ORDER BY s.ts, s.name;
-- arrows that precede a slice
SELECT s.name, (SELECT COUNT(*) FROM preceding_flow(s.id)) AS n FROM slice s
WHERE s.depth <= 1 AND n > 0 AND s.name NOT LIKE '%relu%' ORDER BY s.ts, s.name LIMIT 20;
-- arrows of one chain
SELECT s.name, (SELECT COUNT(*) FROM directly_connected_flow(s.id)) AS n FROM slice s
WHERE s.category = 'cpu_op' AND n > 0 ORDER BY s.ts, s.name LIMIT 20;
-- what is around a slice
SELECT s.name AS of_name, a.name, a.depth, a.dur FROM slice s JOIN ancestor_slice(s.id) AS a
WHERE s.name = 'aten::add' ORDER BY s.ts, a.depth;
-- the outermost slice around each
SELECT s.name AS of_name, top.name AS top_name FROM slice s LEFT JOIN ancestor_slice(s.id) AS top ON top.depth = 0
WHERE s.category = 'cpu_op' ORDER BY s.ts, s.depth LIMIT 20;
-- how much is inside a slice
SELECT name, (SELECT COUNT(*) FROM descendant_slice(s.id)) AS n FROM slice s
WHERE s.depth = 0 AND s.category = 'user_annotation' ORDER BY ts, name;
-- all inside one slice
SELECT d.name, COUNT(*), SUM(d.dur)
FROM descendant_slice((SELECT id FROM slice WHERE category = 'user_annotation' ORDER BY ts, depth LIMIT 1)) AS d
GROUP BY d.name ORDER BY 2 DESC, 1;
