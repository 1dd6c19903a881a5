-- the first slices of a trace are the earliest
SELECT ts, dur, name FROM slice LIMIT 10;
-- slices of one name by thread
SELECT thread.name AS thread_name
FROM slice
JOIN thread_track ON slice.track_id = thread_track.id
JOIN thread USING (utid)
WHERE slice.name = 'aten::add'
GROUP BY thread_name;
-- slices with their thread and process
SELECT s.name, dur, tid, pid
FROM slice s
JOIN thread_track t ON s.track_id = t.id
JOIN thread USING (utid)
LEFT JOIN process USING (upid)
WHERE s.category IN ('cpu_op', 'kernel')
ORDER BY s.ts, s.name, dur DESC;
-- how often each name occurs
SELECT name, COUNT(*) AS n FROM slice GROUP BY name ORDER BY n DESC, name;
-- a glob, statistics, percentiles
SELECT
  name,
  COUNT(dur) AS count_slice,
  AVG(dur) / 1000000 AS avg_dur_ms,
  CAST(MAX(dur) AS DOUBLE) / 1000000 AS max_dur_ms,
  CAST(MIN(dur) AS DOUBLE) / 1000000 AS min_dur_ms,
  PERCENTILE(dur, 50) / 1000000 AS p50_dur_ms,
  PERCENTILE(dur, 90) / 1000000 AS p90_dur_ms
FROM slice
WHERE name REGEXP '.*aten::.*'
GROUP BY name
ORDER BY count_slice DESC, name
LIMIT 10;
-- names by glob
SELECT DISTINCT name FROM slice WHERE name GLOB 'aten::*a[d-m]*' ORDER BY name;
-- names by like, in any case
SELECT name, COUNT(*) FROM slice WHERE name LIKE 'ATEN::%' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5;
-- a double-quoted text that is no column
SELECT COUNT(*) FROM slice WHERE name LIKE "%step%";
-- durations in whole microseconds
SELECT name, SUM(dur) / 1000 AS us, SUM(dur) % 1000 AS rest FROM slice GROUP BY name ORDER BY name;
-- durations in fractions
SELECT category, ROUND(SUM(dur) / 1e6, 3) AS ms FROM slice GROUP BY category ORDER BY category;
-- conditions are numbers
SELECT name GLOB 'aten*' AS is_aten, dur > 1000, dur = 0, COUNT(*) FROM slice GROUP BY 1, 2, 3;
-- sums of conditions
SELECT SUM(dur > 1000), SUM(category = 'cpu_op'), COUNT(category), COUNT(*) FROM slice;
-- the longest slice of each category brings its name
SELECT category, name, MAX(dur) FROM slice WHERE dur > 0 GROUP BY category ORDER BY category;
-- the shortest slice of all brings its name
SELECT name, MIN(dur), ts FROM slice WHERE dur > 0 AND category = 'cpu_op';
-- the longest slices
SELECT name, dur FROM slice ORDER BY dur DESC, name, ts LIMIT 3, 5;
-- depths of nesting
SELECT depth, COUNT(*), SUM(dur) FROM slice GROUP BY depth HAVING COUNT(*) > 1 ORDER BY depth;
-- parents of slices
SELECT child.name AS inner_name, parent.name AS outer_name, COUNT(*)
FROM slice child JOIN slice parent ON child.parent_id = parent.id
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 20;
-- slices without a parent
SELECT name, ts FROM slice WHERE parent_id IS NULL ORDER BY ts, name;
-- time inside children
SELECT p.name, SUM(c.dur) AS child_dur, COUNT(DISTINCT p.id) AS parents
FROM slice AS p LEFT JOIN slice AS c ON c.parent_id = p.id
GROUP BY p.name ORDER BY child_dur DESC, 1;
-- having without group by
SELECT COUNT(*) AS n FROM slice HAVING n > 0;
-- an alias in where
SELECT name, dur / 1000 AS us FROM slice WHERE us > 100 ORDER BY us DESC, ts LIMIT 10;
-- nulls come first
SELECT DISTINCT category FROM slice ORDER BY category;
-- nulls come last when descending
SELECT DISTINCT category FROM slice ORDER BY category DESC;
-- null-safe comparisons
SELECT COUNT(*) FROM slice WHERE category IS NOT 'cpu_op';
-- both columns of the category
SELECT COUNT(*) FROM slice WHERE cat IS category AND id = slice_id;
-- every column but ids
SELECT ts, dur, category, name, depth, thread_ts, thread_dur, thread_instruction_count,
  thread_instruction_delta, cat
FROM slices ORDER BY ts, depth, name;
-- the bounds of the trace
SELECT start_ts, end_ts, end_ts - start_ts FROM trace_bounds;
-- the functions of the bounds
SELECT trace_start(), trace_end(), trace_dur();
-- how much of the trace each thread is in slices
SELECT tid, SUM(dur) * 100.0 / (SELECT end_ts - start_ts FROM trace_bounds) AS percent
FROM slice JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid)
WHERE slice.depth = 0
GROUP BY tid ORDER BY tid;
-- gaps between slices
SELECT name, ts - LAG(ts + dur) OVER (PARTITION BY track_id ORDER BY ts) AS gap
FROM slice WHERE depth = 0 ORDER BY ts, name;
-- ranks within a category
SELECT category, name, dur FROM (
  SELECT category, name, dur, ts,
    ROW_NUMBER() OVER (PARTITION BY category ORDER BY dur DESC, ts, name) AS place
  FROM slice
)
WHERE place <= 2 ORDER BY category, place;
-- running totals
SELECT name, SUM(dur) OVER (ORDER BY ts, depth ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
FROM slice WHERE category = 'cpu_op' ORDER BY ts, depth LIMIT 20;
-- a table of WITH
WITH long_slice AS (SELECT * FROM slice WHERE dur > 10000)
SELECT name, COUNT(*) FROM long_slice GROUP BY name ORDER BY name;
-- a recursive WITH up the stack
WITH RECURSIVE up(leaf, id, height) AS (
  SELECT id, parent_id, 0 FROM slice WHERE category = 'cpu_op'
  UNION ALL
  SELECT leaf, s.parent_id, height + 1 FROM up JOIN slice s ON s.id = up.id
)
SELECT height, COUNT(*) FROM up GROUP BY height ORDER BY height;
-- unions
SELECT 'long' AS kind, COUNT(*) AS n FROM slice WHERE dur >= 10000
UNION ALL SELECT 'short', COUNT(*) FROM slice WHERE dur < 10000 ORDER BY n DESC, kind;
-- slices that are in slices of a name
SELECT name, COUNT(*) FROM slice
WHERE id IN (SELECT c.id FROM slice c JOIN slice p ON c.parent_id = p.id WHERE p.name LIKE '%step%')
GROUP BY name ORDER BY name;
-- slices with something inside
SELECT name, COUNT(*) FROM slice s
WHERE EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id) GROUP BY name ORDER BY name;
-- a count for each row
SELECT name, (SELECT COUNT(*) FROM slice c WHERE c.parent_id = s.id) AS children
FROM slice s WHERE depth = 0 ORDER BY ts, name;
-- instants
SELECT ts, name FROM instant ORDER BY ts, name;
-- what ends by when
SELECT name, ts + dur AS end_ts FROM slice WHERE end_ts > (SELECT AVG(ts) FROM slice)
ORDER BY end_ts, name LIMIT 10;
-- texts put together
SELECT name || ' ' || dur || ' ' || dur / 2.0 AS shown FROM slice ORDER BY ts, shown LIMIT 5;
-- texts taken apart
SELECT DISTINCT SUBSTR(name, 1, INSTR(name, ':')) AS head, SUBSTR(name, -2), LENGTH(name), UPPER(name)
FROM slice ORDER BY 4;
-- printed
SELECT PRINTF('%s: %.3f ms, %05d', name, dur / 1e6, depth) FROM slice ORDER BY ts, depth, name LIMIT 9;
-- cases
SELECT CASE WHEN dur < 1000 THEN 'short' WHEN dur < 100000 THEN 'middle' ELSE 'long' END AS size,
  COUNT(*), MIN(dur), MAX(dur)
FROM slice GROUP BY size ORDER BY size;
-- the larger of two
SELECT name, MAX(dur, 5000), MIN(dur, 5000, NULL), IIF(dur > 5000, 1, 0.5) FROM slice
ORDER BY ts, depth, name LIMIT 30;
-- all names in one text
SELECT category, COUNT(DISTINCT name), TOTAL(dur) FROM slice GROUP BY category ORDER BY category;
